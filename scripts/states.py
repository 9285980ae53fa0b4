"""Set the states of each year side by side, with what may explain their leakage."""

from pathlib import Path

from microleak.attacks.collective.states import Found, explained, states
from microleak.run.job import job
from microleak.tables.files import write_csv
from microleak.tables.rows import read_measures


def main(found, releases, out):
    each = zip(found.worst, found.success, found.entropy, strict=True)
    analyses = [Found(read_measures(w), Path(s), read_measures(e)) for w, s, e in each]
    compared = states(analyses, releases)
    write_csv(Path(out.states), compared)
    write_csv(Path(out.explained), explained(compared))


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, settings["releases"], snakemake.output)
