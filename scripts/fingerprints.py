"""Measure how many classes are recognised in a sample."""

from pathlib import Path

from microleak.attacks.membership.fingerprints import fingerprints
from microleak.attacks.membership.measure import TABLES
from microleak.attacks.membership.section import Membership
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(out, settings, given):
    analysis = Membership.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    both = Path(given.input.population), Path(given.input.sample)
    table = fingerprints(*both, analysis, resources)
    write_table(out, table, TABLES["fingerprints"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), settings, snakemake)
