"""Gather the row counts of every release, and why rows were removed."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.releases import ingest_table, removed_table
from microleak.tables.files import write_csv


def main(ingest, removed, releases):
    study_dir = ingest.parents[1]
    write_csv(ingest, ingest_table(study_dir, releases))
    write_csv(removed, removed_table(study_dir, releases))


if __name__ == "__main__":
    with job(snakemake) as settings:
        both = zip(settings["releases"], settings["is_synthetic"], strict=True)
        main(*map(Path, snakemake.output), [(*of, made) for of, made in both])
