"""Labels of points of a panel, once all else of the figure is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike

from microleak.figures.labels import beside
from microleak.figures.svg import GREY

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

    One that cannot be beside its point has a line to it. The figure is laid out for
    it, and must not change afterwards.

    Parameters
    ----------
    axis
        Where to write.
    labels
        Any number of them.
    points
        All points of the panel, shape (n, 2); those of labels may be among them.
    """
    if not labels:
        return
    figure = axis.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    sizes = np.array([_size(label.text) for label in labels])
    right, top = _in_points(axis, axis.viewLim.max)
    offsets = beside(
        _in_points(axis, [label.place for label in labels]),
        sizes,
        (right, top + _LINE / 2),
        _in_points(axis, points),
    )
    for label, size, offset in zip(labels, sizes, offsets, strict=True):
        _write(axis, label, size, offset)


def _size(text: str) -> tuple[float, float]:
    return _CHARACTER * len(text) + 2 * _PAD, _LINE


def _in_points(axis: Axes, places: ArrayLike) -> np.ndarray:
    """Return where places are drawn, from the panel's lower left corner."""
    pixels = axis.transData.transform(np.asarray(places, dtype=float))
    return np.asarray((pixels - axis.bbox.min) * 72 / axis.figure.dpi)


def _write(axis: Axes, label: PointLabel, size: np.ndarray, offset: np.ndarray) -> None:
    side = int(np.sign(offset[0]))
    gap = np.max(np.abs(offset) - size / 2)
    axis.annotate(
        label.text,
        label.place,
        xytext=(offset[0] - side * (size[0] / 2 - _PAD), offset[1]),
        textcoords="offset points",
        ha=("center", "left", "right")[side],
        va="center",
        fontsize=8.5,
        color=GREY,
        arrowprops=_LEADER if gap > _BESIDE else None,
    ).set_in_layout(False)
