"""Two panels over epsilon, privacy loss and utility, and what they share."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import ScaledTranslation

from microleak.figures.mechanism_rows import LOSS, MEASURES, Noisy
from microleak.figures.scales import number_label
from microleak.figures.svg import BLUE, GREY, VERMILION
from microleak.figures.words import Words

_ROOM = 0.06
_LEAST_SPAN = 0.02
_WIDER = 0.88, 1.14
_FEW_TICKS = 200
_BELOW = 0.52
"""Inches from an axis to what explains its lines."""


@dataclass(frozen=True)
class Look:
    """How one mechanism is drawn: a colour, and a mark for who sees no colours."""

    colour: str
    marker: str


LOOKS = {
    "oblivious": Look(BLUE, "o"),
    "local": Look(VERMILION, "s"),
    "randomised_response": Look("#007A5A", "^"),
}
"""Each mechanism's look, by its name in the tables."""


def panels(noisy: Noisy, words: Words) -> tuple[Figure, dict[str, Axes]]:
    """Return an empty figure with a panel a measure, over epsilon."""
    figure = Figure(figsize=(10, 4.4), layout=ConstrainedLayoutEngine(w_pad=0.12))
    both = figure.subplots(1, 2, sharex=True)
    axes = dict(zip(MEASURES, both, strict=True))
    for measure, axis in axes.items():
        _scale_epsilons(axis, noisy.noises["size"], words)
        axis.set_title(words.say(f"mechanism_{measure}"), fontsize=10)
        axis.set_xlabel(words.say("mechanism_epsilon"))
        axis.tick_params(color=GREY)
    return figure, axes


def _scale_epsilons(axis: Axes, sizes: pd.Series, words: Words) -> None:
    """Let the level axis hold epsilons, with room at both ends."""
    low, high = _WIDER[0] * sizes.min(), _WIDER[1] * sizes.max()
    axis.set_xscale("log")
    axis.set_xlim(low, high)
    factors = (1, 2, 5) if high / low < _FEW_TICKS else (1,)
    powers = range(int(np.log10(low)) - 1, int(np.log10(high)) + 2)
    steps = [factor * 10.0**power for power in powers for factor in factors]
    ticks = [step for step in steps if low <= step <= high]
    axis.set_xticks(ticks, [number_label(tick, words) for tick in ticks])
    axis.set_xticks([], minor=True)


def scale_measure(
    axis: Axes, measure: str, values: Iterable[float], words: Words
) -> None:
    """Let the upright axis hold some values of a measure; missing ones do not count.

    A privacy loss starts at 1 and is a ratio, a utility ends at 1 and is a percentage.
    """
    shown = [float(value) for value in values if pd.notna(value)]
    low, high = _widened(min([1.0, *shown]), max([1.0, *shown]), measure)
    axis.set_ylim(low, high)
    steps = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    ticks = [round(float(step), 9) for step in steps if low <= step <= high]
    axis.set_yticks(ticks, [_label(tick, measure, words) for tick in ticks])


def _widened(low: float, high: float, measure: str) -> tuple[float, float]:
    if high - low < _LEAST_SPAN:
        low, high = (1, 1 + _LEAST_SPAN) if measure == LOSS else (1 - _LEAST_SPAN, 1)
    margin = _ROOM * (high - low)
    return low - margin, high + margin


def _label(tick: float, measure: str, words: Words) -> str:
    if measure == LOSS:
        return number_label(tick, words)
    return f"{number_label(100 * tick, words)}%"


def draw_limit(axis: Axes, value: float, label: str) -> None:
    """Draw a limit as a broken line, unless it is suppressed."""
    if pd.notna(value):
        axis.axhline(
            value, color="black", linewidth=1, linestyle=(0, (5, 3)), label=label
        )


def explain_lines(
    axis: Axes, models: Iterable[str], words: Words, **style: Any
) -> None:
    """Write below a panel how each mechanism is drawn, and what its limits are.

    Parameters
    ----------
    axis
        The panel; lines of it that have a label are explained, too.
    models
        Mechanisms.
    words
        Phrases and numbers.
    style
        How all of their lines are drawn, as matplotlib's `Line2D` takes it.
    """
    looks = {words.say(f"mechanism_{model}"): LOOKS[model] for model in models}
    given = {"markersize": 5, **style}
    lines = {
        label: Line2D([], [], color=look.colour, marker=look.marker, **given)
        for label, look in looks.items()
    }
    limits, labels = axis.get_legend_handles_labels()
    below = ScaledTranslation(0, -_BELOW, axis.figure.dpi_scale_trans)
    if drawn := lines | dict(zip(labels, limits, strict=True)):
        axis.legend(
            drawn.values(),
            drawn.keys(),
            loc="upper left",
            bbox_to_anchor=(0, 0),
            bbox_transform=axis.transAxes + below,
            borderaxespad=0,
            borderpad=0,
            frameon=False,
            fontsize=9,
        )


def cross_at_foot(axis: Axes, sizes: pd.Series, values: pd.Series) -> None:
    """Mark at the foot of a panel the epsilons whose value is suppressed."""
    hidden = sizes[values.isna().to_numpy()]
    axis.plot(
        hidden,
        np.full(len(hidden), 0.03),
        "x",
        color=GREY,
        markersize=4,
        transform=axis.get_xaxis_transform(),
    )
