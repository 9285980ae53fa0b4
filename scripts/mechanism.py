"""Measure what noise buys and costs, from the table of counts."""

from pathlib import Path

from microleak.attacks.mechanism.measure import TABLES, mechanism_tables
from microleak.attacks.mechanism.section import Mechanism
from microleak.run.job import job
from microleak.tables.files import write_table


def main(contingency, settings, out):
    analysis = Mechanism.model_validate(settings["analysis"])
    tables = mechanism_tables(Path(contingency), analysis, settings["seed"])
    for name, table in tables.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input[0], settings, snakemake.output)
