"""Draw the figures of an analysis."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.pages import draw

if __name__ == "__main__":
    with job(snakemake) as settings:
        study_dir = Path(snakemake.output[0]).parents[1]
        draw(study_dir, snakemake.wildcards.collective, **settings)
