"""Measure an analysis from its block profiles."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.groups import value_table
from microleak.attacks.collective.measure import measure_analysis
from microleak.run.job import job
from microleak.tables.files import write_csv


def main(profiles, analysis, is_synthetic, out):
    success = Path(out.success)
    files = list(map(Path, profiles))
    measures = measure_analysis(files, analysis, is_synthetic, success)
    write_csv(Path(out.collective), measures.collective)
    write_csv(Path(out.values), value_table(files, analysis))
    write_csv(Path(out.worst), measures.worst)
    write_csv(Path(out.distribution), measures.distribution)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(
            snakemake.input.profiles,
            Collective(**settings["analysis"]),
            settings["is_synthetic"],
            snakemake.output,
        )
