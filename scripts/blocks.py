"""Profile the blocks of every QID subset, sensitive values marked, for anonymity."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.anonymity_profiling import profile_blocks
from microleak.study.job import job
from microleak.study.samples import Anonymity


def main(people, out, profile):
    analysis = Anonymity.of(profile.params.analysis)
    resources = Resources(profile.threads, profile.resources.mem_mib, out.parent)
    profile_blocks(people, analysis, profile.params.is_synthetic, resources, out)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(Path(snakemake.input[0]), Path(snakemake.output[0]), snakemake)
