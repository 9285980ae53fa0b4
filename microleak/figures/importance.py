"""What each quasi-identifier brings in each state (Gonze, Table 3)."""

from collections.abc import Mapping

import pandas as pd

from microleak.figures import states
from microleak.figures.heat import HeatMap, draw_heat
from microleak.figures.shades import oranges
from microleak.figures.suppressed import value_text
from microleak.figures.svg import plain_style, svg_text
from microleak.figures.words import Words


def importance_heat(
    rows: pd.DataFrame, importance: Mapping[str, pd.DataFrame], words: Words
) -> str:
    """Draw what each state's leakage loses when one QID is not known.

    States stand from the highest leakage with all QIDs, which is set apart, to the
    lowest; QIDs from the one whose median loss is the largest. A suppressed value
    is a cross on grey.

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
        aside={s: value_text(v, words) for s, v in best["additive_leakage"].items()},
        aside_head=words.say("importance_all"),
    )
    said = _description(losses.loc[order.index], words)
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


def _description(losses: pd.DataFrame, words: Words) -> str:
    """Say the extremes of the first and the last QID."""
    first, last = losses.index[[0, -1]]
    return words.say(
        "importance_alt",
        first=first,
        first_losses=states.extremes(losses.loc[first], words.numbers.points, words),
        last=last,
        last_losses=states.extremes(losses.loc[last], words.numbers.points, words),
    )
