"""Look for one target of a linkage analysis in both releases."""

from pathlib import Path

from microleak.attacks.linkage.section import Linkage
from microleak.attacks.linkage.target import TABLES, linked_target_table
from microleak.base.machine import Resources
from microleak.run.job import job
from microleak.study_file.yaml import read_yaml
from microleak.tables.files import write_table


def main(inputs, out, settings, given):
    analysis, target = Linkage.model_validate(settings["analysis"]), settings["target"]
    sections = read_yaml(Path(inputs.study))["analyses"]["linkage"]
    known = next(s["targets"] for s in sections if s["name"] == analysis.name)[target]
    resources = Resources(given.threads, given.resources.mem_mib, Path(out).parent)
    both = Path(inputs.focal), Path(inputs.auxiliary)
    table = linked_target_table(both, analysis, target, known, resources)
    write_table(Path(out), table, TABLES["linked_target"])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, snakemake.output[0], settings, snakemake)
