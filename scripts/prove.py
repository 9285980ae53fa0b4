"""Prove that a public report tells of no few persons, or set it aside."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.load import load_study
from microleak.study.proof import prove_study

if __name__ == "__main__":
    with job(snakemake):
        study = load_study(Path(snakemake.input.study))
        prove_study(study, Path(snakemake.output[0]).parent.parent)
