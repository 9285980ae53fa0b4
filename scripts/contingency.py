"""Count the records that have each pair of values of some attributes."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.contingency import count_pairs
from microleak.study.job import job
from microleak.study.mechanism_model import Counted


def main(people, out, counting):
    counted = Counted(**counting.params.counted)
    resources = Resources(counting.threads, counting.resources.mem_mib, out.parent)
    count_pairs(people, counted, counting.params.is_synthetic, resources, out)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(Path(snakemake.input[0]), Path(snakemake.output[0]), snakemake)
