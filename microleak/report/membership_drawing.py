"""Which figures a membership analysis has, and where they are written."""

from collections.abc import Callable, Collection, Iterator, Sequence

import pandas as pd

from microleak.figures import tables
from microleak.figures.membership import presence_by_size
from microleak.figures.membership_persons import presence_bars
from microleak.figures.membership_rows import Membership, membership
from microleak.figures.membership_uniques import unique_bars
from microleak.figures.words import Words
from microleak.report.parts import Rows
from microleak.report.texts import voice

KINDS: dict[str, Callable[[Membership, Words], str]] = {
    "chance": presence_by_size,
    "persons": presence_bars,
    "uniques": unique_bars,
}
"""Figures of an analysis, in the order of the page."""


def membership_path(analysis: str, kind: str, language: str) -> str:
    """Path of a figure, in the report's folder.

    Examples
    --------
    >>> membership_path("pense", "chance", "pt")
    'membership-pense-chance.pt.svg'
    """
    return f"membership-{analysis}-{kind}.{language}.svg"


def memberships(families: Rows) -> Iterator[tuple[str, Membership]]:
    """Yield the tables of each membership analysis, with its name."""
    for name, measures in families.get("membership", {}).items():
        presence, uniques = (families[kind][name] for kind in ("presence", "uniques"))
        yield name, membership(measures, presence, uniques)


def draw_membership(
    families: Rows, languages: Sequence[str], synthetic: Collection[tuple[str, str]]
) -> Iterator[tuple[str, str]]:
    """Yield the figures of membership analyses, as their paths and SVG texts.

    Parameters
    ----------
    families
        Tables by family, for a public report the published ones.
    languages
        Languages to draw in: `pt`, `en`.
    synthetic
        Tables and releases that a twin made.
    """
    for name, shown in memberships(families):
        is_synthetic = not _releases(shown.measures.iloc[0]).isdisjoint(synthetic)
        for language in languages:
            voiced = voice(language, tables.is_published(shown.measures))
            words = voiced.words(is_synthetic)
            for kind, drawn in KINDS.items():
                yield membership_path(name, kind, language), drawn(shown, words)


def _releases(row: pd.Series) -> set[tuple[str, str]]:
    """Return the tables and releases that an analysis compares."""
    return {(row[table], row[f"{table}_release"]) for table in ("population", "sample")}
