"""Heat maps of states: the leakage by the number of QIDs (Gonze, Table 2)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.figures import states
from microleak.figures.shades import Shades, blues, draw_cell
from microleak.figures.suppressed import MARK, explain_mark, value_text
from microleak.figures.svg import canvas, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_ASIDE = -1.2
"""Where the column stands that is set apart from those in shades."""

_WIDTH = 470.0
_LETTER = 6.0
"""Points of all columns together, and of a letter of a column's name."""


@dataclass(frozen=True)
class HeatMap:
    """Shares of states, a row a state.

    Attributes
    ----------
    cells
        Share by state and column, both from the top left; missing if it is
        suppressed. A cell without a share stays empty.
    states
        Letters, from the top.
    columns
        Names, from the left.
    head
        What the cells hold.
    aside
        Text by state, in a column without shades that is set apart.
    aside_head
        What that column holds.
    """

    cells: Mapping[tuple[str, str], float]
    states: Sequence[str]
    columns: Sequence[str]
    head: str
    aside: Mapping[str, str]
    aside_head: str


def state_heat(rows: pd.DataFrame, words: Words) -> str:
    """Draw the largest additive leakage of each state by the number of QIDs.

    States stand from the highest leakage with all QIDs to the lowest; the prior is
    set apart. A suppressed value is a cross on grey.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute; not
        empty. Only the newest year is drawn.
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    newest, best = states.newest(rows), states.ranked(rows)
    leakage = newest["additive_leakage"].astype(float)
    columns = newest["n_qids"].map(words.numbers.count)
    heat = HeatMap(
        cells=dict(
            zip(zip(newest["state"], columns, strict=True), leakage, strict=True)
        ),
        states=list(best.index),
        columns=[words.numbers.count(n) for n in sorted(newest["n_qids"].unique())],
        head=words.say("heat_leakage"),
        aside={s: value_text(v, words) for s, v in best["prior_prob"].items()},
        aside_head=words.say("heat_prior"),
    )
    said = words.say(
        "heat_alt",
        attributes=words.attributes(int(best["n_qids"].iloc[0])),
        leakage=states.extremes(best["additive_leakage"], words.numbers.points, words),
    )
    with plain_style():
        figure = draw_heat(heat, blues(leakage), words)
        return svg_text(figure, states.caption("state_heat", rows, words, said))


def draw_heat(heat: HeatMap, shades: Shades, words: Words) -> Figure:
    """Draw a heat map with the value in each cell."""
    head = 1.8 if _are_wide(heat.columns) else 1.1
    figure, (axis,) = canvas(1, 1, (10, head + 0.26 * len(heat.states)))
    for row, state in enumerate(heat.states):
        _write(axis, (_ASIDE, row), heat.aside[state], "black")
        for column, name in enumerate(heat.columns):
            share = heat.cells.get((state, name))
            if share is not None:
                ink = draw_cell(axis, (column, row), share, shades)
                _write(axis, (column, row), value_text(share, words), ink)
    _describe_axis(axis, heat)
    explain_mark(figure, _suppressed(heat), words)
    mark_synthetic(figure, words)
    return figure


def _suppressed(heat: HeatMap) -> list[str]:
    cells = {state for (state, _), share in heat.cells.items() if pd.isna(share)}
    return [s for s in heat.states if s in cells or heat.aside[s] == MARK]


def _write(axis: Axes, place: tuple[float, float], text: str, ink: str) -> None:
    axis.text(*place, text, color=ink, fontsize=9, ha="center", va="center")


def _describe_axis(axis: Axes, heat: HeatMap) -> None:
    axis.set_xlim(_ASIDE - 0.5, len(heat.columns) - 0.4)
    axis.set_ylim(len(heat.states) - 0.4, -0.6)
    places = [_ASIDE, *range(len(heat.columns))]
    axis.set_xticks(places, [heat.aside_head, *heat.columns])
    axis.set_yticks(range(len(heat.states)), map(states.full_name, heat.states))
    axis.tick_params(axis="x", labelsize=9, top=True, labeltop=True, labelbottom=False)
    axis.tick_params(length=0)
    if _are_wide(heat.columns):
        for tick in axis.xaxis.get_major_ticks()[1:]:
            tick.label2.set(rotation=30, ha="left", rotation_mode="anchor")
    axis.xaxis.set_label_position("top")
    axis.set_xlabel(heat.head, labelpad=8)
    axis.grid(visible=False)
    axis.spines[:].set_visible(False)


def _are_wide(columns: Sequence[str]) -> bool:
    """Say whether the names of columns need more than the width of the columns."""
    return max(map(len, columns)) * len(columns) * _LETTER > _WIDTH
