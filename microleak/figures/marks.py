"""Dots, one a subset of QIDs, and labels that hide neither them nor each other."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from numpy.typing import ArrayLike

from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, DARK_VERMILION, GREY, VERMILION, even_lines

_RADIUS = 3.0
_SWEEPS = 4
_AROUND = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
_PLACES = np.multiply.outer((1.0, 2.0, 3.0), _AROUND).reshape(-1, 2)
"""Where a label may stand around a point, in rings, the best place first."""


def spread(places: Sequence[float], gap: float) -> list[float]:
    """Move places on a line apart, each as little as possible (least squares).

    >>> spread([1.0, 5.0, 5.0], 2.0)
    [1.0, 4.0, 6.0]
    """

    # Without the gaps, it is the nearest sequence that never falls: runs that
    # would fall are replaced by their mean.
    def mean(values: list[float]) -> float:
        return sum(values) / len(values)

    runs: list[list[float]] = []
    for number, place in enumerate(places):
        runs.append([place - number * gap])
        while len(runs) > 1 and mean(runs[-2]) > mean(runs[-1]):
            runs[-2:] = [runs[-2] + runs[-1]]
    level = [mean(run) for run in runs for _ in run]
    return [value + number * gap for number, value in enumerate(level)]


def beside(
    points: np.ndarray,
    label: ArrayLike,
    area: tuple[float, float],
    bare: np.ndarray | None = None,
) -> np.ndarray:
    """Choose where the label of each point stands: where it overlaps least.

    Each in turn, the first place of several as good; a few times over, as others move.
    """
    every = points if bare is None else np.vstack([points, bare])
    sizes = np.broadcast_to(np.asarray(label, dtype=float), points.shape)
    offsets = _PLACES * (0.5 * sizes + _RADIUS)[:, None]
    chosen = offsets[:, 0].copy()
    for _ in range(_SWEEPS):
        for at, (point, size) in enumerate(zip(points, sizes, strict=True)):
            centres = point + offsets[at]
            others = np.delete([points + chosen, sizes], at, axis=1)
            cost = (
                _overlap(centres, others[0], size, others[1])
                + _overlap(centres, every, size, np.full(2, 2 * _RADIUS))
                + _outside(centres, size, area)
            )
            chosen[at] = offsets[at, np.argmin(np.round(cost, 6))]
    return chosen


def _overlap(
    centres: np.ndarray, others: np.ndarray, size: np.ndarray, other_sizes: np.ndarray
) -> np.ndarray:
    """Return the area that each box shares with all others together."""
    reach = (size + other_sizes) / 2
    apart = np.abs(centres[:, None, :] - others[None, :, :])
    shared = np.clip(reach - apart, 0, np.minimum(size, other_sizes))
    return np.asarray(shared.prod(axis=2).sum(axis=1))


def _outside(
    centres: np.ndarray, size: np.ndarray, area: tuple[float, float]
) -> np.ndarray:
    """Return how far each box reaches over the edges, in the unit of an area."""
    half = size / 2
    over = np.clip(half - centres, 0, None) + np.clip(centres + half - area, 0, None)
    return np.asarray(over.sum(axis=1) * max(size))


_CHARACTER, _LINE, _PAD = 5.4, 15.0, 4.0
"""About the width of a character and the height of a line, and room, in points."""

_BESIDE = 5.0
"""The most points between a label and its point without a line."""

_LEADER = {"arrowstyle": "-", "color": GREY, "linewidth": 0.6, "shrinkB": 5}


@dataclass(frozen=True)
class PointLabel:
    """What is written beside a point, and where on both axes that is."""

    place: tuple[float, float]
    text: str


def write_labels(axis: Axes, labels: Sequence[PointLabel], points: ArrayLike) -> None:
    """Write labels where they cover neither one another nor a point.

    The figure is laid out for it, and must not change afterwards.
    """
    if not labels:
        return
    figure = axis.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    sizes = np.array(
        [(_CHARACTER * len(label.text) + 2 * _PAD, _LINE) for label in labels]
    )
    right, top = _in_points(axis, axis.viewLim.max)
    offsets = beside(
        _in_points(axis, [label.place for label in labels]),
        sizes,
        (right, top + _LINE / 2),
        _in_points(axis, points),
    )
    for label, size, offset in zip(labels, sizes, offsets, strict=True):
        _write(axis, label, size, offset)


def _in_points(axis: Axes, places: ArrayLike) -> np.ndarray:
    """Return where places are drawn, from the panel's lower left corner."""
    pixels = axis.transData.transform(np.asarray(places, dtype=float))
    return np.asarray((pixels - axis.bbox.min) * 72 / axis.figure.dpi)


def _write(axis: Axes, label: PointLabel, size: np.ndarray, offset: np.ndarray) -> None:
    """Write a label, with a line to its point where it cannot be beside it."""
    side = int(np.sign(offset[0]))
    gap = np.max(np.abs(offset) - size / 2)
    axis.annotate(
        label.text,
        label.place,
        xytext=(offset[0] - side * (size[0] / 2 - _PAD), offset[1]),
        textcoords="offset points",
        ha=("center", "left", "right")[side],
        va="center",
        color=GREY,
        arrowprops=_LEADER if gap > _BESIDE else None,
    ).set_in_layout(False)


_SPREAD, _APART, _LEVELS = 0.72, 0.09, 100
"""Width of the widest row of dots and distance of two, in numbers of QIDs; levels."""


def draw_dots(axis: Axes, rows: pd.DataFrame, criterion: str, width: float) -> None:
    """Draw every subset's posterior over its number of QIDs, as rows of dots."""
    # Rounded to a hundredth of the highest. Dots of one number and value lie side by
    # side, the nearer the more there are, so that a row is a line.
    lines = dot_rows(rows["n_qids"], rows[f"posterior_{criterion}"])
    codes = np.resize([Path.MOVETO, Path.LINETO], len(lines))
    # As a patch it would be measured dot by dot.
    axis.update_datalim(lines)
    axis.add_artist(
        PathPatch(
            Path(lines, codes),
            edgecolor=BLUE,
            facecolor="none",
            alpha=0.55,
            linewidth=width,
            capstyle="round",
        )
    )


def dot_rows(sizes: pd.Series, values: pd.Series) -> np.ndarray:
    """Return where rows of dots begin and end, shape (2 n_rows, 2).

    >>> dot_rows(pd.Series([1, 2, 2, 2]), pd.Series([0.5, 1, 1, 0])).tolist()
    [[1.0, 0.5], [1.0, 0.5], [2.0, 0.0], [2.0, 0.0], [1.955, 1.0], [2.045, 1.0]]
    """
    shares = values.astype("float64")
    step = shares.max() / _LEVELS or 1
    level = (shares / step).round()
    counts = shares.groupby([sizes, level]).size().sort_index()
    size, level_of = (counts.index.get_level_values(n).to_numpy() for n in (0, 1))
    gaps = counts.to_numpy() - 1
    widest = np.maximum(pd.Series(gaps).groupby(size).transform("max").to_numpy(), 1)
    half = gaps * np.minimum(_APART, _SPREAD / widest) / 2
    ends = np.stack([size - half, size + half], axis=1).ravel()
    return np.column_stack([ends, np.repeat(level_of * step, 2)])


_STEEP, _ABOVE = 0.04, 0.08


def draw_highest(
    axis: Axes, values: pd.Series, write: Callable[[float], str], height: float = 1
) -> None:
    """Draw the highest value of each size as a line, each with its number."""
    axis.plot(values.index, values, "o-", color=VERMILION, markersize=4.5, linewidth=1)
    low, high = axis.get_ylim()
    axis.set_ylim(low, max(high, values.max() + _ABOVE * (high - low)))
    # Beside a steep rise a label stands to the left, where the line is not.
    rises = np.append(np.diff(values.to_numpy()), 0)
    for (size, value), rise in zip(values.items(), rises, strict=True):
        is_steep = rise > _STEEP * height
        axis.annotate(
            write(value),
            (size, value),
            xytext=(-5, 3) if is_steep else (0, 6),
            textcoords="offset points",
            ha="right" if is_steep else "center",
            color=DARK_VERMILION,
        )


def write_above(
    axis: Axes, place: tuple[float, float], text: str, points: float, **look: Any
) -> None:
    """Write so many points above a place, in the middle unless told otherwise."""
    look = {"ha": "center", **look}
    axis.annotate(text, place, xytext=(0, points), textcoords="offset points", **look)


def draw_level(axis: Axes, value: float, label: str) -> None:
    """Draw a value of the upright axis as a broken line."""
    axis.axhline(value, color="black", linewidth=1, linestyle=(0, (5, 3)), label=label)


def draw_prior(axis: Axes, prior: float, text: str, words: Words) -> None:
    """Draw the prior as a broken line, and say so above; `text` is the number."""
    draw_level(axis, prior, words.say("prior", share=text))
    write_key(axis)


def write_key(axis: Axes, n_columns: int = 1) -> None:
    """Write above the axes what is drawn, as dots and bars may be anywhere in them."""
    axis.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        borderaxespad=0.2,
        borderpad=0,
        handlelength=2.2,
        handletextpad=0.4,
        columnspacing=0.8,
        frameon=False,
        ncols=n_columns,
    )


def scale_sizes(
    axis: Axes, sizes: Iterable[int], room: tuple[float, float], words: Words
) -> None:
    """Let the level axis hold numbers of QIDs, with room before and after them."""
    ticks = sorted({int(size) for size in sizes})
    axis.set_xticks(ticks, [words.numbers.count(tick) for tick in ticks])
    axis.set_xlim(ticks[0] - room[0], ticks[-1] + room[1])


_END_WIDTH = 18
"""Letters of a line of what a line is called."""


@dataclass(frozen=True)
class LineEnd:
    """What a line is called, and where it ends on both axes."""

    place: tuple[float, float]
    text: str
    colour: str


def write_ends(axis: Axes, ends: Iterable[LineEnd], gap: float = 0.06) -> None:
    """Write what lines are called beside the right edge, none over another."""
    low, high = axis.get_ylim()
    ordered = sorted(ends, key=lambda end: (end.place[1], end.text))
    names = [even_lines(end.text, _END_WIDTH) for end in ordered]
    most = max(map(len, names), default=1)
    places = spread([end.place[1] for end in ordered], most * gap * (high - low))
    for end, name, place in zip(ordered, names, places, strict=True):
        axis.annotate(
            "\n".join(name),
            end.place,
            xytext=(1.03, place),
            textcoords=axis.get_yaxis_transform(),
            color=end.colour,
            va="center",
            arrowprops={"arrowstyle": "-", "color": end.colour, "linewidth": 0.5},
        )


def drawn_sizes(sizes: list[int]) -> list[int]:
    """Choose up to four sizes, evenly from 1 to the largest, or the nearest measured.

    So the sizes of Nunes' Figure 4.6 are drawn, and those of Gonze's Figure 3.

    >>> drawn_sizes(list(range(1, 12))), drawn_sizes(list(range(1, 8)))
    ([1, 4, 7, 11], [1, 3, 5, 7])
    """
    wanted = [1 + (max(sizes) - 1) * k // 3 for k in range(4)]
    return sorted({min(sizes, key=lambda size: (abs(size - w), size)) for w in wanted})
