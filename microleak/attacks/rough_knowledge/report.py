"""What is found by what is known only roughly: a part of the page an analysis."""

from collections.abc import Iterator
from functools import partial

import pandas as pd

from microleak.figures.bars import success_bars
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.report.families import EachAnalysis
from microleak.report.parts import Place
from microleak.tables import rows as tables

_BARS = {"prior_prob": GREY, "posterior_prob": BLUE, "posterior_prob_exact": VERMILION}
_COLUMNS = (
    *("n_qids", "qids:names", "sensitive:subject", "posterior_det", "posterior_prob"),
    *("posterior_det_exact", "posterior_prob_exact", "claims_that_hold"),
)


def _told(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the set with most QIDs that has one known roughly."""
    rough = rows[rows["roughly"] != ""]
    return tables.with_most_qids(rows if rough.empty else rough)


def _sentences(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    for _, row in _told(rows).iterrows():
        yield place.say("certain", row)
        if row["claimed"] > 0:
            yield place.say("claims", row)


SHOWN = EachAnalysis(
    "rough_knowledge",
    told=_told,
    heading=lambda told, place: place.say(
        f"heading{'' if told.iloc[0]['roughly'] else '_exact'}", told.iloc[0]
    ),
    drawings=lambda _: {"success": partial(success_bars, "rough_knowledge", _BARS)},
    sentences=_sentences,
    grids=lambda rows, place: [place.grid(rows, _COLUMNS, n_texts=3)],
    words=lambda _: ("roughly", "certain", "claims"),
)
