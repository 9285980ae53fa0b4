"""Read a release into a checked table."""

from pathlib import Path

from microleak.sources.definition import source_definition
from microleak.sources.ingest import Release, ingest
from microleak.study.job import job


def main(table, receipt, release, settings):
    definition = source_definition(settings.source, release, settings.options)
    wanted = Release(
        Path(settings.archive),
        tuple(settings.attributes),
        settings.sha256,
        settings.n_rows,
        settings.max_refused,
        settings.is_synthetic,
    )
    ingest(wanted, definition, Path(table), Path(receipt))


if __name__ == "__main__":
    with job(snakemake.log[0]):
        main(
            *snakemake.output,
            snakemake.wildcards.release,
            snakemake.params,
        )
