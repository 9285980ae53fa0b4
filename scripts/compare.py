"""Set the releases of each table side by side."""

from pathlib import Path

from microleak.attacks.collective.comparison import compare
from microleak.run.job import job
from microleak.tables.files import write_csv
from microleak.tables.rows import read_measures

if __name__ == "__main__":
    with job(snakemake) as settings:
        collective = list(map(read_measures, snakemake.input))
        compared = compare(collective, settings["series"])
        write_csv(Path(snakemake.output[0]), compared)
