"""Draw the figures of an analysis."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.load import load_study
from microleak.study.pages import draw

if __name__ == "__main__":
    with job(snakemake):
        draw(
            load_study(Path(snakemake.params.study)),
            Path(snakemake.output[0]).parents[1],
            snakemake.wildcards.collective,
        )
