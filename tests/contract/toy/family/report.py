"""Who is alone by one attribute: a part of the page an analysis, and its figure."""

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import analysis_svg, plain_style
from microleak.report.families import EachAnalysis


def alone_bar(rows: pd.DataFrame, words: Words) -> str:
    """Draw the share of the records that are alone."""
    row = rows.iloc[0]
    share, name = float(row["share_alone"]), words.attribute(row["qids"])
    bars = [Bar(name, share, words.numbers.short(share))]
    found = words.say("toy_found", row, attribute=name)
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, 1.0)
        return analysis_svg(figure, ("toy", "alone"), rows, (found, [found]), words)


SHOWN = EachAnalysis(
    "toy",
    heading=lambda told, place: place.say("heading", told.iloc[0]),
    drawings=lambda _: {"alone": alone_bar},
    sentences=lambda rows, place: [place.say("told", rows.iloc[0])],
)
