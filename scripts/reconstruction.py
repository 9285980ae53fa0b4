"""Rebuild databases from noisy counts of their subsets."""

from pathlib import Path

from microleak.attacks.reconstruction.measure import TABLES, reconstruction_tables
from microleak.attacks.reconstruction.section import Reconstruction
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, memory_mib):
    analysis = Reconstruction.model_validate(settings["analysis"])
    file = Path(people[0]) if people else None
    tables = reconstruction_tables(analysis, file, settings["seed"], memory_mib)
    for name, table in tables.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        memory_mib = snakemake.resources.mem_mib
        main(snakemake.input.people, snakemake.output, settings, memory_mib)
