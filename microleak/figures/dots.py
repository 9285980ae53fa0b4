"""Crowds of dots, one a subset of QIDs, small in bytes."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from microleak.figures.svg import BLUE

_SPREAD = 0.72
_GOLDEN_RATIO = (5**0.5 - 1) / 2


def draw_dots(axis: Axes, rows: pd.DataFrame, criterion: str, width: float) -> None:
    """Draw every subset's posterior over its number of QIDs.

    Dots of one number are spread sideways in a fixed order, so that equal values
    can be told apart. Suppressed values are not drawn.

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
    lines = np.repeat(dots[~np.isnan(dots[:, 1])], 2, axis=0)
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
    values = ordered[column].to_numpy(dtype=float, na_value=np.nan)
    return np.column_stack([across, values])
