"""Say how evenly the attributes of an analysis divide its records."""

from pathlib import Path

from microleak.study.entropy import entropies
from microleak.study.job import job
from microleak.study.model import Collective
from microleak.study.tables import write_csv

if __name__ == "__main__":
    with job(snakemake) as settings:
        files = map(Path, (snakemake.input.profiles, snakemake.input.people))
        analysis = Collective.of(settings["analysis"])
        write_csv(Path(snakemake.output[0]), entropies(*files, analysis))
