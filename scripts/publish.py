"""Publish the tables of a study, as its audience may see them."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.load import load_study
from microleak.study.publish import publish_study

if __name__ == "__main__":
    with job(snakemake):
        study = load_study(Path(snakemake.input.study))
        publish_study(study, Path(snakemake.output[0]).parent)
