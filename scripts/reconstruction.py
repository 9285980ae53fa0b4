"""Rebuild databases from noisy counts of their subsets."""

from pathlib import Path

from microleak.study.job import job
from microleak.study.reconstruction import reconstruction_tables
from microleak.study.reconstruction_model import Reconstruction
from microleak.study.tables import write_csv


def main(people, out, rebuilding):
    analysis = Reconstruction.of(rebuilding.params.analysis)
    file = Path(people[0]) if people else None
    memory_mb = rebuilding.resources.mem_mib
    tables = reconstruction_tables(analysis, file, rebuilding.params.seed, memory_mb)
    write_csv(Path(out.reconstruction), tables.reconstruction)
    write_csv(Path(out.bad_points), tables.bad_points)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(snakemake.input, snakemake.output, snakemake)
