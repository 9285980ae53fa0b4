"""Write a release of a source's synthetic twin."""

from pathlib import Path

from microleak.run.job import job
from microleak.sources.steps.synthesise import synthesise

if __name__ == "__main__":
    with job(snakemake) as settings:
        synthesise(
            Path(snakemake.output[0]),
            settings["source"],
            snakemake.wildcards.release,
            settings["size"],
            settings["seed"],
        )
