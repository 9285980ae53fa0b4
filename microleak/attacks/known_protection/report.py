"""What is found by someone who knows a protection: a part of the page an analysis."""

from collections.abc import Collection, Iterator
from functools import partial

import pandas as pd

from microleak.figures.numbers import Words
from microleak.figures.success import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import (
    Grid,
    Names,
    Part,
    Place,
    Sentences,
    TablesByKind,
    grid_of_attacks,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_BARS = {
    "prior_prob": GREY,
    "posterior_prob": BLUE,
    "posterior_prob_before": VERMILION,
}
"""What is drawn, in this order, and in which colour."""

_SHARES = {
    "right_before": "posterior_prob_before",
    "right": "posterior_prob",
    "certain_before": "posterior_det_before",
    "certain": "posterior_det",
    "hold": "claims_that_hold",
}
"""What the table shows, by its headings."""

SuccessAndUndone = tuple[pd.DataFrame, pd.DataFrame]
"""Success of the attacks, and cells that are undone."""


def analyses(families: TablesByKind) -> Iterator[tuple[str, SuccessAndUndone]]:
    """Yield the rows of each analysis, with its name, texts never missing."""
    undone = families.get("undone_cells", {})
    for name, rows in families.get("known_protection", {}).items():
        yield name, (tables.with_text(rows), undone[name])


def figures(
    name: str, both: SuccessAndUndone, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one analysis."""
    rows, _ = both
    names, draw = ("known_protection", name, "success"), partial(bars_of, rows)
    yield Undrawn.of_release(names, draw, rows.iloc[0], synthetic)


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw success without any QID, in the protected release and in that before."""
    shown = tables.with_text(tables.with_most_qids(rows))
    return success_bars("known_protection", shown, _BARS, words)


def part(both: SuccessAndUndone, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    rows, undone = both
    shown = tables.with_most_qids(rows)
    first = shown.iloc[0]
    cells = undone[undone["n_cells"] > 0]
    return place.part(
        heading=_heading(first, voice),
        measured=(
            place.measured(first),
            place.known(tables.qids_of(first)),
        ),
        body=(
            Sentences((*_sentences(shown, voice), *_undone(cells, voice))),
            place.drawing("success", voice.say("known_protection.caption_success")),
            grid_of_attacks("known_protection", rows, _SHARES, voice),
            *([_cells(cells, voice)] if len(cells) else []),
        ),
        downloads=place.downloads("known_protection", "undone_cells"),
    )


def _heading(row: pd.Series, voice: Voice) -> str:
    numbers = voice.numbers
    return voice.say(
        "known_protection.heading",
        release=row["focal"],
        share=numbers.share(row["posterior_prob"]),
        before=numbers.share(row["posterior_prob_before"]),
    )


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield of each attack how much the protection took, and how many claims hold."""
    numbers = voice.numbers
    for _, row in rows.iterrows():
        yield voice.say(
            "known_protection.right",
            attack=voice.subject(row["sensitive"]),
            before=numbers.share(row["posterior_prob_before"]),
            share=numbers.share(row["posterior_prob"]),
            certain_before=numbers.share(row["posterior_det_before"]),
            certain=numbers.share(row["posterior_det"]),
        )
        if row["claimed"] > 0:
            yield voice.say(
                "known_protection.claims",
                claimed=numbers.share(row["claimed"]),
                hold=numbers.share(row["claims_that_hold"]),
            )


def _undone(cells: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield how many cells minimality undoes, if some were suppressed."""
    if len(cells):
        numbers = voice.numbers
        yield voice.say(
            "known_protection.undone",
            cells=numbers.count(int(cells["n_cells"].sum())),
            undone=numbers.count(int(cells["n_undone"].sum())),
        )


def _cells(cells: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    columns = ("attribute", "cells", "values", "left", "undone")
    return Grid(
        caption=voice.say("known_protection.caption_cells"),
        headings=voice.columns("known_protection", *columns),
        rows=tuple(
            (
                Names.of((row["attribute"],), voice),
                numbers.count(row["n_cells"]),
                numbers.count(row["n_values"]),
                numbers.ratio(row["mean_values_left"]),
                numbers.count(row["n_undone"]),
            )
            for _, row in cells.iterrows()
        ),
        n_texts=1,
    )


def words(both: SuccessAndUndone) -> tuple[str, ...]:
    """Name the words that a part uses."""
    _, undone = both
    has_cells = bool((undone["n_cells"] > 0).any())
    return ("known", "claims", *(["minimality"] if has_cells else []))


SHOWN = PartEach("known_protection", analyses, figures, part, words)
