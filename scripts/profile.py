"""Profile the blocks of every QID subset of an analysis, or add the parts of it."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.records.profile_file import add_profiles
from microleak.run.job import job


def main(inputs, out, settings, given):
    is_synthetic = settings["is_synthetic"]
    analysis = Collective(**settings["analysis"])
    if inputs.get("parts"):
        parts, subsets = list(map(Path, inputs.parts)), [0, *analysis.subsets]
        n_attributes = len(analysis.sensitive) + len(analysis.groups)
        add_profiles(parts, subsets, n_attributes, is_synthetic, out)
        return
    resources = Resources(given.threads, given.resources.mem_mib, out.parent)
    files = list(map(Path, inputs.releases))
    profile_analysis(files, analysis, is_synthetic, resources, out)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, Path(snakemake.output[0]), settings, snakemake)
