"""Set the states of each year side by side, with what may explain their leakage."""

from pathlib import Path

from microleak.attacks.collective.states import (
    TABLES,
    AnalysisOfStates,
    explained,
    states,
)
from microleak.run.job import job
from microleak.tables.files import check_parquet, read_table, write_table


def main(found, releases, out):
    each = zip(found.worst, found.success, found.entropy, strict=True)
    for file in found.success:
        check_parquet(Path(file), TABLES["success"])
    analyses = [
        AnalysisOfStates(
            read_table(Path(worst), TABLES["worst"]),
            Path(success),
            read_table(Path(entropy), TABLES["entropy"]),
        )
        for worst, success, entropy in each
    ]
    compared = states(analyses, releases)
    write_table(Path(out.states), compared, TABLES["states"])
    write_table(Path(out.explained), explained(compared), TABLES["explained"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, settings["releases"], snakemake.output)
