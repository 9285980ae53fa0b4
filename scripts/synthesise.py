"""Write a release of a source's synthetic twin."""

from pathlib import Path

from microleak.run.job import job
from microleak.sources.twin import twin_of

if __name__ == "__main__":
    with job(snakemake) as settings:
        twin_of(settings["source"]).write(
            Path(snakemake.output[0]),
            snakemake.wildcards.release,
            settings["size"],
            settings["seed"],
        )
