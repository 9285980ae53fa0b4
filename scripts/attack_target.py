"""Attack one target."""

from pathlib import Path

from microleak.attacks.targets.attack import TABLES, attack_target
from microleak.run.job import job
from microleak.study.load import load_study
from microleak.tables.files import write_table


def main(given, name, out):
    target = load_study(Path(given.study)).analyses["targets"][name]
    tables = attack_target(list(map(Path, given.releases)), target)
    for kind, table in vars(tables).items():
        write_table(Path(getattr(out, kind)), table, TABLES[kind])


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.wildcards.targets, snakemake.output)
