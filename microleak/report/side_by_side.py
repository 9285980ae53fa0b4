"""Which states stand side by side, and what of each is shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import pandas as pd

from microleak.figures import tables


@dataclass(frozen=True)
class SideBySide:
    """The states of one table and one sensitive attribute.

    Attributes
    ----------
    table, sensitive
        Names in the study file.
    year
        The newest with two or more states.
    rows
        Rows of `measures/states.csv` of that year.
    years
        The same of all years up to that one.
    explained
        Rows of `measures/explained.csv` of that year.
    attacks
        Collective measures of each state in that year, by its letters.
    importance
        What each attribute brings, likewise; a state without all subsets has none.
    """

    table: str
    sensitive: str
    year: str
    rows: pd.DataFrame
    years: pd.DataFrame
    explained: pd.DataFrame
    attacks: Mapping[str, pd.DataFrame]
    importance: Mapping[str, pd.DataFrame]

    @property
    def has_years(self) -> bool:
        """Whether any state has two years or more."""
        return bool((self.years.groupby("state")["year"].nunique() > 1).any())

    @property
    def releases(self) -> frozenset[tuple[str, str]]:
        """Tables and releases that are shown."""
        return frozenset((self.table, name) for name in self.years["release"].unique())


def tables_side_by_side(states: pd.DataFrame) -> frozenset[str]:
    """Return the tables of which some year has two or more states."""
    return frozenset(table for table, _, _ in _newest_years(states))


def side_by_side(
    states: pd.DataFrame,
    explained: pd.DataFrame,
    collective: Mapping[str, pd.DataFrame],
    importance: Mapping[str, pd.DataFrame],
) -> Iterator[SideBySide]:
    """Yield the states of each table and sensitive attribute with two in a year.

    Parameters
    ----------
    states, explained
        The tables of the study; may be empty.
    collective, importance
        Tables of each analysis. Of several that infer the attribute on one release
        the first is taken, and of it the focal release alone.
    """
    for table, sensitive, year in _newest_years(states):
        every = _of(states, table=table, sensitive=sensitive)
        rows = every[every["year"] == year]
        releases = rows.drop_duplicates("release").set_index("state")["release"]
        attacks, brought = {}, {}
        for state, release in releases.items():
            which = {"table": table, "focal": release, "sensitive": sensitive}
            name = _analysis(collective, which)
            attacks[state] = _single(collective[name], sensitive)
            if len(found := _single(importance.get(name), sensitive)):
                brought[state] = found
        yield SideBySide(
            table=table,
            sensitive=sensitive,
            year=year,
            rows=rows,
            years=every[every["year"] <= year],
            explained=_of(explained, table=table, sensitive=sensitive, year=year),
            attacks=attacks,
            importance=brought,
        )


def _newest_years(states: pd.DataFrame) -> list[tuple[str, str, str]]:
    """Return table, sensitive attribute and newest year of those with two states."""
    if states.empty:
        return []
    keys = ["table", "sensitive", "year"]
    several = states.groupby(keys, sort=False)["state"].nunique() > 1
    found = several[several].index.to_frame(index=False)
    newest = found.groupby(keys[:2], sort=False)["year"].max()
    return [(table, sensitive, year) for (table, sensitive), year in newest.items()]


def _analysis(collective: Mapping[str, pd.DataFrame], which: dict[str, str]) -> str:
    """Name the first analysis that makes an attack."""
    return next(
        name for name, rows in collective.items() if len(_of(rows, **which)) > 0
    )


def _single(rows: pd.DataFrame | None, sensitive: str) -> pd.DataFrame:
    """Return the attacks on a focal release alone; none without rows."""
    if rows is None or rows.empty:
        return pd.DataFrame()
    return _of(tables.with_text(rows), sensitive=sensitive, auxiliary="")


def _of(rows: pd.DataFrame, **which: str) -> pd.DataFrame:
    """Return the rows with these values."""
    for name, value in which.items():
        rows = rows[rows[name] == value]
    return rows
