"""Whom a person who is alone in the sample may be (Rodrigues, 3.6.1)."""

import pandas as pd

from microleak.figures.captions import caption
from microleak.figures.membership_bars import Bar, draw_bars, highest_of, told
from microleak.figures.membership_rows import Fitting, Membership
from microleak.figures.suppressed import MARK, explain_mark
from microleak.figures.svg import canvas, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words


def unique_bars(shown: Membership, words: Words) -> str:
    """Draw how many persons alone in the sample fit how many of the population.

    One bar for each class of that number, with its count: none in grey, exactly
    one in another colour. A suppressed count is a cross.

    Parameters
    ----------
    shown
        The tables of one analysis.
    words
        Phrases, numbers and whether the study is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    bars = [_bar(part, words) for part in shown.fitting(shown.told)]
    with plain_style():
        figure, (axis,) = canvas(1, 1, (8, 4))
        draw_bars(axis, bars, highest_of(bars))
        axis.set_xlabel(words.say("uniques_fitting"))
        axis.set_ylabel(words.say("uniques_persons"))
        explain_mark(figure, [b.label for b in bars if pd.isna(b.height)], words)
        mark_synthetic(figure, words)
        said = [words.say("uniques_alt", counts=told(bars))]
        measures = shown.measures
        return svg_text(figure, caption("membership", "uniques", measures, words, said))


def class_text(part: Fitting, words: Words) -> str:
    """Write a class of numbers of persons, as in `3 to 4`."""
    lower = words.numbers.count(part.lower)
    if part.upper is None:
        return words.say("range_above", lower=lower)
    if part.upper == part.lower:
        return lower
    return words.say("range", lower=lower, upper=words.numbers.count(part.upper))


def _bar(part: Fitting, words: Words) -> Bar:
    number = part.n_sample_unique
    return Bar(
        label=class_text(part, words),
        height=number,
        text=MARK if pd.isna(number) else words.numbers.count(number),
        is_certain=part.lower == 1,
        is_absent=part.lower == 0,
    )
