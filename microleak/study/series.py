"""Which state and year releases are of, and which of them follow one another."""

from collections.abc import Iterator

from microleak.sources.definition import source_definition
from microleak.study.model import Study

StateRelease = tuple[str, str, str, str]
"""A table, a release of it, and the state and the year that it is of."""


def series(study: Study) -> dict[str, list[list[str]]]:
    """Return the successive releases of each table, in the study file's order.

    Those of one state are successive, or all where the source has no states.
    """
    found: dict[str, dict[str | None, list[str]]] = {name: {} for name in study.tables}
    for table, release, state, _ in _places(study):
        found[table].setdefault(state, []).append(release)
    return {table: list(by_state.values()) for table, by_state in found.items()}


def state_releases(study: Study) -> list[StateRelease]:
    """Return the releases that are of a state, in the study file's order."""
    return [
        (table, release, state, year)
        for table, release, state, year in _places(study)
        if state is not None
    ]


def _places(study: Study) -> Iterator[tuple[str, str, str | None, str]]:
    """Yield every table, release, state and year, in the study file's order."""
    for table in study.tables.values():
        for release in table.releases:
            definition = source_definition(table.source, release, table.options)
            yield table.name, release, definition.state, definition.year
