"""Make a protected release of another one."""

from pathlib import Path

from microleak.protection.protect import Files, protect_people
from microleak.run.job import job


def main(given, out, settings):
    files = Files(*map(Path, (given.people, given.receipt, out.people, out.receipt)))
    protect_people(files, settings)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings)
