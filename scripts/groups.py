"""Measure what an adversary infers of groups of values."""

from pathlib import Path

from microleak.study.groups import group_table
from microleak.study.job import job
from microleak.study.model import Collective
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake) as settings:
        profiles = list(map(Path, snakemake.input))
        analysis = Collective.of(settings["analysis"])
        write_csv(Path(snakemake.output[0]), group_table(profiles, analysis))
