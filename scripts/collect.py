"""Fetch the files of a release from a directory of an FTP server."""

from pathlib import Path

from microleak.run.job import job, warn
from microleak.sources.definitions.definition import source_definition
from microleak.sources.fetch.attempts import shown
from microleak.sources.fetch.collect import collect


def main(complete, release, settings):
    definition = source_definition(settings["source"], release, settings["options"])
    url = settings["url"]
    if n_new := collect(url, complete.parent, definition, complete):
        warn(
            f"{n_new} files of {shown(url)} are unverified, as they came for the first "
            f"time. Their SHA-256 are in {complete}."
        )


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), snakemake.wildcards.release, settings)
