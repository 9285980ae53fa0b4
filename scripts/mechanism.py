"""Measure what noise buys and costs, from the table of counts."""

from pathlib import Path

from microleak.attacks.mechanism.analysis import Mechanism
from microleak.attacks.mechanism.measure import mechanism_tables
from microleak.run.job import job
from microleak.tables.files import write_csv


def main(contingency, settings, out):
    analysis = Mechanism.model_validate(settings["analysis"])
    tables = mechanism_tables(Path(contingency), analysis, settings["seed"])
    write_csv(Path(out.mechanism), tables.mechanism)
    write_csv(Path(out.samples), tables.samples)
    write_csv(Path(out.simulated), tables.simulated)
    write_csv(Path(out.pairs), tables.pairs)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input[0], settings, snakemake.output)
