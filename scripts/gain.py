"""Say what each further release adds to an analysis that links several."""

from pathlib import Path

from microleak.attacks.collective.contributions import TABLES, gains
from microleak.run.job import job
from microleak.tables.files import read_table, write_table

if __name__ == "__main__":
    with job(snakemake):
        collective = read_table(Path(snakemake.input[0]), TABLES["collective"])
        write_table(Path(snakemake.output[0]), gains(collective), TABLES["gain"])
