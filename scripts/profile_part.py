"""Profile a part of the blocks of every QID subset of an analysis."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.run.job import job


def main(releases, out, settings, given):
    analysis = Collective(**settings["analysis"])
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    files, part = list(map(Path, releases)), settings["part"]
    is_synthetic = settings["is_synthetic"]
    profile_analysis(files, analysis, is_synthetic, resources, out, part)


if __name__ == "__main__":
    with job(snakemake) as settings:
        out = Path(snakemake.output[0])
        main(snakemake.input.releases, out, settings, snakemake)
