"""Attack one target of a membership analysis."""

from pathlib import Path

from microleak.study.config import load_study
from microleak.study.job import job
from microleak.study.member import attack_member
from microleak.study.tables import write_csv


def main(given, name, out):
    analysis, target = load_study(Path(given.study)).members[name]
    table = attack_member(Path(given.population), Path(given.sample), analysis, target)
    write_csv(Path(out), table)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.wildcards.member, snakemake.output[0])
