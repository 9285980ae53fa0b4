"""What goes together with the leakage of states, and what each attribute brings."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from babel.numbers import format_decimal
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from microleak.attacks.collective.figures import states
from microleak.attacks.collective.figures.states import HeatMap, draw_heat
from microleak.figures.labels import beside
from microleak.figures.numbers import LOCALES, Numbers
from microleak.figures.scales import scale_numbers, scale_shares
from microleak.figures.shades import oranges
from microleak.figures.svg import (
    BLUE,
    GREY,
    mark_synthetic,
    plain_style,
    svg_text,
    write_note,
)
from microleak.figures.words import Words

_EXPLANATIONS = ("n_records", "sensitive_entropy", "qids_entropy", "mean_block_size")
_LOGARITHMIC = {"n_records"}

_LABEL = (13.0, 9.0)
_AREA = (310.0, 195.0)
"""Width and height of a label and, roughly, of an axis, in typographic points."""


def state_explained(rows: pd.DataFrame, explained: pd.DataFrame, words: Words) -> str:
    """Draw the leakage with all QIDs against four numbers that may explain it.

    A point a state, with its letters.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute; not
        empty. Only the newest year is drawn.
    explained
        Rows of `measures/explained.csv` of the same; may be empty. Those of the
        same year and number of QIDs give each title its R².
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    best = states.ranked(rows)
    drawn = best[["additive_leakage", *_EXPLANATIONS]].astype(float)
    fits = fits_of(best, explained)
    number = words.attributes(int(best["n_qids"].iloc[0]))
    with plain_style():
        # Axes of `canvas` share the scale of the level axis; these must not.
        figure = Figure((10, 7.6), layout=ConstrainedLayoutEngine(h_pad=0.09))
        axes = figure.subplots(2, 2, sharey=True).flat
        for axis, name in zip(axes, _EXPLANATIONS, strict=True):
            points = drawn[[name, "additive_leakage"]]
            scale_shares(axis, drawn["additive_leakage"], words, unit="")
            _draw_states(axis, points, name, words)
            axis.set_title(_title(name, fits, words), fontsize=10)
        figure.supylabel(words.say("leakage", attributes=number), fontsize=10)
        if fits:
            write_note(figure, words.say("explained_note"))
        mark_synthetic(figure, words)
        said = _description(best, fits, number, words)
        return svg_text(figure, states.caption("state_explained", rows, words, said))


def fits_of(best: pd.DataFrame, explained: pd.DataFrame) -> dict[str, float]:
    """Return the known R² by explanation, of the year and number of QIDs drawn.

    Parameters
    ----------
    best
        Rows of the states that are drawn, as `ranked` gives them.
    explained
        Rows of `measures/explained.csv`; may be empty.
    """
    if explained.empty:
        return {}
    year, n_qids = best[["year", "n_qids"]].iloc[0]
    is_drawn = (explained["year"] == year) & (explained["n_qids"] == n_qids)
    fits = explained[is_drawn].set_index("explained_by")["r_squared"]
    return {str(name): float(fit) for name, fit in fits.dropna().items()}


def fit_label(fit: float, numbers: Numbers) -> str:
    """Write a correlation, or a share of variance, with two decimals.

    More where two would make 1 of less, or 0 of more; none for exactly 0 and 1.

    Examples
    --------
    >>> [fit_label(fit, Numbers("en")) for fit in (0.25, 0.998, -0.996, 1.0)]
    ['0.25', '0.998', '−0.996', '1']
    """
    size, decimals = abs(fit), 2
    while 0 < size < 1 and round(size, decimals) in {0, 1}:
        decimals += 1
    pattern = "0" if size in {0, 1} else f"0.{'0' * decimals}"
    written = format_decimal(size, pattern, locale=LOCALES[numbers.language])
    return f"{'−' if fit < 0 else ''}{written}"


def _draw_states(axis: Axes, points: pd.DataFrame, name: str, words: Words) -> None:
    scale_numbers(axis, points[name], name in _LOGARITHMIC, words)
    axis.plot(*points.T.to_numpy(), "o", color=BLUE, markersize=4)
    for (state, row), offset in zip(
        points.iterrows(), beside(_in_points(axis, points), _LABEL, _AREA), strict=True
    ):
        axis.annotate(
            str(state),
            tuple(row),
            xytext=tuple(offset),
            textcoords="offset points",
            ha="center",
            va="center",
            fontsize=8,
        )
    axis.set_xlabel(words.say(f"unit_{name}"))
    axis.tick_params(labelleft=True, color=GREY)


def _in_points(axis: Axes, points: pd.DataFrame) -> np.ndarray:
    """Return about where each state is drawn, before anything is laid out."""
    to_axis = axis.transData - axis.transAxes
    return np.asarray(to_axis.transform(points.to_numpy()) * _AREA)


def _title(name: str, fits: dict[str, float], words: Words) -> str:
    explanation = words.say(f"explained_{name}")
    if name not in fits:
        return explanation
    return f"{explanation}: R² = {fit_label(fits[name], words.numbers)}"


def _description(
    best: pd.DataFrame, fits: dict[str, float], number: str, words: Words
) -> str:
    return words.say(
        "explained_alt",
        attributes=number,
        leakage=states.extremes(best["additive_leakage"], words.numbers.points, words),
        explanations="; ".join(_title(name, fits, words) for name in _EXPLANATIONS),
    )


def importance_heat(
    rows: pd.DataFrame, importance: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw what each state's leakage loses when one QID is not known.

    States stand from the highest leakage with all QIDs, which is set apart, to the
    lowest; QIDs from the one whose median loss is the largest.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute; not
        empty. Only the newest year is drawn.
    importance
        Importance of the QIDs by state, of the same year and attribute, without
        auxiliary releases. A state that lacks it is left out; at least one has it.
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    best = states.ranked(rows)
    best = best[best.index.isin(list(importance))]
    losses = pd.DataFrame({state: losses_of(importance[state]) for state in best.index})
    order = (
        losses.sort_index().median(axis=1).sort_values(ascending=False, kind="stable")
    )
    heat = HeatMap(
        cells={(s, qid): loss for s, of in losses.items() for qid, loss in of.items()},
        states=list(best.index),
        columns=list(order.index),
        head=words.say("importance_loss"),
        aside={s: words.numbers.brief(v) for s, v in best["additive_leakage"].items()},
        aside_head=words.say("importance_all"),
    )
    said = _importance_description(losses.loc[order.index], words)
    with plain_style():
        figure = draw_heat(heat, oranges(losses.to_numpy().ravel()), words)
        return svg_text(figure, states.caption("importance_heat", rows, words, said))


def losses_of(importance: pd.DataFrame) -> pd.Series:
    """Return how much leakage is lost without each QID, by QID, in [0, 1].

    It is the posterior that is lost, as the prior is the same.
    """
    of_qid = importance.set_index("qid")
    whole, without = (
        of_qid[name].astype(float)
        for name in ("posterior_prob", "posterior_prob_without")
    )
    # Equal losses must not differ by what subtracting floats leaves.
    return (whole - without).round(12)


def _importance_description(losses: pd.DataFrame, words: Words) -> str:
    """Say the extremes of the first and the last QID."""
    first, last = losses.index[[0, -1]]
    return words.say(
        "importance_alt",
        first=first,
        first_losses=states.extremes(losses.loc[first], words.numbers.points, words),
        last=last,
        last_losses=states.extremes(losses.loc[last], words.numbers.points, words),
    )
