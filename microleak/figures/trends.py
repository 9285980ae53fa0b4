"""The leakage of states over the years (Gonze, Figure 4)."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.figures import states
from microleak.figures.labels import spread
from microleak.figures.scales import scale_shares
from microleak.figures.suppressed import cross, explain_mark, value_text
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_MOST_LINES = 6
_COLOURS = (DARK_VERMILION, "#A3467F", "#7A5C00", "#00694F", BLUE, "black")
"""Okabe and Ito's hues, dark enough to write in, from the highest state on."""

_MARKERS = "os^Dv<"
_LABEL_HEIGHT = 0.05
"""Of the axis' height."""


def state_years(rows: pd.DataFrame, words: Words) -> str:
    """Draw each state's largest additive leakage with all QIDs over the years.

    One line for each state that has several years; if these are more than six,
    for the three that are highest in the newest year and the three that are lowest.
    A suppressed value is a cross on the axis.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute, all
        years; some state has two. A year is a number.
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    lines = leakage_by_year(rows)
    with plain_style():
        figure, (axis,) = canvas(1, 1, (10, 4.8))
        scale_shares(axis, lines.to_numpy().ravel(), words, unit="")
        _draw_lines(axis, lines)
        _label_lines(axis, lines, words)
        _describe_axis(axis, lines, int(rows["n_qids"].max()), words)
        hidden = _suppressed(rows, lines)
        cross(axis, hidden["year"].astype(int))
        explain_mark(figure, hidden["state"] + " " + hidden["year"], words)
        mark_synthetic(figure, words)
        said = _description(lines, int(rows["n_qids"].max()), words)
        return svg_text(figure, states.caption("state_years", rows, words, said))


def leakage_by_year(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the leakage with all QIDs, a column a state and a row a year.

    States are those that are drawn, from the highest of the newest year to the
    lowest; equals by their letters, those without a value then last.
    """
    full = states.with_all_qids(rows)
    several = full[full.groupby("state")["year"].transform("nunique") > 1]
    drawn = _drawn_states(several)
    lines = several[several["state"].isin(drawn)].pivot(
        index="year", columns="state", values="additive_leakage"
    )
    return lines[drawn].astype(float)


def _drawn_states(several: pd.DataFrame) -> list[str]:
    """Choose among states that have several years, by the newest year of any."""
    newest = states.newest(several).set_index("state")["additive_leakage"]
    by_state = newest.reindex(sorted(several["state"].unique()))
    order = by_state.sort_values(ascending=False, kind="stable")
    if len(order) <= _MOST_LINES:
        return list(order.index)
    known = list(order.dropna().index)
    half = _MOST_LINES // 2
    return [*known[:half], *known[half:][-half:]]


def _suppressed(rows: pd.DataFrame, lines: pd.DataFrame) -> pd.DataFrame:
    """Give the rows of drawn states without a value, in order of state and year."""
    full = states.with_all_qids(rows)
    is_hidden = full["additive_leakage"].isna() & full["state"].isin(lines.columns)
    return full[is_hidden].sort_values(["state", "year"])


def _draw_lines(axis: Axes, lines: pd.DataFrame) -> None:
    styles = zip(lines.items(), _COLOURS, _MARKERS, strict=False)
    for (_, values), colour, marker in styles:
        axis.plot(
            lines.index.astype(int),
            values.to_numpy(),
            color=colour,
            marker=marker,
            markersize=5.5,
            linewidth=1.4,
        )


def _label_lines(axis: Axes, lines: pd.DataFrame, words: Words) -> None:
    """Name each line beside its last value; without a value it has no name."""
    lasts = {state: values.dropna() for state, values in lines.items()}
    ends = sorted((v.iloc[-1], state) for state, v in lasts.items() if len(v))
    gap = _LABEL_HEIGHT * axis.get_ylim()[1]
    colours = dict(zip(lines.columns, _COLOURS, strict=False))
    for (value, state), place in zip(
        ends, spread([value for value, _ in ends], gap), strict=True
    ):
        year = lasts[state].index[-1]
        name = f"{states.full_name(state)} {value_text(value, words)}"
        axis.annotate(
            name if year == lines.index[-1] else f"{name} ({year})",
            (int(year), value),
            xytext=(1.03, place),
            textcoords=axis.get_yaxis_transform(),
            color=colours[state],
            va="center",
            fontsize=9,
            arrowprops={"arrowstyle": "-", "color": colours[state], "linewidth": 0.5},
        )


def _describe_axis(axis: Axes, lines: pd.DataFrame, n_qids: int, words: Words) -> None:
    axis.set_xticks(lines.index.astype(int), lines.index)
    title = words.say("leakage", attributes=words.attributes(n_qids))
    axis.set_title(title, fontsize=10, pad=10)
    axis.tick_params(color=GREY)


def _description(lines: pd.DataFrame, n_qids: int, words: Words) -> str:
    return " ".join(
        words.say(
            "state_years_alt",
            attributes=words.attributes(n_qids),
            year=year,
            leakage=states.extremes(values, words.numbers.points, words),
        )
        for year, values in lines.iloc[[0, -1]].iterrows()
    )
