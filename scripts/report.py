"""Write the report page."""

from pathlib import Path

from microleak.run.job import job
from microleak.study.load import load_study
from microleak.study.pages import write_page

if __name__ == "__main__":
    with job(snakemake):
        study = load_study(Path(snakemake.input.study))
        write_page(study, Path(snakemake.output[0]).parent)
