"""Profile the blocks of every QID subset of an analysis."""

from pathlib import Path

from microleak.study.job import job
from microleak.study.model import Collective
from microleak.study.profiling import profile_analysis

if __name__ == "__main__":
    with job(snakemake.log[0]):
        profile_analysis(
            Path(snakemake.input.people),
            Collective(**snakemake.params.analysis),
            snakemake.params.is_synthetic,
            snakemake.threads,
            Path(snakemake.output[0]),
        )
