"""What figures over the number of QIDs share: the highest values, and the prior."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from microleak.figures.svg import DARK_VERMILION, VERMILION
from microleak.figures.words import Words

_STEEP = 0.04


def draw_highest(
    axis: Axes,
    values: pd.Series,
    write: Callable[[float], str],
    height: float = 1,
    fontsize: int = 8,
) -> None:
    """Draw the highest value of each size as a line, each with its number.

    Parameters
    ----------
    axis
        Where to draw.
    values
        Shares by number of QIDs, ascending; of a missing one there is no point.
    write
        Writes one that is not missing.
    height
        The share at the top of the axis, about.
    fontsize
        Of the numbers, in points.
    """
    axis.plot(values.index, values, "o-", color=VERMILION, markersize=4.5, linewidth=1)
    # Beside a steep rise a label stands to the left, where the line is not.
    rises = np.append(np.diff(values.to_numpy()), 0)
    for (size, value), rise in zip(values.items(), rises, strict=True):
        if pd.isna(value):
            continue
        is_steep = rise > _STEEP * height
        axis.annotate(
            write(value),
            (size, value),
            xytext=(4 - fontsize, 3) if is_steep else (0, fontsize - 2),
            textcoords="offset points",
            ha="right" if is_steep else "center",
            fontsize=fontsize,
            color=DARK_VERMILION,
        )


def draw_prior(axis: Axes, prior: float, is_positive: bool, words: Words) -> None:
    """Draw the prior as a broken line, unless it is suppressed.

    Parameters
    ----------
    axis
        Where to draw.
    prior
        A share, from 0 to 1, or missing.
    is_positive
        Whether one that was rounded to 0 is above it.
    words
        Phrases and numbers.
    """
    if pd.isna(prior):
        return
    axis.axhline(
        prior,
        color="black",
        linewidth=1,
        linestyle=(0, (5, 3)),
        label=words.say("prior", share=words.numbers.share(prior, is_positive)),
    )
    # Dots may be anywhere beside the line, so what it says stands above the axes.
    axis.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0,
        handlelength=2.6,
        frameon=False,
        fontsize=9,
    )


def scale_sizes(
    axis: Axes, sizes: Iterable[int], room: tuple[float, float], words: Words
) -> None:
    """Let the level axis hold numbers of QIDs, with room before and after them."""
    ticks = sorted({int(size) for size in sizes})
    axis.set_xticks(ticks, [words.numbers.count(tick) for tick in ticks])
    axis.set_xlim(ticks[0] - room[0], ticks[-1] + room[1])
