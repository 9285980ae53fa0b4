"""Profile how many entities share a block, for every QID subset."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.entity_profiling import profile_entities
from microleak.study.job import job
from microleak.study.samples import Anonymity


def main(table, out, profile):
    analysis = Anonymity.of(profile.params.analysis)
    resources = Resources(profile.threads, profile.resources.mem_mib, out.parent)
    profile_entities(table, analysis, profile.params.is_synthetic, resources, out)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(Path(snakemake.input[0]), Path(snakemake.output[0]), snakemake)
