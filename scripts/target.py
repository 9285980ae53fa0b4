"""Attack one target."""

from pathlib import Path

from microleak.attacks.targets.measure import TABLES, attack_target
from microleak.attacks.targets.section import Target, known_by_release
from microleak.run.job import job
from microleak.study_file.yaml import read_yaml
from microleak.tables.files import write_table


def main(given, analysis, out):
    sections = read_yaml(Path(given.study))["analyses"]["targets"]
    known = next(s["known"] for s in sections if s["name"] == analysis["name"])
    target = Target(known=known_by_release(known, analysis["focal"]), **analysis)
    tables = attack_target(list(map(Path, given.releases)), target)
    for kind, table in tables.items():
        write_table(Path(getattr(out, kind)), table, TABLES[kind])


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(snakemake.input, settings["analysis"], snakemake.output)
