"""Crowds of dots, one a subset of QIDs, and what figures over their number share."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    VERMILION,
)
from microleak.figures.words import Words

_SPREAD = 0.72
_GOLDEN_RATIO = (5**0.5 - 1) / 2


def draw_dots(axis: Axes, rows: pd.DataFrame, criterion: str, width: float) -> None:
    """Draw every subset's posterior over its number of QIDs.

    Dots of one number are spread sideways in a fixed order, so that equal values
    can be told apart.

    Parameters
    ----------
    axis
        Where to draw.
    rows
        Collective measures of one panel and one subject.
    criterion
        How the posterior's column ends: `det`, `prob` or `person`.
    width
        Of a dot, in points.
    """
    dots = _places(rows, f"posterior_{criterion}")
    # One path of lines without length, whose round ends are dots, is a quarter of
    # the bytes that as many markers are.
    lines = np.repeat(dots, 2, axis=0)
    codes = np.resize([Path.MOVETO, Path.LINETO], len(lines))
    axis.add_patch(
        PathPatch(
            Path(lines, codes),
            edgecolor=BLUE,
            facecolor="none",
            alpha=0.55,
            linewidth=width,
            capstyle="round",
        )
    )


def _places(rows: pd.DataFrame, column: str) -> np.ndarray:
    """Return where each dot stands, shape (n_subsets, 2)."""
    ordered = rows.sort_values(["n_qids", column])
    rank = ordered.groupby("n_qids").cumcount().to_numpy()
    crowd = ordered.groupby("n_qids")["n_qids"].transform("size").to_numpy()
    # Multiples of the golden ratio set neighbours in value far apart sideways.
    sideways = (rank * _GOLDEN_RATIO + 0.5) % 1 - 0.5
    spread = _SPREAD * np.minimum(1, crowd / 50)
    across = ordered["n_qids"].to_numpy(dtype=float) + spread * sideways
    values = ordered[column].to_numpy(dtype=float)
    return np.column_stack([across, values])


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
        Shares by number of QIDs, ascending.
    write
        Writes one.
    height
        The share at the top of the axis, about.
    fontsize
        Of the numbers, in points.
    """
    axis.plot(values.index, values, "o-", color=VERMILION, markersize=4.5, linewidth=1)
    # Beside a steep rise a label stands to the left, where the line is not.
    rises = np.append(np.diff(values.to_numpy()), 0)
    for (size, value), rise in zip(values.items(), rises, strict=True):
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


def draw_prior(axis: Axes, prior: float, words: Words) -> None:
    """Draw the prior as a broken line.

    Parameters
    ----------
    axis
        Where to draw.
    prior
        A share, from 0 to 1.
    words
        Phrases and numbers.
    """
    axis.axhline(
        prior,
        color="black",
        linewidth=1,
        linestyle=(0, (5, 3)),
        label=words.say("prior", share=words.numbers.share(prior)),
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


def drawn_sizes(sizes: list[int]) -> list[int]:
    """Choose up to four sizes, evenly from 1 to the largest, rounded down.

    So the sizes of Nunes' Figure 4.6 are drawn, and those of Gonze's Figure 3
    with one more. Where a size is not among those measured the nearest one stands
    for it, the lower of two as near.

    Examples
    --------
    >>> drawn_sizes(list(range(1, 12))), drawn_sizes(list(range(1, 8)))
    ([1, 4, 7, 11], [1, 3, 5, 7])
    """
    wanted = [1 + (max(sizes) - 1) * k // 3 for k in range(4)]
    nearest = {min(sizes, key=lambda size: (abs(size - w), size)) for w in wanted}
    return sorted(nearest)
