"""Set the releases of each table side by side, and protections with their origins."""

from pathlib import Path

from microleak.attacks.collective.states import compare
from microleak.run.job import job
from microleak.tables.files import read_table, write_table
from microleak.tables.spec import tables_of

if __name__ == "__main__":
    with job(snakemake) as settings:
        tables = tables_of("microleak.attacks.collective")
        collective = [
            read_table(Path(file), tables["collective"]) for file in snakemake.input
        ]
        compared = compare(collective, settings["series"], settings["protections"])
        write_table(Path(snakemake.output[0]), compared, tables["comparison"])
