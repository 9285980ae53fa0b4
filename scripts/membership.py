"""Measure what a sample gives away about who is in it, from the profile of both."""

from pathlib import Path

from microleak.attacks.membership.measure import membership_tables
from microleak.records.compared import Compared
from microleak.run.job import job
from microleak.tables.files import write_csv


def main(profile, analysis, out):
    tables = membership_tables(Path(profile), Compared(**analysis))
    write_csv(Path(out.membership), tables.membership)
    write_csv(Path(out.presence), tables.presence)
    write_csv(Path(out.uniques), tables.uniques)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input[0], settings["analysis"], snakemake.output)
