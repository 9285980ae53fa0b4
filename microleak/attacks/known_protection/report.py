"""What is found by someone who knows a protection: a part of the page an analysis."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from microleak.figures.bars import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.families import EachAnalysis
from microleak.report.parts import Grid, Place
from microleak.tables import rows as tables

_BARS = {"prior_prob": GREY, "posterior_prob": BLUE, "posterior_prob_before": VERMILION}
_COLUMNS = (
    *("n_qids", "qids:names", "sensitive:subject"),
    *("posterior_prob_before", "posterior_prob"),
    *("posterior_det_before", "posterior_det", "claims_that_hold"),
)
_OF_CELLS = ("attribute:names", "n_cells", "n_values", "mean_values_left", "n_undone")

_Both = tuple[pd.DataFrame, pd.DataFrame]
"""Success of the attacks, and suppressed cells by attribute."""


def _sentences(both: _Both, place: Place) -> Iterator[str]:
    rows, cells = both
    for _, row in tables.with_most_qids(rows).iterrows():
        yield place.say("right", row)
        if row["claimed"] > 0:
            yield place.say("claims", row)
    if len(cells):
        yield place.say("undone", cells[["n_cells", "n_undone"]].sum())


def _grids(both: _Both, place: Place) -> Iterator[Grid]:
    rows, cells = both
    yield place.grid(rows, _COLUMNS, n_texts=3)
    if len(cells):
        yield place.grid(cells, _OF_CELLS, "caption_cells")


SHOWN = EachAnalysis(
    "known_protection",
    tables=("known_protection", "undone_cells"),
    found=lambda rows, undone: (rows, undone[undone["n_cells"] > 0]),
    told=lambda both: tables.with_most_qids(both[0]),
    heading=lambda told, place: place.say("heading", told.iloc[0]),
    drawings=lambda _: {"success": partial(success_bars, "known_protection", _BARS)},
    sentences=_sentences,
    grids=_grids,
    words=lambda both: ("known", "claims", *["minimality"] * bool(len(both[1]))),
)
