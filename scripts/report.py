"""Write the report page."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.pages import write_page

if __name__ == "__main__":
    with job(snakemake):
        figures = map(Path, snakemake.input.get("figures", ()))
        write_page(Path(snakemake.output[0]).parent, figures)
