"""What is found without an identifier: a part of the page an analysis."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import pandas as pd

from microleak.attacks.linkage.reply import (
    FOUND,
    doubts,
    doubts_of_overlap,
    doubts_of_success,
    found_by,
    replies,
    success_said,
)
from microleak.figures.bars import success_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import Grid, Place, Reply
from microleak.tables import rows as tables

_BARS = dict(zip(FOUND, (GREY, BLUE, VERMILION), strict=True))


class _LinkageTables(NamedTuple):
    """The tables of one analysis."""

    links: pd.DataFrame
    bins: pd.DataFrame
    success: pd.DataFrame

    def doubts(self, place: Place) -> Iterator[str]:
        """Yield why the links or the success with them may not be reliable."""
        links = self.links.iloc[0]
        yield from doubts(links, place)
        yield from doubts_of_overlap(links, self.bins, place)
        yield from doubts_of_success(self.success, place)


def _measured(found: _LinkageTables, place: Place) -> Iterator[str]:
    links, success = found.links.iloc[0], found.success.iloc[0]
    linked = {name: links[name] for name in ("auxiliary", "stable")}
    yield place.say("measured", success, **linked)
    yield place.known(tables.qids_of(success))


def _heading(found: _LinkageTables, place: Place) -> str:
    row = found.links.iloc[0]
    if not row["n_links"]:
        return place.say("heading_nobody")
    if pd.isna(row["precision"]):
        return place.say("heading_likely", share=row["n_links"] / row["n_focal"])
    return place.say("heading", row)


def _sentences(found: _LinkageTables, place: Place) -> Iterator[str]:
    """Yield what was linked, how surely and by which codes, and success."""
    row = found.links.iloc[0]
    yield place.say("links", row)
    yield place.say(f"overlap_{row['transition']}", row)
    yield from found.doubts(place)
    if row["parents"]:
        yield place.say("parents", pairs=_dependent(row, place))
    if row["recoded"]:
        yield place.say("recoded", row)
    for _, each in found.success.iterrows():
        yield success_said("success", each, place)


def _dependent(row: pd.Series, place: Place) -> str:
    """List which attribute depends on which; their names may have `=` in them."""
    drifting = row["drifting"].split("|")
    names = [*row["stable"].split("|"), *drifting]
    single = [(name,) for name in names]
    pairs = {
        f"{each}={'&'.join(of)}": (each, of)
        for each in drifting
        for of in (*single, *combinations(names, 2))
    }
    told = map(pairs.__getitem__, row["parents"].split("|"))
    return place.voice.listing(
        place.say("parent", name=place.voice.attribute(name), parents=parents)
        for name, parents in told
    )


def _grids(found: _LinkageTables, place: Place) -> Iterator[Grid]:
    columns = ("sensitive:subject", *found_by(found.success.iloc[0]))
    yield place.grid(found.success, columns, anchors=(f"{place.anchor}-row",))
    is_known = bool(found.bins["n_right"].notna().any())
    columns = ("from_chance", "n_candidates", "mean_chance")
    columns += ("share_right",) if is_known else ()
    yield place.grid(found.bins, columns, f"caption_bins{'' if is_known else '_none'}")


def _replies(found: _LinkageTables, place: Place) -> Iterator[Reply]:
    links, doubted = found.links.iloc[0], [*found.doubts(place)]
    yield from replies(_heading(found, place), links, found.success, doubted, place)


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw success with one release, with links, and with the identifier if known."""
    return success_bars("linkage", tables.with_text(rows), _BARS, words)


SHOWN = EachAnalysis(
    "linkage",
    tables=("linkage", "linkage_bins", "linked_success"),
    found=_LinkageTables,
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"success": lambda found, words: bars_of(found.success, words)},
    releases=lambda found: main_release(found.success),
    sentences=_sentences,
    others=_grids,
    words=lambda _: ("candidate", "link", "calibrated"),
    replies=_replies,
)
