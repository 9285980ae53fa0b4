"""Say what each further release adds to an analysis that links several."""

from pathlib import Path

from microleak.figures.tables import read_measures
from microleak.study.gain import gains
from microleak.study.job import job
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake):
        collective = read_measures(snakemake.input[0])
        write_csv(Path(snakemake.output[0]), gains(collective))
