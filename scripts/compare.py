"""Set the releases of each table side by side."""

from pathlib import Path

from microleak.figures.tables import read_measures
from microleak.study.comparison import compare
from microleak.study.job import job
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake) as settings:
        collective = list(map(read_measures, snakemake.input))
        compared = compare(collective, settings["series"])
        write_csv(Path(snakemake.output[0]), compared)
