"""Compare tables of counts made of releases and of their protected ones."""

from pathlib import Path

from microleak.protection.tabulations import tabulation_rows
from microleak.run.job import job
from microleak.tables.files import write_table
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

SPEC = tables_of("microleak.study")["tabulations"]


def main(out, settings):
    rows = tabulation_rows(out.parents[1] / "people", settings)
    write_table(out, as_table(SPEC, rows), SPEC)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), settings)
