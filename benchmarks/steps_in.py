"""The product's steps from a raw release to one record a person, each one call."""

import json
from pathlib import Path

from benchmarks.scale import PEOPLE_MIB, RELEASE, SEED, SOURCE
from microleak.resources import Resources
from microleak.sources.deduplicate import Choice, deduplicate
from microleak.sources.definition import source_definition
from microleak.sources.ingest import Release, ingest
from microleak.study.synthesis import synthesise


def make_archive(archive: str, schools: int) -> None:
    """Write the twin's raw release, a zip of CSV files."""
    synthesise(Path(archive), SOURCE, RELEASE, schools, SEED)


def make_table(archive: str, table: str, attributes: list[str]) -> None:
    """Read the zipped release into a checked table of the attributes needed."""
    ingest(
        Release(Path(archive), tuple(attributes), is_synthetic=True),
        source_definition(SOURCE, RELEASE, {}),
        Path(table),
        Path(table).with_suffix(".json"),
    )


def make_people(table: str, people: str, n_threads: int) -> None:
    """Keep one record a person."""
    ids = json.loads(Path(table).with_suffix(".json").read_text(encoding="utf-8"))
    deduplicate(
        Path(table),
        Path(people),
        Path(people).with_suffix(".json"),
        Choice(ids["person_id"], ids["record_id"], SEED),
        Resources(n_threads, PEOPLE_MIB, Path(people).parent),
    )
