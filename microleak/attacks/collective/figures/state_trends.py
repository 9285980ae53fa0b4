"""The leakage of states over the years, and every subset's posterior."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from microleak.attacks.collective.figures import states
from microleak.figures.labels import spread
from microleak.figures.marks import draw_dots
from microleak.figures.scales import scale_shares
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
        name = f"{states.full_name(state)} {words.numbers.brief(value)}"
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


_MOST_COLUMNS = 6
_DOT = 2.0
_DASHES = (0, (4, 2.5))


def state_posteriors(
    rows: pd.DataFrame, collective: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw the posterior of every subset over its number of QIDs, an axis a state.

    One dot for each subset, the prior as a broken line. States stand from the
    highest leakage with all QIDs to the lowest.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute; not
        empty. Only the newest year is drawn.
    collective
        Collective measures by state, of the same year and attribute, without
        auxiliary releases. A state that lacks them is left out; at least one has
        them.
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    drawn = [state for state in states.ranked(rows).index if state in collective]
    subsets = pd.concat({state: collective[state] for state in drawn}, names=["state"])
    n_rows, n_columns = grid(len(drawn))
    with plain_style():
        figure, axes = canvas(n_rows, n_columns, (10, 1.3 + max(2, 1.45 * n_rows)))
        for axis, state in zip(axes, drawn, strict=False):
            _draw_state(axis, collective[state], state)
        for axis in axes[len(drawn) :]:
            axis.set_visible(False)
        for axis in axes[: len(drawn)][-n_columns:]:
            axis.tick_params(labelbottom=True)
        _describe_axes(axes[0], subsets, words)
        _name_axes(figure, words)
        mark_synthetic(figure, words)
        said = _posteriors_description(subsets, words)
        return svg_text(figure, states.caption("state_posteriors", rows, words, said))


def grid(n_axes: int) -> tuple[int, int]:
    """Return how many rows and columns of axes to draw, six columns at most.

    Examples
    --------
    >>> grid(5), grid(8), grid(27)
    ((1, 5), (2, 4), (5, 6))
    """
    n_rows = -(-n_axes // _MOST_COLUMNS)
    return n_rows, -(-n_axes // n_rows)


def _draw_state(axis: Axes, subsets: pd.DataFrame, state: str) -> None:
    draw_dots(axis, subsets, "prob", _DOT)
    prior = subsets["prior_prob"].iloc[0]
    axis.axhline(prior, color="black", linewidth=1, linestyle=_DASHES)
    axis.set_title(f"{state}  {states.NAMES[state]}", fontsize=8.5)
    axis.tick_params(color=GREY, labelsize=8)


def _describe_axes(axis: Axes, subsets: pd.DataFrame, words: Words) -> None:
    """Give all axes, which share them, their limits and ticks."""
    sizes = sorted(int(size) for size in subsets["n_qids"].unique())
    axis.set_xticks(sizes, map(words.numbers.count, sizes))
    axis.set_xlim(min(sizes) - 0.7, max(sizes) + 0.7)
    shares = subsets[["prior_prob", "posterior_prob"]].astype(float)
    scale_shares(axis, shares.to_numpy().ravel(), words)


def _name_axes(figure: Figure, words: Words) -> None:
    figure.supxlabel(words.say("n_qids"), fontsize=9)
    figure.supylabel(words.say("chance"), fontsize=9)
    marks = {
        "dot": Line2D([], [], color=BLUE, marker=".", linestyle="none"),
        "line": Line2D([], [], color="black", linewidth=1, linestyle=_DASHES),
    }
    labels = [words.say(f"posteriors_{name}") for name in marks]
    figure.legend(
        marks.values(),
        labels,
        loc="outside upper right",
        ncols=3,
        frameon=False,
        fontsize=9,
    )


def _posteriors_description(subsets: pd.DataFrame, words: Words) -> str:
    highest = subsets["posterior_prob"].astype(float).groupby("state").max()
    prior = subsets["prior_prob"].astype(float).groupby("state").max()
    return words.say(
        "posteriors_alt",
        n_subsets=words.numbers.count(len(subsets)),
        posterior=states.extremes(highest, words.numbers.share, words),
        prior=states.extremes(prior, words.numbers.share, words),
    )
