"""Profile the blocks of every QID subset of an analysis."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.job import job
from microleak.study.model import Collective
from microleak.study.profiling import profile_analysis


def main(people, out, profile):
    analysis = Collective(**profile.params.analysis)
    resources = Resources(profile.threads, profile.resources.mem_mib, Path(out).parent)
    is_synthetic = profile.params.is_synthetic
    profile_analysis(Path(people), analysis, is_synthetic, resources, Path(out))


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(*snakemake.input, *snakemake.output, snakemake)
