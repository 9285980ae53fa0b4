"""Where noise stops an attack: entries right over noise, against the root of n."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from microleak.figures.captions import caption
from microleak.figures.reconstruction_rows import Rebuilt
from microleak.figures.reconstruction_text import (
    exact_text,
    panel_text,
    short_number,
    unclaimed_text,
)
from microleak.figures.scales import percent_labels, scale_numbers
from microleak.figures.suppressed import explain_mark, value_text
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_COLOURS = (DARK_VERMILION, BLUE, "#00694F", "#A3467F", "#7A5C00", "black")
_MARKERS = "os^Dv<"
_HEIGHT = 3.0


def right_over_noise(shown: Rebuilt, words: Words) -> str:
    """Draw the share of entries right over E / sqrt(n), a line a number of queries.

    A panel for each attack and law of noise. A full mark is a setting of which every
    database was rebuilt, an empty one is another. The share that is right without any
    answer is a broken line.

    Parameters
    ----------
    shown
        The tables of an analysis that has several levels of noise.
    words
        Phrases, numbers and whether the databases are of a synthetic release.

    Returns
    -------
    str
        An `<svg>` element.
    """
    panels = shown.panels
    note = unclaimed_text(panels, words)
    with plain_style():
        figure = Figure(
            figsize=(8.6, 0.7 + _HEIGHT * len(panels)),
            layout=ConstrainedLayoutEngine(h_pad=0.1),
        )
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for axis, panel in zip(axes, panels, strict=True):
            _draw_panel(axis, panel, words)
            _draw_guess(axis, shown.guess(panel["n_entries"].iloc[0]), words)
            _explain_lines(axis, words)
        _scale_right(axes, pd.concat(panels)["share_right"], words)
        axes[-1].set_xlabel(words.say("reconstruction_noise_axis"))
        explain_mark(figure, (), words, note)
        mark_synthetic(figure, words)
        sentences = [*(_sentence(panel, words) for panel in panels), note]
        return svg_text(
            figure, caption("reconstruction", "noise", shown.measured, words, sentences)
        )


def _draw_panel(axis: Axes, panel: pd.DataFrame, words: Words) -> None:
    curves = _drawn_curves(panel)
    scale_numbers(axis, panel["noise_share"], False, words)
    for number, (n_queries, curve) in enumerate(curves):
        _draw_curve(axis, curve, number, words.numbers.count(n_queries))
    axis.set_title(panel_text(panel, words), fontsize=10)
    axis.set_ylabel(words.say("reconstruction_right"))
    axis.tick_params(color=GREY)


def _explain_lines(axis: Axes, words: Words) -> None:
    axis.legend(
        title=words.say("reconstruction_queries"),
        loc="upper left",
        bbox_to_anchor=(1.01, 1),
        borderaxespad=0,
        frameon=False,
        fontsize=9,
        title_fontsize=9,
        alignment="left",
    )


def _drawn_curves(panel: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    """Return the curves of a panel, most queries first; of many, evenly six."""
    curves = list(panel.groupby("n_queries"))[::-1]
    if len(curves) <= len(_MARKERS):
        return curves
    places = np.linspace(0, len(curves) - 1, len(_MARKERS)).round().astype(int)
    return [curves[place] for place in places]


def _scale_right(axes: Iterable[Axes], shares: pd.Series, words: Words) -> None:
    """Let all upright axes end at 100 % and begin below all shares: at 40 % or 0."""
    lowest, step = (0, 2) if (shares < 0.4).any() else (4, 1)
    steps = [tenth / 10 for tenth in range(lowest, 11, step)]
    for axis in axes:
        axis.set_yticks(steps, percent_labels(steps, words))
        axis.set_ylim(steps[0] - 0.02, 1.03)


def _draw_curve(axis: Axes, curve: pd.DataFrame, number: int, label: str) -> None:
    colour, marker = _COLOURS[number], _MARKERS[number]
    axis.plot(
        curve["noise_share"],
        curve["share_right"],
        color=colour,
        marker=marker,
        label=label,
        markersize=5.5,
        markerfacecolor="white",
        linewidth=1.4,
    )
    every = curve[curve["n_exact"] == curve["n_tries"]]
    axis.plot(every["noise_share"], every["share_right"], marker, color=colour, ms=5.5)


def _draw_guess(axis: Axes, guess: float, words: Words) -> None:
    axis.axhline(
        guess,
        color="black",
        linewidth=1,
        linestyle=(0, (5, 3)),
        label=words.say("reconstruction_guess", share=words.numbers.share(guess)),
    )


def _sentence(panel: pd.DataFrame, words: Words) -> str:
    """Say what the least and the most noise leave, with the most queries."""
    curve = panel[panel["n_queries"] == panel["n_queries"].max()]
    low, high = curve.iloc[0], curve.iloc[-1]
    return words.say(
        "reconstruction_noise_alt",
        panel=panel_text(panel, words),
        n_queries=words.numbers.count(low["n_queries"]),
        low=short_number(low["noise_share"], words),
        high=short_number(high["noise_share"], words),
        right_low=value_text(low["share_right"], words),
        right_high=value_text(high["share_right"], words),
        exact_low=exact_text(low, words),
        exact_high=exact_text(high, words),
    )
