"""Gather the row counts of every release."""

from pathlib import Path

from microleak.study.ingest_table import ingest_table
from microleak.study.job import job
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake.log[0]):
        path = Path(snakemake.output[0])
        write_csv(path, ingest_table(path.parents[1], snakemake.params.releases))
