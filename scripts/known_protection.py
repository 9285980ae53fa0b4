"""Attack a protected release with knowledge of how it was protected."""

from pathlib import Path

from microleak.attacks.known_protection.measure import TABLES, known_tables
from microleak.attacks.known_protection.section import KnownProtection
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(inputs, out, settings, given):
    analysis = KnownProtection.model_validate(settings["analysis"])
    folder = Path(out[0]).parent
    resources = Resources(given.threads, given.resources.mem_mib, folder)
    before, after = Path(inputs.before), Path(inputs.after)
    found = known_tables(before, after, analysis, resources)
    for name, table in found.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output, settings, snakemake)
