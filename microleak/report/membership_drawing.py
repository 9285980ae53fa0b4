"""Which figures a membership analysis has, and how they are drawn."""

from collections.abc import Callable, Collection, Iterator
from functools import partial

import pandas as pd

from microleak.figures import tables
from microleak.figures.membership import presence_by_size
from microleak.figures.membership_persons import presence_bars
from microleak.figures.membership_rows import Membership, membership
from microleak.figures.membership_uniques import unique_bars
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.undrawn import Undrawn

KINDS: dict[str, Callable[[Membership, Words], str]] = {
    "chance": presence_by_size,
    "persons": presence_bars,
    "uniques": unique_bars,
}
"""Figures of an analysis, in the order of the page."""


def memberships(families: Rows) -> Iterator[tuple[str, Membership]]:
    """Yield the tables of each membership analysis, with its name."""
    for name, measures in families.get("membership", {}).items():
        presence, uniques = (families[kind][name] for kind in ("presence", "uniques"))
        yield name, membership(measures, presence, uniques)


def membership_figures(
    name: str, shown: Membership, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figures of one membership analysis.

    They are of two releases, of which a twin may have made either.
    """
    is_synthetic = not _releases(shown.measures.iloc[0]).isdisjoint(synthetic)
    is_published = tables.is_published(shown.measures)
    for kind, draw in KINDS.items():
        names = "membership", name, kind
        yield Undrawn(names, partial(draw, shown), is_published, is_synthetic)


def _releases(row: pd.Series) -> set[tuple[str, str]]:
    """Return the tables and releases that an analysis compares."""
    return {(row[table], row[f"{table}_release"]) for table in ("population", "sample")}
