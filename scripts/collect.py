"""Fetch the files of a release from a directory of an FTP server."""

from pathlib import Path

from microleak.sources.collect import collect
from microleak.sources.definition import source_definition
from microleak.study.job import job


def main(complete, release, settings):
    definition = source_definition(settings["source"], release, settings["options"])
    collect(settings["url"], complete.parent, definition, complete)


if __name__ == "__main__":
    with job(snakemake) as settings:
        main(Path(snakemake.output[0]), snakemake.wildcards.release, settings)
