"""Count the records that have each pair of values of some attributes."""

from pathlib import Path

from microleak.attacks.mechanism.contingency import count_pairs
from microleak.attacks.mechanism.section import Counted
from microleak.base.machine import Resources
from microleak.run.job import job


def main(people, out, settings, given):
    counted = Counted(**settings["counted"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    count_pairs(people, counted, settings["is_synthetic"], resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
