"""Profile the records of a population and of a sample together."""

from pathlib import Path

from microleak.resources import Resources
from microleak.study.job import job
from microleak.study.overlap_profiling import profile_overlap
from microleak.study.samples import Compared


def main(given, out, profile):
    compared = Compared.of(profile.params.analysis)
    resources = Resources(profile.threads, profile.resources.mem_mib, out.parent)
    both = Path(given.population), Path(given.sample)
    profile_overlap(*both, compared, profile.params.is_synthetic, resources, out)


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(snakemake.input, Path(snakemake.output[0]), snakemake)
