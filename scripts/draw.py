"""Draw the figures of an analysis."""

from pathlib import Path

from microleak.attacks.collective.report.drawing import draw_analysis
from microleak.run.job import job

if __name__ == "__main__":
    with job(snakemake) as settings:
        folder = Path(snakemake.output[0])
        published = Path(snakemake.input.published)
        draw_analysis(published, folder, **settings)
