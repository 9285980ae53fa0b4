"""Measure what a sample gives away to somebody who knows QIDs only roughly."""

from pathlib import Path

from microleak.attacks.membership.measure import TABLES
from microleak.attacks.membership.rough import rough_membership
from microleak.attacks.membership.section import Membership
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(out, settings, given):
    analysis = Membership.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    both = Path(given.input.population), Path(given.input.sample)
    table = rough_membership(*both, analysis, resources)
    write_table(out, table, TABLES["rough_membership"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), settings, snakemake)
