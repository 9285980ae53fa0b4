"""Write a release of a source's synthetic twin."""

from pathlib import Path

from microleak.study.job import job
from microleak.study.synthesis import synthesise

if __name__ == "__main__":
    with job(snakemake.log[0]):
        synthesise(
            Path(snakemake.output[0]),
            snakemake.params.source,
            snakemake.wildcards.release,
            snakemake.params.size,
            snakemake.params.seed,
        )
