"""Attack one target."""

from pathlib import Path

from microleak.study.config import load_study
from microleak.study.job import job
from microleak.study.tables import write_csv
from microleak.study.target import attack_target


def main(given, name, out):
    target = load_study(Path(given.study)).targets[name]
    tables = attack_target(list(map(Path, given.releases)), target)
    write_csv(Path(out.target), tables.target)
    write_csv(Path(out.further), tables.further)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.wildcards.target, snakemake.output)
