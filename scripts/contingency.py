"""Count the records that have each pair of values of some attributes."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.contingency import count_pairs
from microleak.study.job import job
from microleak.study.mechanism_model import Counted


def main(people, out, settings, given):
    counted = Counted(**settings["counted"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    count_pairs(people, counted, settings["is_synthetic"], resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
