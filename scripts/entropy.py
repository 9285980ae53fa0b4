"""Say how evenly the attributes of an analysis divide its records."""

from pathlib import Path

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import TABLES, entropies
from microleak.run.job import job
from microleak.tables.files import write_table

if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input.profiles, snakemake.input.people))
        analysis = Collective(**settings["analysis"])
        write_table(
            Path(snakemake.output[0]), entropies(*files, analysis), TABLES["entropy"]
        )
