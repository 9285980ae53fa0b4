"""The product's steps from a raw release to measures, each one call."""

import json
from pathlib import Path
from typing import Any

from benchmarks.scale import PEOPLE_MIB, SEED
from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import TABLES, measure_analysis
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.sources.definitions.definition import source_definition
from microleak.sources.steps.deduplicate import Choice, deduplicate
from microleak.sources.steps.ingest import ReadRelease, ingest
from microleak.tables.files import write_table
from papers.twins import write_outpatient, write_school_census


def make_school_census(raw: str, release: str, twin_size: int) -> None:
    """Write the students of so many schools, a zip of CSV files."""
    write_school_census(Path(raw), int(release), twin_size, SEED)


def make_outpatient(raw: str, release: str, twin_size: int) -> None:
    """Write a state's year with so many valid lines, a folder of dBase tables."""
    state, _, year = release.partition("-")
    write_outpatient(Path(raw), state, int(year), twin_size, SEED)


def make_table(
    raw: str, source: str, release: str, attributes: list[str], table: str
) -> None:
    """Read the raw release into a checked table of the attributes needed."""
    ingest(
        ReadRelease(Path(raw), tuple(attributes), is_synthetic=True),
        source_definition(source, release, {}),
        Path(table),
        Path(table).with_suffix(".json"),
    )


def make_people(table: str, people: str, n_threads: int) -> None:
    """Keep one record a person, or every record where there are no persons."""
    ids = json.loads(Path(table).with_suffix(".json").read_text(encoding="utf-8"))
    deduplicate(
        Path(table),
        Path(people),
        Path(people).with_suffix(".json"),
        Choice(ids["person_id"], ids["record_id"], SEED),
        Resources(n_threads, PEOPLE_MIB, Path(people).parent),
    )


def profile(
    people: str,
    analysis: dict[str, Any],
    n_threads: int,
    memory_mib: int,
    profiles: str,
) -> None:
    """Write the block profiles, full histograms, of all subsets of some QIDs."""
    resources = Resources(n_threads, memory_mib, Path(profiles).parent)
    of = Collective(**analysis)
    profile_analysis([Path(people)], of, True, resources, Path(profiles))


def measure(profiles: str, analysis: dict[str, Any], folder: str) -> None:
    """Write every measure that follows from the profiles."""
    success = Path(folder) / "success.parquet"
    of = Collective(**analysis)
    measures = measure_analysis([Path(profiles)], of, True, success)
    for name, table in vars(measures).items():
        write_table(Path(folder) / f"{name}.csv", table, TABLES[name])
