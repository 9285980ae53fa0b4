"""Profile the records of a population and of a sample together."""

from pathlib import Path

from microleak.base.machine import Resources
from microleak.records.compared import Compared
from microleak.records.overlap_profile import profile_overlap
from microleak.run.job import job


def main(both, out, settings, given):
    compared = Compared(**settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    profile_overlap(*both, compared, settings["is_synthetic"], resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        both = map(Path, (snakemake.input.population, snakemake.input.sample))
        main(both, Path(snakemake.output[0]), settings, snakemake)
