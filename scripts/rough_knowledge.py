"""Attack a release by what is known only roughly."""

from pathlib import Path

from microleak.attacks.rough_knowledge.measure import TABLES, rough_table
from microleak.attacks.rough_knowledge.section import RoughKnowledge
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = RoughKnowledge.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    table = rough_table(people, analysis, resources)
    write_table(out, table, TABLES["rough_knowledge"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
