"""Download a release."""

from pathlib import Path

from microleak.sources.fetch import download
from microleak.study.job import job

if __name__ == "__main__":
    with job(snakemake) as settings:
        download(settings["url"], Path(snakemake.output[0]), settings["sha256"])
