"""Privacy loss and utility over epsilon (Nunes, Table 6.5), and over samples."""

import pandas as pd
from matplotlib.axes import Axes

from microleak.figures.captions import caption
from microleak.figures.mechanism_panels import (
    LOOKS,
    cross_at_foot,
    draw_limit,
    explain_lines,
    panels,
    scale_measure,
)
from microleak.figures.mechanism_rows import LOSS, MEASURES, Noisy
from microleak.figures.mechanism_text import epsilon_equals, measure_text
from microleak.figures.suppressed import explain_mark
from microleak.figures.svg import mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

LIMITS = {LOSS: "privacy_loss_limit", "utility": "utility_floor"}
"""The bound of each measure that depends on the count and can be reached."""

_APART = 0.025
"""How far intervals of two mechanisms stand apart, as a share of epsilon."""


def loss_and_utility(noisy: Noisy, words: Words) -> str:
    """Draw privacy loss and utility over epsilon, a line a mechanism.

    What can be reached at most, or at least, is a broken line; suppressed values are
    crosses at the foot.

    Parameters
    ----------
    noisy
        The tables of an analysis of one count.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    with plain_style():
        figure, axes = panels(noisy, words)
        for measure, axis in axes.items():
            limit = noisy.first[LIMITS[measure]]
            values = noisy.mechanism[measure]
            scale_measure(axis, measure, [*values, limit], words)
            for model in noisy.models:
                _draw_line(axis, noisy, model, measure)
            said = words.say(f"mechanism_{measure}_limit", value=_number(limit, words))
            draw_limit(axis, limit, said)
            explain_lines(axis, noisy.models if measure == LOSS else (), words)
        explain_mark(figure, _suppressed(noisy, words), words)
        mark_synthetic(figure, words)
        sentences = [_sentence(noisy, model, words) for model in noisy.models]
        return svg_text(
            figure, caption("mechanism", "epsilon", noisy.measured, words, sentences)
        )


def _draw_line(axis: Axes, noisy: Noisy, model: str, measure: str) -> None:
    values = noisy.of_model(model)[measure].astype(float)
    sizes, look = noisy.noises["size"], LOOKS[model]
    axis.plot(
        sizes,
        values,
        color=look.colour,
        marker=look.marker,
        markersize=5,
        linewidth=1.4,
        clip_on=False,
    )
    cross_at_foot(axis, sizes, values)


def _suppressed(noisy: Noisy, words: Words) -> list[str]:
    """Name mechanisms of which any number is suppressed."""
    return [
        words.say(f"mechanism_short_{model}")
        for model in noisy.models
        if noisy.of_model(model)[[*MEASURES]].isna().any(axis=None)
    ]


def _sentence(noisy: Noisy, model: str, words: Words) -> str:
    low, high = noisy.ends(model)
    return words.say(
        "mechanism_epsilon_alt",
        model=words.say(f"mechanism_{model}"),
        low=epsilon_equals(str(low.name), words.numbers),
        high=epsilon_equals(str(high.name), words.numbers),
        loss_low=_number(low[LOSS], words),
        loss_high=_number(high[LOSS], words),
        utility_low=_number(low["utility"], words),
        utility_high=_number(high["utility"], words),
    )


def _number(value: float, words: Words) -> str:
    return measure_text(value, words.numbers)


def intervals_of_samples(noisy: Noisy, words: Words) -> str:
    """Draw where privacy loss and utility of random samples lie, over epsilon.

    A bar holds at least 95 % of the samples, its mark is their median, and the thin
    line is what all records give.

    Parameters
    ----------
    noisy
        The tables of an analysis of one count that has samples.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    with plain_style():
        figure, axes = panels(noisy, words)
        for measure, axis in axes.items():
            rows = noisy.samples[noisy.samples["measure"] == measure]
            values = [*rows["low"], *rows["high"], *noisy.mechanism[measure]]
            scale_measure(axis, measure, values, words)
            for place, model in enumerate(noisy.models):
                aside = 1 + _APART * (place - (len(noisy.models) - 1) / 2)
                _draw_intervals(axis, noisy, (model, measure), aside)
        explain_lines(axes[LOSS], noisy.models, words)
        mark_synthetic(figure, words)
        sentences = [_sample_sentence(noisy, model, words) for model in noisy.models]
        return svg_text(
            figure, caption("mechanism", "samples", noisy.measured, words, sentences)
        )


def _draw_intervals(
    axis: Axes, noisy: Noisy, which: tuple[str, str], aside: float
) -> None:
    """Draw the intervals of one mechanism and measure, moved aside by a factor."""
    model, measure = which
    sizes, look = noisy.noises["size"], LOOKS[model]
    rows = noisy.of_samples(model, measure)[["low", "median", "high"]].astype(float)
    whole = noisy.of_model(model)[measure].astype(float)
    axis.plot(sizes, whole, color=look.colour, linewidth=0.8, alpha=0.7)
    axis.vlines(
        aside * sizes, rows["low"], rows["high"], color=look.colour, linewidth=2.2
    )
    axis.plot(
        aside * sizes,
        rows["median"],
        look.marker,
        color=look.colour,
        markersize=4.5,
        clip_on=False,
    )


def _sample_sentence(noisy: Noisy, model: str, words: Words) -> str:
    """Say where samples lie with the largest epsilon."""
    loss, utility = (_last(noisy, model, measure) for measure in MEASURES)
    return words.say(
        "mechanism_samples_alt",
        model=words.say(f"mechanism_{model}"),
        epsilon=epsilon_equals(str(loss.name), words.numbers),
        loss_low=_number(loss["low"], words),
        loss_high=_number(loss["high"], words),
        utility_low=_number(utility["low"], words),
        utility_high=_number(utility["high"], words),
    )


def _last(noisy: Noisy, model: str, measure: str) -> pd.Series:
    return noisy.of_samples(model, measure).iloc[-1]
