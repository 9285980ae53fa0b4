"""Measure what a sample gives away about who is in it, from the profile of both."""

from pathlib import Path

from microleak.attacks.membership.measure import TABLES, membership_tables
from microleak.records.compared import Compared
from microleak.run.job import job
from microleak.tables.files import write_table


def main(profile, analysis, out):
    tables = membership_tables(Path(profile), Compared(**analysis))
    for name, table in tables.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input[0], settings["analysis"], snakemake.output)
