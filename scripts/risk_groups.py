"""Measure who is at risk, by groups of the persons."""

from pathlib import Path

from microleak.attacks.risk_groups.measure import TABLES, risk_table
from microleak.attacks.risk_groups.section import RiskGroups
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = RiskGroups.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    table = risk_table(people, analysis, resources)
    write_table(out, table, TABLES["risk_groups"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
