"""Bars with their values above them, for persons in a few classes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from microleak.figures.suppressed import cross
from microleak.figures.svg import BLUE, DARK_VERMILION, GREY, VERMILION

_ROOM = 1.14


@dataclass(frozen=True)
class Bar:
    """One class of persons.

    Attributes
    ----------
    label
        Which persons, below the bar.
    height
        A share or a count, from 0; missing if it is suppressed.
    text
        The same as it is written above the bar.
    is_certain, is_absent
        Whether their chance is exactly 1, or nobody fits them.
    """

    label: str
    height: float
    text: str
    is_certain: bool = False
    is_absent: bool = False


def draw_bars(axis: Axes, bars: Sequence[Bar], highest: float) -> None:
    """Draw one bar for each class, and a cross where it is suppressed.

    Parameters
    ----------
    axis
        Where to draw.
    bars
        From left to right. A chance of 1 is orange, who fits nobody is grey.
    highest
        The height that the axis has room for.
    """
    heights = np.array([bar.height for bar in bars], dtype=float)
    places = np.arange(len(bars))
    colours = [_colour(bar) for bar in bars]
    axis.bar(places, np.nan_to_num(heights), 0.72, color=colours)
    cross(axis, places[np.isnan(heights)])
    axis.set_ylim(0, _ROOM * highest)
    axis.set_xticks(places, [bar.label for bar in bars], fontsize=9)
    axis.tick_params(left=False, labelleft=False, labelbottom=True, color=GREY)
    axis.grid(visible=False)
    axis.spines["left"].set_visible(False)
    for place, bar in zip(places[~np.isnan(heights)], _shown(bars), strict=True):
        axis.annotate(
            bar.text,
            (place, bar.height),
            xytext=(0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=9,
            color=DARK_VERMILION if bar.is_certain else "black",
        )


def highest_of(*groups: Sequence[Bar]) -> float:
    """Return the greatest height of some bars, and 1 where there is none above 0."""
    return max((bar.height for bars in groups for bar in _shown(bars)), default=0) or 1


def told(bars: Sequence[Bar]) -> str:
    """Write bars as text, for who cannot see them."""
    return "; ".join(f"{bar.label}: {bar.text}" for bar in bars)


def _shown(bars: Sequence[Bar]) -> list[Bar]:
    return [bar for bar in bars if not np.isnan(bar.height)]


def _colour(bar: Bar) -> str:
    if bar.is_certain:
        return VERMILION
    return GREY if bar.is_absent else BLUE
