"""Phase diagrams: entries right over noise and number of queries."""

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
from microleak.figures.shades import Shades, blues, draw_cell
from microleak.figures.suppressed import explain_mark, value_text
from microleak.figures.svg import mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_HEAD, _ROW, _LEAST_WIDTH, _COLUMN = 1.1, 0.46, 8.0, 0.72
"""Inches around a diagram, of a row, of the figure at least, and of a column."""


def phase_diagrams(shown: Rebuilt, words: Words) -> str:
    """Draw the share of entries right in cells, by noise and number of queries.

    A diagram for each attack and law of noise, noise growing to the right and
    queries upwards. A cell has the mean share in percent, the darker the higher, and
    below it how many databases were rebuilt whole, of how many.

    Parameters
    ----------
    shown
        The tables of an analysis of several levels of noise and numbers of queries.
    words
        Phrases, numbers and whether the databases are of a synthetic release.

    Returns
    -------
    str
        An `<svg>` element.
    """
    diagrams = shown.diagrams
    note = unclaimed_text(diagrams, words)
    with plain_style():
        figure, axes = _canvas(diagrams)
        for axis, settings in zip(axes, diagrams, strict=True):
            _draw_diagram(axis, settings, blues([1.0]), words)
        axes[-1].set_xlabel(words.say("reconstruction_phase_axis"))
        explain_mark(figure, (), words, note)
        mark_synthetic(figure, words)
        sentences = [*(_sentence(settings, words) for settings in diagrams), note]
        return svg_text(
            figure, caption("reconstruction", "phase", shown.measured, words, sentences)
        )


def _canvas(diagrams: list[pd.DataFrame]) -> tuple[Figure, list[Axes]]:
    heights = [_HEAD + _ROW * d["n_queries"].nunique() for d in diagrams]
    n_columns = max(d["error_bound"].nunique() for d in diagrams)
    size = max(_LEAST_WIDTH, 1.6 + _COLUMN * n_columns), sum(heights) + 0.4
    figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(h_pad=0.1))
    axes = figure.subplots(len(diagrams), 1, squeeze=False, height_ratios=heights)
    return figure, list(axes[:, 0])


def _draw_diagram(
    axis: Axes, settings: pd.DataFrame, shades: Shades, words: Words
) -> None:
    rows, columns = (sorted(settings[c].unique()) for c in ("n_queries", "error_bound"))
    for _, setting in settings.iterrows():
        column = columns.index(setting["error_bound"])
        row = rows.index(setting["n_queries"])
        _draw_setting(axis, (column, row), setting, shades, words)
    _describe_axis(axis, settings, words)


def _draw_setting(
    axis: Axes,
    place: tuple[int, int],
    setting: pd.Series,
    shades: Shades,
    words: Words,
) -> None:
    ink = draw_cell(axis, place, setting["share_right"], shades)
    lines = (
        (0.17, value_text(setting["share_right"], words), 9),
        (-0.22, exact_text(setting, words), 8),
    )
    for above, text, size in lines:
        axis.text(
            place[0],
            place[1] + above,
            text,
            color=ink,
            fontsize=size,
            ha="center",
            va="center",
        )


def _describe_axis(axis: Axes, settings: pd.DataFrame, words: Words) -> None:
    shares = settings.groupby("error_bound")["noise_share"].first()
    labels = [
        f"{short_number(bound, words)}\n{short_number(share, words)}·√n"
        for bound, share in shares.items()
    ]
    rows = [words.numbers.count(n) for n in sorted(settings["n_queries"].unique())]
    axis.set_xticks(range(len(labels)), labels, fontsize=9)
    axis.set_yticks(range(len(rows)), rows)
    axis.set(xlim=(-0.5, len(labels) - 0.5), ylim=(-0.5, len(rows) - 0.5))
    axis.set_title(panel_text(settings, words), fontsize=10)
    axis.set_ylabel(words.say("reconstruction_queries"))
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)


def _sentence(settings: pd.DataFrame, words: Words) -> str:
    """Say of each number of queries what is right from the least noise on."""
    return words.say(
        "reconstruction_phase_alt",
        panel=panel_text(settings, words),
        rows="; ".join(
            words.say(
                "reconstruction_phase_row",
                n_queries=words.numbers.count(n_queries),
                cells=", ".join(
                    value_text(share, words) for share in row["share_right"]
                ),
            )
            for n_queries, row in settings.groupby("n_queries")
        ),
    )
