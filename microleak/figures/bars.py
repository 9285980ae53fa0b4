"""Bars that lie one below another, each with what it is of and its number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.figures import svg
from microleak.figures.numbers import Words
from microleak.tables.rows import with_text

_HEIGHT, _HEAD = 0.34, 0.5
"""Inches of a row, and of what is around the rows of a panel."""

_ROOM = 1.16
_LABEL_WIDTH = 24


@dataclass(frozen=True)
class Bar:
    """One bar."""

    label: str  # What it is of, left of it
    length: float  # A share or a count, from 0
    text: str  # The number as it is written beside it
    colour: str = svg.BLUE
    further: float = 0.0  # How far it goes on in orange


BarsAndHeadings = Sequence[Bar | str]
"""Bars from the top, and headings of those below."""


def bars_canvas(panels: Sequence[BarsAndHeadings]) -> tuple[Figure, list[Axes]]:
    """Return a figure with a panel for each group of bars, one below another."""
    n_rows = sum(map(len, panels))
    return svg.canvas(len(panels), 1, _HEAD * len(panels) + _HEIGHT * n_rows)


def highest_of(rows: Iterable[Bar | str]) -> float:
    """Return the greatest length of some bars, and 1 where there is none above 0."""
    bars = (row for row in rows if isinstance(row, Bar))
    return max((bar.length + bar.further for bar in bars), default=0) or 1


def told(bars: Iterable[Bar]) -> str:
    """Write bars as text, for who cannot see them."""
    return "; ".join(f"{bar.label}: {bar.text}" for bar in bars)


def draw_bars(
    axis: Axes, rows: BarsAndHeadings, highest: float, classes: str = ""
) -> None:
    """Draw bars, and say of each what it is of and its number."""
    axis.set(xlim=(0, _ROOM * highest), ylim=(len(rows) - 0.4, -0.6))
    labels = [row if isinstance(row, str) else row.label for row in rows]
    lines = ["\n".join(svg.even_lines(label, _LABEL_WIDTH)) for label in labels]
    axis.set_yticks(range(len(rows)), lines)
    axis.set_ylabel(classes)
    axis.tick_params(labelbottom=False, color=svg.GREY)
    axis.grid(visible=False)
    axis.spines["bottom"].set_visible(False)
    for place, row in enumerate(rows):
        if isinstance(row, str):
            axis.get_yticklabels()[place].set_fontweight("bold")
        else:
            _draw_bar(axis, place, row)


def _draw_bar(axis: Axes, place: int, bar: Bar) -> None:
    axis.barh(place, bar.length, 0.72, color=bar.colour)
    if bar.further:
        axis.barh(place, bar.further, 0.72, left=bar.length, color=svg.VERMILION)
    axis.annotate(
        bar.text,
        (bar.length + bar.further, place),
        xytext=(4, 0),
        textcoords="offset points",
        va="center",
        color=svg.DARK_VERMILION if bar.colour == svg.VERMILION else "black",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8},
    )


def success_bars(
    family: str, bars: Mapping[str, str], rows: pd.DataFrame, words: Words
) -> str:
    """Draw the chances that columns have, from the top, in their colours."""
    rows = with_text(rows)
    said, lines, told = list[str](), list[Bar | str](), dict[str, str]()
    for _, row in rows.iterrows():
        shares = {name: float(row[name]) for name in bars if pd.notna(row[name])}
        sensitive = str(row["sensitive"])
        attack = words.attribute(sensitive) if sensitive else words.say("reidentified")
        lines.append(attack)
        for name, share in shares.items():
            label, short = words.say(f"{family}_{name}"), words.numbers.short(share)
            lines.append(Bar(label, share, short, bars[name]))
        alt = f"{family}_alt{'' if len(shares) == len(bars) else '_none'}"
        said.append(words.say(alt, row, attack=attack))
        found = f"{family}_found{'' if shares else '_none'}"
        told.setdefault("first", words.say(found, row, attack=attack))
    with svg.plain_style():
        figure, (axis,) = bars_canvas([lines])
        draw_bars(axis, lines, 1.0)
        kind = (family, "success")
        return svg.analysis_svg(figure, kind, rows, (told["first"], said), words)
