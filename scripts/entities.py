"""Profile how many entities share a block, for every QID subset."""

from pathlib import Path

from microleak.attacks.anonymity.entities import profile_entities
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.machine import Resources
from microleak.run.job import job


def main(table, out, settings, given):
    analysis = Anonymity.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    profile_entities(table, analysis, settings["is_synthetic"], resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
