"""Which states stand side by side, and what of each is shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd

from microleak.tables import rows as tables

Family = Mapping[str, pd.DataFrame]
"""One kind of tables, by the name of the analysis."""


class Families(NamedTuple):
    """Tables of each analysis; `importance` and `groups` may lack any."""

    collective: Family
    importance: Family
    groups: Family


@dataclass(frozen=True)
class SideBySide:
    """The states of one analysis and one sensitive attribute.

    Attributes
    ----------
    analysis, table, sensitive
        Names in the study file.
    year
        The newest with two or more states.
    rows
        Rows of `measures/states.csv` of that year.
    years
        The same of all years up to that one.
    explained
        Rows of `measures/explained.csv` of that year.
    parts
        The analysis of each release that is shown, by its name.
    attacks
        Collective measures of each state in that year, by its letters.
    importance
        What each attribute brings, likewise; a state without all subsets has none.
    groups
        Groups of values, likewise; a state without any has none.
    """

    analysis: str
    table: str
    sensitive: str
    year: str
    rows: pd.DataFrame
    years: pd.DataFrame
    explained: pd.DataFrame
    parts: Mapping[str, str]
    attacks: Mapping[str, pd.DataFrame]
    importance: Mapping[str, pd.DataFrame]
    groups: Mapping[str, pd.DataFrame]

    @property
    def has_years(self) -> bool:
        """Whether any state has two years or more."""
        return bool((self.years.groupby("state")["year"].nunique() > 1).any())

    @property
    def releases(self) -> frozenset[tuple[str, str]]:
        """Tables and releases that are shown."""
        return frozenset((self.table, name) for name in self.years["release"].unique())


def tables_side_by_side(states: pd.DataFrame) -> frozenset[str]:
    """Return the tables of which some analysis has two or more states in a year."""
    if states.empty:
        return frozenset()
    several = [analysis for analysis, *_ in _newest_years(states)]
    return frozenset(states["table"][states["analysis"].isin(several)])


def side_by_side(
    states: pd.DataFrame, explained: pd.DataFrame, families: Families
) -> Iterator[SideBySide]:
    """Yield the states of each analysis and sensitive attribute with two in a year.

    Parameters
    ----------
    states, explained
        The tables of the study; may be empty.
    families
        Tables of each analysis, of which the focal release alone is taken.
    """
    for analysis, sensitive, year in _newest_years(states):
        every = _of(states, analysis=analysis, sensitive=sensitive)
        years = every[every["year"] <= year]
        rows = years[years["year"] == year]
        parts = {
            release: _part(families.collective, analysis, release)
            for release in years["release"].unique()
        }
        names = dict(zip(rows["state"], rows["release"].map(parts), strict=True))
        which = {"analysis": analysis, "sensitive": sensitive, "year": year}
        yield SideBySide(
            **which,
            table=rows["table"].iloc[0],
            rows=rows,
            years=years,
            explained=_of(explained, **which),
            parts=parts,
            attacks=_alone(families.collective, names, sensitive=sensitive),
            importance=_alone(families.importance, names, sensitive=sensitive),
            groups=_alone(families.groups, names),
        )


def _newest_years(states: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return analysis, sensitive attribute and newest year of those with two states."""
    if states.empty:
        return []
    keys = ["analysis", "sensitive", "year"]
    several = states.groupby(keys, sort=False)["state"].nunique() > 1
    found = several[several].index.to_frame(index=False)
    newest = found.groupby(keys[:2], sort=False)["year"].max()
    return [(name, sensitive, year) for (name, sensitive), year in newest.items()]


def _part(collective: Family, analysis: str, release: str) -> str:
    """Name the analysis of a release that is compared under a name.

    It is a part of one of many releases, or one that stands alone: the first that
    makes the same attacks as the one which gave the name.
    """
    if analysis not in collective:
        return f"{analysis}-{release}"
    attacks = _attacks(collective[analysis])
    return next(
        name
        for name, rows in collective.items()
        if rows["focal"].iloc[0] == release and _attacks(rows) == attacks
    )


def _attacks(collective: pd.DataFrame) -> tuple[object, ...]:
    """Return the table, subsets and sensitive attributes of an analysis."""
    names = ("table", "qids", "sensitive")
    rows = tables.with_text(collective[[*names]])
    return tuple(tuple(rows[name].unique()) for name in names)


def _alone(
    family: Family, names: Mapping[str, str], **which: str
) -> dict[str, pd.DataFrame]:
    """Return by state the rows of its analysis with the focal release alone."""
    found = {}
    for state, name in names.items():
        rows = family.get(name)
        if rows is None or rows.empty:
            continue
        rows = _of(tables.with_text(rows), auxiliary="", **which)
        if len(rows):
            found[state] = rows
    return found


def _of(rows: pd.DataFrame, **which: str) -> pd.DataFrame:
    """Return the rows with these values."""
    for name, value in which.items():
        rows = rows[rows[name] == value]
    return rows
