"""Persons by the chance that they are in a sample, of it and of its population."""

import pandas as pd

from microleak.figures.captions import caption
from microleak.figures.membership_bars import Bar, draw_bars, highest_of, told
from microleak.figures.membership_rows import (
    CERTAIN,
    PERSONS_OF,
    Membership,
    PersonClass,
)
from microleak.figures.suppressed import MARK, explain_mark
from microleak.figures.svg import Caption, canvas, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_HEIGHT = 2.5


def presence_bars(shown: Membership, words: Words) -> str:
    """Draw how many persons have which chance to be in the sample.

    Above the persons of the sample, below those of the population unless all of
    that is suppressed: one bar for each class of the chance with the QIDs that the
    page tells of, that of a chance of 1 in another colour. A suppressed share is a
    cross.

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
    row = shown.told
    bars = {name: _bars(shown, row, name, words) for name in PERSONS_OF}
    hidden = [
        words.say(f"persons_of_{name}")
        for name, of_name in bars.items()
        if any(pd.isna(bar.height) for bar in of_name)
    ]
    drawn = {
        name: of_name
        for name, of_name in bars.items()
        if name == PERSONS_OF[0] or any(pd.notna(bar.height) for bar in of_name)
    }
    with plain_style():
        figure, axes = canvas(len(drawn), 1, (8, 0.6 + _HEIGHT * len(drawn)))
        for axis, (name, of_name) in zip(axes, drawn.items(), strict=True):
            draw_bars(axis, of_name, highest_of(*drawn.values()))
            axis.set_title(words.say(f"persons_of_{name}"), fontsize=10)
        axes[-1].set_xlabel(words.say("presence_chance"))
        explain_mark(figure, hidden, words)
        mark_synthetic(figure, words)
        return svg_text(figure, _caption(shown, drawn, words))


def _caption(shown: Membership, drawn: dict[str, list[Bar]], words: Words) -> Caption:
    said = [_sentence(shown.told, name, bars, words) for name, bars in drawn.items()]
    return caption("membership", "persons", shown.measures, words, said)


def _bars(shown: Membership, row: pd.Series, name: str, words: Words) -> list[Bar]:
    return [
        Bar(
            label=_label(part, words),
            height=part.share,
            text=MARK
            if pd.isna(part.share)
            else f"{words.numbers.brief(part.share, part.n_records > 0)}%",
            is_certain=part.lower == CERTAIN,
        )
        for part in shown.persons(row, name)
    ]


def _label(part: PersonClass, words: Words) -> str:
    lower = words.numbers.count(part.lower)
    if part.upper is None:
        return f"{lower}%"
    upper = f"{words.numbers.count(part.upper)}%"
    key = "chance_between" if part.lower else "chance_below"
    return words.say(key, lower=lower, upper=upper)


def _sentence(row: pd.Series, name: str, bars: list[Bar], words: Words) -> str:
    return words.say(
        f"persons_alt_{name}",
        attributes=words.attributes(int(row["n_qids"])),
        shares=told(bars),
    )
