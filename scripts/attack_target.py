"""Attack one target."""

from pathlib import Path

from microleak.attacks.targets.attack import attack_target
from microleak.run.job import job
from microleak.study.load import load_study
from microleak.tables.files import write_csv


def main(given, name, out):
    target = load_study(Path(given.study)).analyses["targets"][name]
    tables = attack_target(list(map(Path, given.releases)), target)
    write_csv(Path(out.target), tables.target)
    write_csv(Path(out.further), tables.further)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.wildcards.target, snakemake.output)
