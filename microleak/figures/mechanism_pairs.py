"""Which counts leak what: every pair of attributes, with noise and without."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from microleak.figures.captions import caption
from microleak.figures.mechanism_rows import LOSS, Noisy
from microleak.figures.mechanism_text import epsilon_equals, short_text
from microleak.figures.shades import Shades, blues, draw_cell
from microleak.figures.suppressed import MARK, explain_mark
from microleak.figures.svg import mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_LIMIT = "privacy_loss_limit"
_CELL = 0.31, 0.62
"""Height and width of a cell, in inches."""


@dataclass(frozen=True)
class _Map:
    """One panel: the losses by sensitive (rows) and useful attribute (columns)."""

    losses: pd.DataFrame
    title: str
    shades: Shades


def loss_of_pairs(noisy: Noisy, words: Words) -> str:
    """Draw how much counts of one attribute tell of another, for every pair.

    A row is the attribute that is inferred, a column that of which values are
    counted; the cell has the privacy loss of the count that tells most, above with
    the median epsilon and below without noise. A loss of 1, no
    loss, is the lightest; a suppressed one is a cross on grey.

    Parameters
    ----------
    noisy
        The tables of an analysis of pairs.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    maps = _maps(noisy, words)
    n = len(noisy.attributes)
    with plain_style():
        size = max(8.0, 2.4 + _CELL[1] * n), 2.6 + 2 * _CELL[0] * n
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(h_pad=0.12))
        axes = figure.subplots(2, 1, sharex=True)
        for axis, drawn in zip(axes, maps, strict=True):
            _draw_map(axis, drawn, words)
            _describe_axis(axis, drawn.title, noisy.attributes, words)
        axes[1].set_xlabel(words.say("mechanism_counted"))
        axes[1].tick_params(axis="x", labelbottom=True)
        hidden = _suppressed(maps)
        explain_mark(figure, hidden, words)
        mark_synthetic(figure, words)
        sentences = _sentences(maps, words)
        return svg_text(
            figure, caption("mechanism", "pairs", noisy.pairs, words, sentences)
        )


def _maps(noisy: Noisy, words: Words) -> list[_Map]:
    rows = noisy.shown_pairs
    epsilon = epsilon_equals(noisy.middle, words.numbers)
    titles = {
        LOSS: words.say("mechanism_pairs_noisy", epsilon=epsilon),
        _LIMIT: words.say("mechanism_pairs_noise_free"),
    }
    shades = blues([*(rows[[LOSS, _LIMIT]].max().dropna() - 1)])
    return [
        _Map(_by_pair(rows, column, noisy.attributes), title, shades)
        for column, title in titles.items()
    ]


def _by_pair(rows: pd.DataFrame, column: str, names: list[str]) -> pd.DataFrame:
    table = rows.set_index(["sensitive", "useful"])[column].astype(float).unstack()
    return table.loc[names, names]


def _draw_map(axis: Axes, drawn: _Map, words: Words) -> None:
    for row, losses in enumerate(drawn.losses.to_numpy()):
        for column, loss in enumerate(losses):
            ink = draw_cell(axis, (column, row), loss - 1, drawn.shades)
            text = MARK if pd.isna(loss) else short_text(loss, LOSS, words)
            axis.text(
                column, row, text, color=ink, fontsize=9, ha="center", va="center"
            )


def _describe_axis(axis: Axes, title: str, names: Sequence[str], words: Words) -> None:
    axis.set_title(title, fontsize=10)
    axis.set_ylabel(words.say("mechanism_inferred"))
    axis.set_xlim(-0.6, len(names) - 0.4)
    axis.set_ylim(len(names) - 0.4, -0.6)
    axis.set_yticks(range(len(names)), names, fontsize=8.5)
    axis.set_xticks(range(len(names)), names, fontsize=8.5, rotation=30, ha="right")
    axis.tick_params(length=0)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)


def _suppressed(maps: list[_Map]) -> list[str]:
    """Name the inferred attributes that have a suppressed cell."""
    hidden = [drawn.losses.isna().any(axis=1) for drawn in maps]
    return [name for name in hidden[0].index if any(each[name] for each in hidden)]


def _sentences(maps: list[_Map], words: Words) -> list[str]:
    """Say which other attribute each attribute's values are best inferred from."""
    return [
        f"{drawn.title}: {'; '.join(_best(drawn.losses, words))}." for drawn in maps
    ]


def _best(losses: pd.DataFrame, words: Words) -> list[str]:
    found = []
    for sensitive, row in losses.iterrows():
        others = row.drop(sensitive).dropna()
        if len(others):
            useful = str(others.idxmax())
            found.append(
                words.say(
                    "mechanism_pair_alt",
                    sensitive=str(sensitive),
                    useful=useful,
                    loss=short_text(float(others[useful]), LOSS, words),
                )
            )
    return found or [words.numbers.suppressed]
