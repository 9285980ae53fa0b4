"""Who is alone by one attribute: a part of the page an analysis, and its figure."""

from collections.abc import Iterator

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import analysis_svg, plain_style
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import Part, Place, Rows, Sentences


def analyses(families: Rows) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name."""
    yield from families.get("toy", {}).items()


def alone_bar(rows: pd.DataFrame, words: Words) -> str:
    """Draw the share of the records that are alone."""
    row = rows.iloc[0]
    share = words.numbers.short(row["share_alone"])
    name = words.attribute(row["qids"])
    bars = [Bar(name, float(row["share_alone"]), share)]
    with plain_style():
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, 1.0)
        found = words.say("toy_found", attribute=name, share=share)
        return analysis_svg(figure, ("toy", "alone"), rows, (found, [found]), words)


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    row, numbers = rows.iloc[0], place.voice.numbers
    share = numbers.share(row["share_alone"])
    told = place.voice.say("toy.told", n=numbers.count(row["n_values"]))
    return place.part(
        heading=place.voice.say("toy.heading", share=share),
        measured=(place.measured(row), place.known([row["qids"]])),
        body=(
            Sentences((told,)),
            place.drawing("alone", place.voice.say("toy.caption_alone")),
        ),
        downloads=place.downloads("toy"),
    )


SHOWN = PartEach("toy", analyses, one_figure("toy", "alone", alone_bar), part)
