"""Search the smallest protection of a release."""

from pathlib import Path

from microleak.attacks.smallest_protection.measure import TABLES, protection_tables
from microleak.attacks.smallest_protection.section import Search
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = Search.model_validate(settings["analysis"])
    folder = Path(out[0]).parent
    resources = Resources(given.threads, given.resources.mem_mib, folder)
    found = protection_tables(Path(people), analysis, resources)
    for name, table in found.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input[0], snakemake.output, settings, snakemake)
