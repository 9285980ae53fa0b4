"""What a file gives away that somebody else made: a part of the page an analysis."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars, highest_of, told
from microleak.figures.numbers import Words
from microleak.figures.svg import VERMILION, analysis_svg, plain_style
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import Grid, Place
from microleak.tables import rows as tables

_SETS = (
    *("n_qids", "qids:names", "n_alone", "n_singled_out", "n_with_candidate"),
    *("n_one_candidate", "linked"),
)
_GUESSES = (
    *("n_qids", "qids:names", "sensitive:explained", "posterior_prob"),
    *("posterior_loo", "n_claims", "n_claims_right", "n_beyond_others"),
)
_COPIES = ("kind", "n_copied", "n_rare", "n_rare_copied")
_LINKS = ("one:names", "other:names", "n_both_one", "n_meet")
_MOST_ROWS = 10  # Of a grid: the sets that do most


class PublishedShown(NamedTuple):
    """The tables of one analysis."""

    sets: pd.DataFrame
    guesses: pd.DataFrame
    facts: pd.DataFrame
    copies: pd.DataFrame
    links: pd.DataFrame

    @property
    def first(self) -> pd.Series:
        """How many are singled out by some set of all those searched."""
        return self.facts.iloc[-1]


def most_told(guesses: pd.DataFrame) -> pd.DataFrame:
    """Return of each sensitive attribute the set that tells most beyond others."""
    order = ["n_beyond_others", "n_claims_right", "n_qids"]
    ranked = guesses.sort_values(order, ascending=[False, False, True], kind="stable")
    return ranked.drop_duplicates("sensitive").sort_index()


def fact_bars(found: PublishedShown, words: Words) -> str:
    """Draw how many people so many facts single out at most, as an `<svg>`."""
    numbers = words.numbers
    bars = [
        Bar(
            numbers.count(row["n_qids"]),
            row["at_most"],
            numbers.share(row["at_most"]),
            VERMILION,
        )
        for _, row in found.facts.iterrows()
    ]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, highest_of(bars), words.say("published_file_facts"))
        title = words.say("published_file_found", found.first)
        alt = words.say("published_file_alt", shares=told(bars))
        kind = ("published_file", "facts")
        return analysis_svg(figure, kind, found.facts, (title, [alt]), words)


def _heading(found: PublishedShown, place: Place) -> str:
    n = int(found.first["n_at_most"])
    state = "none" if not n else "one" if n == 1 else "some"
    return place.say(f"heading_{state}", found.first)


def _sentences(found: PublishedShown, place: Place) -> Iterator[str]:
    for _, row in most_told(found.guesses).iterrows():
        state = "some" if row["n_beyond_others"] else "none"
        yield place.say(f"learned_{state}", row)
    whole = tables.with_most_qids(found.sets).iloc[0]
    yield place.say("linked", whole)
    for _, row in found.copies[found.copies["kind"] == "exact"].iterrows():
        yield place.say("copied", row)
    if whole["beyond_control"] == whole["beyond_control"]:
        best = found.sets.loc[found.sets["beyond_control"].idxmax()]
        yield place.say("control", best)
    else:
        yield place.say("no_control")


def _grids(found: PublishedShown, place: Place) -> Iterator[Grid]:
    order = ["n_singled_out", "n_one_candidate"]
    sets = found.sets.sort_values(order, ascending=False, kind="stable")
    yield place.grid(sets.head(_MOST_ROWS), _SETS, "caption_of_sets", n_texts=2)
    if len(found.guesses):
        guesses = found.guesses.sort_values(
            ["n_beyond_others", "n_claims_right"], ascending=False, kind="stable"
        )
        shown = guesses.head(_MOST_ROWS)
        yield place.grid(shown, _GUESSES, "caption_of_guesses", n_texts=3)
    kinds = {kind: place.say(f"kind_{kind}") for kind in ("exact", "all_but_one")}
    copies = found.copies.assign(kind=found.copies["kind"].map(kinds))
    yield place.grid(copies, _COPIES, "caption_of_copies", n_texts=1)
    if len(found.links):
        yield place.grid(found.links, _LINKS, "caption_of_links", n_texts=2)


SHOWN = EachAnalysis(
    "published_file",
    tables=(
        *("published_file", "published_guesses", "published_facts"),
        *("published_copies", "published_links"),
    ),
    found=PublishedShown,
    heading=_heading,
    measured=lambda found, place: (
        place.say("measured", tables.with_most_qids(found.sets).iloc[0]),
        place.known(tables.all_qids(found.sets)),
    ),
    drawings=lambda _: {"facts": fact_bars},
    releases=lambda found: main_release(found.sets),
    sentences=_sentences,
    grids=_grids,
    words=lambda found: (
        *("singled_out", "candidate", "others"),
        *["control"] * bool(found.sets["n_control"].notna().any()),
    ),
)
