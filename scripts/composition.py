"""Measure what several noisy counts leak together."""

from pathlib import Path

from microleak.attacks.composition.measure import TABLES, composition_table
from microleak.attacks.composition.section import Composition
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = Composition.model_validate(settings["analysis"])
    resources = Resources(1, given.resources.mem_mib, out.parent)
    table = composition_table(people, analysis, resources)
    write_table(out, table, TABLES["composition"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
