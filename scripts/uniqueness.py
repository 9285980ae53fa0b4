"""Estimate uniqueness in a population of which there is no table."""

from pathlib import Path

from microleak.attacks.anonymity.measure import TABLES
from microleak.attacks.anonymity.section import Anonymity
from microleak.attacks.anonymity.uniqueness import uniqueness
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, analysis, given):
    analysis = Anonymity.model_validate(analysis)
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    table = uniqueness(people, analysis, resources)
    write_table(out, table, TABLES["uniqueness"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        people, out = Path(snakemake.input.people), Path(snakemake.output[0])
        main(people, out, settings["analysis"], snakemake)
