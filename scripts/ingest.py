"""Read a release into a checked table."""

from pathlib import Path

from microleak.run.job import job
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest


def main(arrived, out, release, settings):
    definition = source_definition(settings["source"], release, settings["options"])
    # Of a directory that was fetched, this is the list of its files.
    archive = arrived.parent if arrived.name == "complete.txt" else arrived
    wanted = ReadRelease(
        archive,
        tuple(settings["attributes"]),
        settings["sha256"],
        settings["n_rows"],
        settings["max_refused"],
        settings["is_synthetic"],
    )
    ingest(wanted, definition, Path(out.table), Path(out.receipt))


if __name__ == "__main__":
    with job(snakemake) as settings:
        archive, release = Path(snakemake.input.archive), snakemake.wildcards.release
        main(archive, snakemake.output, release, settings)
