"""Intersect what independent releases leave possible of who is in all of them."""

from pathlib import Path

from microleak.attacks.intersection.measure import TABLES, intersection_table
from microleak.attacks.intersection.section import Intersection
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(releases, out, settings, given):
    analysis = Intersection.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, Path(out).parent)
    table = intersection_table([*map(Path, releases)], analysis, resources)
    write_table(Path(out), table, TABLES["intersection"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        inputs = snakemake.input.releases, snakemake.output[0]
        main(*inputs, settings, snakemake)
