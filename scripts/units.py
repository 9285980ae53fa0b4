"""Tell each record of a release what is known of the others in its unit."""

from pathlib import Path

from microleak.run.job import job
from microleak.units.members import UnitFiles, tell_units


def main(given, out, settings, n_threads):
    paths = map(Path, (given.people, given.receipt, out.people, out.receipt))
    tell_units(UnitFiles(*paths, tuple(map(Path, given.joined))), settings, n_threads)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings, snakemake.threads)
