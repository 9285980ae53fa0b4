"""Compare tables of counts made of releases and of their protected ones."""

from pathlib import Path

from microleak.protection.tabulations import tabulation_rows
from microleak.run.job import job
from microleak.study.tables import tables
from microleak.tables.files import write_table


def main(out, settings):
    spec = tables()["tabulations"]
    rows = tabulation_rows(out.parents[1] / "people", settings)
    write_table(out, spec.frame(rows), spec)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), settings)
