"""Set the states of each year side by side, with what may explain their leakage."""

from pathlib import Path

from microleak.figures.tables import read_measures
from microleak.study.explained import explained
from microleak.study.job import job
from microleak.study.states import Found, states
from microleak.study.tables import write_csv


def main(found, releases, out):
    each = zip(found.worst, found.success, found.entropy, strict=True)
    analyses = [Found(read_measures(w), Path(s), read_measures(e)) for w, s, e in each]
    compared = states(analyses, releases)
    write_csv(Path(out.states), compared)
    write_csv(Path(out.explained), explained(compared))


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, settings["releases"], snakemake.output)
