"""Gather what each protection did, and how much it changed."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.releases import TABLES, protections_table
from microleak.tables.files import write_table


def main(out, protections):
    table = protections_table(out.parents[1], protections)
    write_table(out, table, TABLES["protections"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), settings["protections"])
