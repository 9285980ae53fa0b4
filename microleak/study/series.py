"""Which state and year releases are of, and which of them follow one another."""

from collections.abc import Iterator
from operator import itemgetter

from microleak.sources.definition import source_definition
from microleak.study.model import Collective, Study

StateAnalysis = tuple[str, str, str, str, str, str]
"""An analysis, as part of which one it is compared, and what it attacks: the table
and the release, and the state and the year that this is of."""


def series(study: Study) -> dict[str, list[list[str]]]:
    """Return the successive releases of each table.

    Those of one state by year, states in the study file's order; where the source
    has no states, all releases in that order.
    """
    found: dict[str, dict[str | None, list[tuple[str, str]]]] = {}
    for table, release, state, year in _places(study):
        by_state = found.setdefault(table, {})
        by_state.setdefault(state, []).append(("" if state is None else year, release))
    return {
        table: [_by_year(releases) for releases in by_state.values()]
        for table, by_state in found.items()
    }


def _by_year(releases: list[tuple[str, str]]) -> list[str]:
    return [release for _, release in sorted(releases, key=itemgetter(0))]


def state_analyses(study: Study) -> list[StateAnalysis]:
    """Return the analyses that attack a release of a state, in the releases' order.

    Compared are the parts of one analysis of many releases, under its name. Those
    that stand alone are compared if they have the same table, QIDs, subsets and
    sensitive attributes, each in the same order, under the name of the first.
    """
    compared_as = _compared_as(study)
    return [
        (analysis.name, compared_as[analysis.name], table, release, state, year)
        for table, release, state, year in _places(study)
        if state is not None
        for analysis in study.collective.values()
        if (analysis.table, analysis.focal) == (table, release)
    ]


def _compared_as(study: Study) -> dict[str, str]:
    """Return under which name each analysis is compared."""
    first: dict[object, str] = {}
    return {
        name: analysis.part_of or first.setdefault(_attack(analysis), name)
        for name, analysis in study.collective.items()
    }


def _attack(analysis: Collective) -> object:
    """Return what analyses that stand alone must have in common to be compared."""
    return analysis.table, analysis.qids, analysis.subsets, analysis.sensitive


def _places(study: Study) -> Iterator[tuple[str, str, str | None, str]]:
    """Yield every table, release, state and year, in the study file's order."""
    for table in study.tables.values():
        for release in table.releases:
            definition = source_definition(table.source, release, table.options)
            yield table.name, release, definition.state, definition.year
