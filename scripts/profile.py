"""Profile the blocks of every QID subset of an analysis."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.job import job
from microleak.study.model import Collective
from microleak.study.profiling import profile_analysis


def main(releases, out, profile):
    analysis = Collective.of(profile.params.analysis)
    resources = Resources(profile.threads, profile.resources.mem_mib, Path(out).parent)
    is_synthetic = profile.params.is_synthetic
    files = list(map(Path, releases))
    profile_analysis(files, analysis, is_synthetic, resources, Path(out))


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(snakemake.input.releases, snakemake.output[0], snakemake)
