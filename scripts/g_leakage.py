"""Measure what the best guess gains by a gain function."""

from pathlib import Path

from microleak.attacks.g_leakage.measure import TABLES, g_leakage_table
from microleak.attacks.g_leakage.section import GuessAnalysis
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.tables.files import write_table


def main(people, out, settings, given):
    analysis = GuessAnalysis.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    table = g_leakage_table(people, analysis, resources)
    write_table(out, table, TABLES["g_leakage"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
