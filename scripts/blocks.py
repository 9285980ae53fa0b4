"""Profile the blocks of every QID subset, sensitive values marked, for anonymity."""

from pathlib import Path

from microleak.attacks.anonymity.blocks import profile_blocks
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.machine import Resources
from microleak.run.job import job


def main(people, out, settings, given):
    analysis = Anonymity.model_validate(settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    profile_blocks(people, analysis, settings["is_synthetic"], resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input[0], snakemake.output[0]))
        main(*files, settings, snakemake)
