"""Download a release."""

from pathlib import Path

from microleak.run.job import job, warn
from microleak.sources.fetch.attempts import shown
from microleak.sources.fetch.http import download


def main(path, url, sha256, is_counted):
    found = download(url, path, sha256, is_counted)
    if sha256 is None:
        warn(
            f"{shown(url)} is unverified: the study file gives no sha256. That of what "
            f"came is {found}."
        )


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), **settings)
