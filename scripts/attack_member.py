"""Attack one target of a membership analysis."""

from pathlib import Path

from microleak.attacks.membership.member import attack_member
from microleak.run.job import job
from microleak.study.load import load_study
from microleak.tables.files import write_csv


def main(given, name, out):
    (analysis,) = (
        each
        for each in load_study(Path(given.study)).analyses["membership"].values()
        if name in each.member_files
    )
    files = Path(given.population), Path(given.sample)
    table = attack_member(*files, analysis, analysis.member_files[name])
    write_csv(Path(out), table)


if __name__ == "__main__":
    with job(snakemake):
        main(snakemake.input, snakemake.wildcards.member, snakemake.output[0])
