"""Measure an analysis from its block profiles."""

from pathlib import Path

from microleak.study.groups import value_table
from microleak.study.job import job
from microleak.study.measures import measure_analysis
from microleak.study.model import Collective
from microleak.study.tables import write_csv


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
            Collective.of(settings["analysis"]),
            settings["is_synthetic"],
            snakemake.output,
        )
