"""Gather the row counts of every release."""

from pathlib import Path

from microleak.study.ingest_table import ingest_table
from microleak.study.job import job
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake.log[0]):
        table = ingest_table(Path(snakemake.params.out), snakemake.params.releases)
        write_csv(Path(snakemake.output[0]), table)
