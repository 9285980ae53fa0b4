"""What independent releases tell together: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.numbers import Words
from microleak.figures.success import success_bars
from microleak.figures.svg import BLUE, GREY
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_BARS = {"posterior_det_single": GREY, "posterior_det": BLUE}
"""What is drawn, in this order, and in which colour."""

_SHARES = {
    "one_single": "posterior_det_single",
    "one": "posterior_det",
    "guess_single": "posterior_prob_single",
    "guess": "posterior_prob",
    "hold": "claims_that_hold",
    "right_single": "right_single",
    "right": "right",
}
"""What the table shows, by its headings."""


def analyses(families: TablesByKind) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name, texts never missing."""
    for name, rows in families.get("intersection", {}).items():
        yield name, tables.with_text(rows)


def _of_all(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all releases together."""
    return rows[rows["n_releases"] == rows["n_releases"].max()]


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw of how many one value is left by one release, and by all."""
    return success_bars("intersection", tables.with_text(_of_all(rows)), _BARS, words)


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    shown = _of_all(rows)
    first = shown.iloc[0]
    others = voice.listing(first["auxiliary"].split("|"))
    return place.part(
        heading=_heading(first, voice),
        measured=(
            place.measured(first, auxiliary=others),
            place.known(tables.qids_of(first)),
        ),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("success", voice.say("intersection.caption_success")),
            _grid(rows, voice),
        ),
        downloads=place.downloads("intersection"),
    )


def _heading(row: pd.Series, voice: Voice) -> str:
    numbers = voice.numbers
    is_possible = pd.notna(row["posterior_det"])
    shares = ("posterior_det", "posterior_det_single") if is_possible else ()
    return voice.say(
        f"intersection.heading{'' if is_possible else '_none'}",
        n=numbers.count(row["n_releases"]),
        sensitive=voice.attribute(row["sensitive"]),
        **{name: numbers.share(row[name]) for name in shares},
    )


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield of each attribute what is left, believed, and right."""
    numbers = voice.numbers
    for _, row in rows[rows["posterior_det"].notna()].iterrows():
        yield voice.say(
            "intersection.left",
            attack=voice.subject(row["sensitive"]),
            n_possible=numbers.count(row["n_possible"]),
            n_records=numbers.count(row["n_records"]),
            **{name: numbers.share(row[name]) for name in list(_SHARES.values())[:4]},
        )
        if pd.notna(row["right"]):
            is_claimed = pd.notna(row["claims_that_hold"])
            told = ["claimed", "right_single", "right"]
            told += ["claims_that_hold"] if is_claimed else []
            yield voice.say(
                f"intersection.truth{'' if is_claimed else '_none'}",
                n_in_all=numbers.count(row["n_in_all"]),
                **{name: numbers.share(row[name]) for name in told},
            )


def _grid(rows: pd.DataFrame, voice: Voice) -> Grid:
    numbers = voice.numbers
    return Grid(
        caption=voice.say("intersection.caption"),
        headings=voice.columns("intersection", "sensitive", "n", "possible", *_SHARES),
        rows=tuple(
            (
                voice.attribute(row["sensitive"]),
                numbers.count(row["n_releases"]),
                numbers.count(row["n_possible"]),
                *(
                    "" if pd.isna(row[name]) else numbers.share(row[name])
                    for name in _SHARES.values()
                ),
            )
            for _, row in rows.iterrows()
        ),
        n_texts=1,
    )


def words(_: pd.DataFrame) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("candidate", "left", "best_guess")


FIGURE = one_figure("intersection", "success", bars_of)
SHOWN = PartEach("intersection", analyses, FIGURE, part, words)
