"""Every subset's posterior, state by state (Gonze, Figure 2)."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from microleak.figures import states
from microleak.figures.dots import draw_dots
from microleak.figures.scales import scale_shares
from microleak.figures.suppressed import cross
from microleak.figures.svg import (
    BLUE,
    GREY,
    canvas,
    mark_synthetic,
    plain_style,
    svg_text,
)
from microleak.figures.words import Words

_MOST_COLUMNS = 6
_DOT = 2.0
_DASHES = (0, (4, 2.5))


def state_posteriors(
    rows: pd.DataFrame, collective: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw the posterior of every subset over its number of QIDs, an axis a state.

    One dot for each subset, the prior as a broken line. States stand from the
    highest leakage with all QIDs to the lowest. A suppressed value is a cross on
    the axis.

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
        _name_axes(figure, subsets["posterior_prob"].isna().any(), words)
        mark_synthetic(figure, words)
        said = _description(subsets, words)
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
    if pd.notna(prior):
        axis.axhline(prior, color="black", linewidth=1, linestyle=_DASHES)
    cross(axis, subsets.loc[subsets["posterior_prob"].isna(), "n_qids"])
    axis.set_title(f"{state}  {states.NAMES[state]}", fontsize=8.5)
    axis.tick_params(color=GREY, labelsize=8)


def _describe_axes(axis: Axes, subsets: pd.DataFrame, words: Words) -> None:
    """Give all axes, which share them, their limits and ticks."""
    sizes = sorted(int(size) for size in subsets["n_qids"].unique())
    axis.set_xticks(sizes, map(words.numbers.count, sizes))
    axis.set_xlim(min(sizes) - 0.7, max(sizes) + 0.7)
    shares = subsets[["prior_prob", "posterior_prob"]].astype(float)
    scale_shares(axis, shares.to_numpy().ravel(), words)


def _name_axes(figure: Figure, has_suppressed: bool, words: Words) -> None:
    figure.supxlabel(words.say("n_qids"), fontsize=9)
    figure.supylabel(words.say("chance"), fontsize=9)
    marks = {
        "dot": Line2D([], [], color=BLUE, marker=".", linestyle="none"),
        "line": Line2D([], [], color="black", linewidth=1, linestyle=_DASHES),
    }
    if has_suppressed:
        marks["cross"] = Line2D([], [], color=GREY, marker="x", linestyle="none")
    labels = [words.say(f"posteriors_{name}") for name in marks]
    figure.legend(
        marks.values(),
        labels,
        loc="outside upper right",
        ncols=3,
        frameon=False,
        fontsize=9,
    )


def _description(subsets: pd.DataFrame, words: Words) -> str:
    highest = subsets["posterior_prob"].astype(float).groupby("state").max()
    prior = subsets["prior_prob"].astype(float).groupby("state").max()
    return words.say(
        "posteriors_alt",
        n_subsets=words.numbers.count(subsets["posterior_prob"].count()),
        posterior=states.extremes(highest, words.numbers.share, words),
        prior=states.extremes(prior, words.numbers.share, words),
    )
