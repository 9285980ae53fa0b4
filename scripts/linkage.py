"""Link the records of two releases without an identifier."""

from pathlib import Path

from microleak.attacks.linkage.measure import TABLES, linkage_tables
from microleak.attacks.linkage.section import Linkage
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(releases, out, settings, given):
    analysis = Linkage.model_validate(settings["analysis"])
    folder = Path(out[0]).parent
    resources = Resources(given.threads, given.resources.mem_mib, folder)
    found = linkage_tables(*map(Path, releases), analysis, resources)
    for name, table in found.items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        inputs = snakemake.input.focal, snakemake.input.auxiliary
        main(inputs, snakemake.output, settings, snakemake)
