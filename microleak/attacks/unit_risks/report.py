"""Whose household is found: a part of the page an analysis."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Words
from microleak.figures.svg import VERMILION, analysis_svg, plain_style
from microleak.report import parts
from microleak.report.families import EachAnalysis, main_release
from microleak.tables import rows as tables

_OF_UNITS = (
    *("size", "n_units", "n_units_found", "share_units_found"),
    *("n_found", "n_read"),
)
_MOST_BARS = 8  # On the first screen: the smallest units, and the largest
_OF_VALUES = (
    *("sensitive:attribute", "n_certain", "n_certain_others", "n_rarer"),
    *("n_certain_rarer", "prior_prob", "posterior_prob", "posterior_loo"),
)
_OF_SETS = ("qids:names", "n_units_found", "share_units_found", "n_read")


class UnitsShown(NamedTuple):
    """The tables of one analysis that the page shows."""

    units: pd.DataFrame
    inferred: pd.DataFrame | None

    @property
    def whole(self) -> pd.Series:
        return worst_set(self.units)

    @property
    def by_size(self) -> pd.DataFrame:
        return self.units[self.units["qids"] == self.whole["qids"]]

    @property
    def learnt(self) -> pd.DataFrame:
        """What is learnt with all QIDs, a row each sensitive attribute."""
        if self.inferred is None or self.inferred.empty:
            return pd.DataFrame()
        rows = of_all_sizes(self.inferred)
        return rows[rows["qids"] == self.whole["qids"]]


def of_all_sizes(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[_sizes(rows) == ""]


def worst_set(rows: pd.DataFrame) -> pd.Series:
    """Return the row of the largest sets by which most units are found, the first."""
    largest = of_all_sizes(rows[rows["n_qids"] == rows["n_qids"].max()])
    return largest.loc[largest["n_units_found"].idxmax()]


def _sizes(rows: pd.DataFrame) -> pd.Series:
    return rows["size"].fillna("").astype(str)


def unit_bars(found: UnitsShown, words: Words) -> str:
    """Draw which share of the units of each size is found, as an `<svg>`."""
    rows = found.by_size
    sizes = rows[_sizes(rows) != ""]
    bars = [
        Bar(_size_named(size), share, words.numbers.short(share), VERMILION)
        for size, share in zip(_sizes(sizes), sizes["share_units_found"], strict=True)
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("unit_risks_size"))
        title = words.say("unit_risks_found", found.whole)
        alt = words.say("unit_risks_alt", shares=told(bars))
        kind = ("unit_risks", "units")
        return analysis_svg(figure, kind, found.units, (title, [alt]), words)


def _size_named(size: str) -> str:
    """Write a class of sizes, the last one with a plus.

    >>> _size_named("3"), _size_named("21-")
    ('3', '21+')
    """
    return size.replace("-", "+")


def _measured(found: UnitsShown, place: parts.Place) -> Iterator[str]:
    yield place.say("measured", found.whole)
    yield place.known(tables.all_qids(found.units))


def _sentences(found: UnitsShown, place: parts.Place) -> Iterator[str]:
    row = found.whole
    yield place.say("found" if row["n_units_found"] else "found_none", row)
    if row["n_without"]:
        yield place.say("without", row)
    for _, each in found.learnt.iterrows():
        yield _learnt(each, place)


def _learnt(row: pd.Series, place: parts.Place) -> str:
    return place.say("learnt" if row["n_certain"] else "learnt_none", row)


def _grids(found: UnitsShown, place: parts.Place) -> Iterator[parts.Grid]:
    rows = found.by_size
    rows = rows.assign(size=_sizes(rows).replace("", place.say("all_sizes")))
    yield place.grid(rows, _OF_UNITS, "caption_of_units")
    whole = of_all_sizes(found.units)
    worst = whole.groupby("n_qids", sort=True)["share_units_found"].idxmax()
    yield place.grid(whole.loc[worst], _OF_SETS, "caption_of_sets")
    if len(found.learnt):
        yield place.grid(found.learnt, _OF_VALUES, "caption_of_values")


def _replies(found: UnitsShown, place: parts.Place) -> Iterator[parts.Reply]:
    """Yield whose unit is found, what is learnt, and how sure that is."""
    row, sources = found.whole, place.sources("unit_risks")
    if not row["n_units_found"]:
        return
    rows = found.by_size
    bars = tuple(
        parts.ShareBar(_size_named(size), share, place.voice.numbers.share(share))
        for size, share in zip(_sizes(rows), rows["share_units_found"], strict=True)
        if size
    )
    shown = bars if len(bars) <= _MOST_BARS else (*bars[: _MOST_BARS - 1], bars[-1])
    picture = parts.Bars(place.say("found_title"), shown)
    href = f"#{place.anchor}"
    yield parts.Reply("find", place.say("reply", row), href, sources, picture)
    if len(found.learnt):
        own = found.learnt["n_certain"] - found.learnt["n_certain_others"]
        most = found.learnt.loc[own.idxmax()]
        sources = place.sources("unit_inferences")
        yield parts.Reply("learn", _learnt(most, place), href, sources)
    limits = (parts.limits_link(place.voice),)
    yield parts.Reply("sure", place.say("sure"), href, limits)


SHOWN = EachAnalysis(
    "unit_risks",
    tables=("unit_risks", "unit_inferences"),
    found=UnitsShown,
    heading=lambda found, place: place.say("heading", found.whole),
    measured=_measured,
    drawings=lambda _: {"units": unit_bars},
    releases=lambda found: main_release(found.units),
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("unit", "others"),
    replies=_replies,
)
