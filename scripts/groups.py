"""Measure what an adversary infers of groups of values."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import TABLES, group_table
from microleak.run.job import job
from microleak.tables.files import write_table

if __name__ == "__main__":
    with job(snakemake) as settings:
        profiles = list(map(Path, snakemake.input))
        analysis = Collective(**settings["analysis"])
        table = group_table(profiles, analysis)
        write_table(Path(snakemake.output[0]), table, TABLES["groups"])
