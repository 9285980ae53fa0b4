"""What independent releases tell together: a part of the page an analysis."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from microleak.figures.bars import success_bars
from microleak.figures.svg import BLUE, GREY
from microleak.report.families import EachAnalysis
from microleak.report.parts import Place

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


SHOWN = EachAnalysis(
    "intersection",
    told=_told,
    heading=_heading,
    drawings=lambda _: {"success": partial(success_bars, "intersection", _BARS)},
    sentences=_sentences,
    grids=lambda rows, place: [place.grid(rows, _COLUMNS)],
    words=lambda _: ("candidate", "left", "best_guess"),
)
