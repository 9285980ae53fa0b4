"""Pool the records of several releases."""

from pathlib import Path

from microleak.run.job import job
from microleak.sources.steps.pool import pool_people


def main(given, out, settings):
    people = dict(zip(settings["releases"], map(Path, given.people), strict=True))
    names = settings["attributes"]
    receipt = Path(out.receipt)
    pool_people(people, names, settings["attribute"], Path(out.people), receipt)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings)
