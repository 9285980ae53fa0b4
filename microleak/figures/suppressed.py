"""How figures show a value that is suppressed: a cross, and what the cross means."""

from collections.abc import Iterable

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from microleak.figures.svg import GREY
from microleak.figures.words import Words

MARK = "×"


def value_text(share: float, words: Words) -> str:
    """Write a share without its unit, or the mark of a suppressed one."""
    if pd.isna(share):
        return MARK
    # A published 0 may be a small share, or a small difference of two.
    return words.numbers.brief(share, is_positive=True)


def cross(axis: Axes, places: Iterable[float]) -> None:
    """Mark suppressed values at the foot of an axis, where each would stand."""
    for place in sorted(set(places)):
        axis.plot(place, 0, "x", color=GREY, markersize=4)


def explain_mark(
    figure: Figure, suppressed: Iterable[str], words: Words, note: str = ""
) -> None:
    """Write below a figure what the cross means, if it has one.

    Parameters
    ----------
    figure
        Where to write.
    suppressed
        What has a suppressed value; named once each.
    words
        Phrases and numbers.
    note
        What else is said there.
    """
    names = ", ".join(dict.fromkeys(suppressed))
    marks = [words.say("suppressed_mark", mark=MARK, names=names)] if names else []
    if text := "\n".join([*([note] if note else []), *marks]):
        figure.supxlabel(text, x=0.01, ha="left", color=GREY, fontsize=8.5)
