"""Measure an analysis from its block profiles."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import TABLES, measure_analysis, value_table
from microleak.run.job import job
from microleak.tables.files import write_table


def main(profiles, analysis, is_synthetic, out):
    success = Path(out.success)
    files = list(map(Path, profiles))
    measures = measure_analysis(files, analysis, is_synthetic, success)
    tables = {**vars(measures), "values": value_table(files, analysis)}
    for name, table in tables.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(
            snakemake.input.profiles,
            Collective(**settings["analysis"]),
            settings["is_synthetic"],
            snakemake.output,
        )
