"""Count whose household or other unit is found, and what is learnt there."""

from pathlib import Path

from microleak.attacks.unit_risks.measure import TABLES, measured
from microleak.attacks.unit_risks.section import UnitRisks
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = UnitRisks.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, Path(out[0]).parent)
    for name, table in measured(people, analysis, resources).items():
        write_table(Path(getattr(out, name)), table, TABLES[name])


if __name__ == "__main__":
    with job(snakemake) as settings:
        people = Path(snakemake.input[0])
        main(people, snakemake.output, settings, snakemake)
