"""What independent releases tell together: a part of the page an analysis."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.bars import success_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, GREY
from microleak.report.families import EachAnalysis
from microleak.report.parts import Place
from microleak.tables import rows as tables

_BARS = {"posterior_det_single": GREY, "posterior_det": BLUE}
_COLUMNS = (
    *("sensitive:attribute", "n_releases", "n_possible"),
    *("posterior_det_single", "posterior_det"),
    *("posterior_prob_single", "posterior_prob"),
    *("claims_that_hold", "right_single", "right"),
)


def _told(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of all releases together."""
    return rows[rows["n_releases"] == rows["n_releases"].max()]


def _heading(told: pd.DataFrame, place: Place) -> str:
    row = told.iloc[0]
    return place.say(f"heading{_none(row, 'posterior_det')}", row)


def _sentences(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    told = _told(rows).dropna(subset="posterior_det")
    for _, row in told.iterrows():
        yield place.say("left", row)
        if pd.notna(row["right"]):
            yield place.say(f"truth{_none(row, 'claims_that_hold')}", row)


def _none(row: pd.Series, column: str) -> str:
    return "_none" if pd.isna(row[column]) else ""


def bars_of(rows: pd.DataFrame, words: Words) -> str:
    """Draw of how many one value is left by one release, and by all."""
    told = _told(tables.with_text(rows))
    return success_bars("intersection", told, _BARS, words)


SHOWN = EachAnalysis(
    "intersection",
    told=_told,
    heading=_heading,
    drawings=lambda _: {"success": bars_of},
    sentences=_sentences,
    grids=lambda rows, place: [place.grid(rows, _COLUMNS)],
    words=lambda _: ("candidate", "left", "best_guess"),
)
