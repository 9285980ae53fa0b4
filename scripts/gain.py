"""Say what each further release adds to an analysis that links several."""

from pathlib import Path

from microleak.attacks.collective.contributions import gains
from microleak.run.job import job
from microleak.tables.files import write_csv
from microleak.tables.rows import read_measures

if __name__ == "__main__":
    with job(snakemake):
        collective = read_measures(snakemake.input[0])
        write_csv(Path(snakemake.output[0]), gains(collective))
