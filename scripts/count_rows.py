"""Gather the row counts of every release, and why rows were removed."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.releases import TABLES, ingest_table, removed_table
from microleak.tables.files import write_table


def main(ingest, removed, releases):
    study_dir = ingest.parents[1]
    write_table(ingest, ingest_table(study_dir, releases), TABLES["ingest"])
    write_table(removed, removed_table(study_dir, releases), TABLES["removed"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        both = zip(settings["releases"], settings["is_synthetic"], strict=True)
        main(*map(Path, snakemake.output), [(*of, made) for of, made in both])
