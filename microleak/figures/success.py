"""Success of attacks in several situations: a bar each."""

from collections.abc import Mapping

import pandas as pd

from microleak.figures.marks import write_above
from microleak.figures.numbers import Words
from microleak.figures.svg import GREY, analysis_svg, canvas, plain_style


def success_bars(
    family: str, rows: pd.DataFrame, bars: Mapping[str, str], words: Words
) -> str:
    """Draw the chance to be right in several situations, as an `<svg>`.

    Parameters
    ----------
    family
        Whose texts are said: `FAMILY_right` below the bars, `FAMILY_reidentified` where
        a row has no `sensitive`, and `FAMILY_alt`, of each row's `attack` and shares,
        or `FAMILY_alt_none` where a share is missing. `FAMILY_found` is the title, of
        the first row.
    rows
        A row an attack, texts never missing. A share that is missing has no bar.
    bars
        Colour by the column that has the share, in the order of the bars.
    words
        In which language.
    """
    numbers = words.numbers
    width = 0.81 / len(bars)
    said, labels = [], []
    with plain_style():
        figure, (axis,) = canvas(1, 1, (8, 4))
        for place, (_, row) in enumerate(rows.iterrows()):
            shares = {n: float(row[n]) for n in bars if pd.notna(row[n])}
            for bar, (name, colour) in enumerate(bars.items()):
                if name in shares:
                    at = place + (bar - (len(bars) - 1) / 2) * width
                    axis.bar(at, shares[name], 0.92 * width, color=colour)
                    above = numbers.short(shares[name])
                    write_above(axis, (at, shares[name]), above, 3)
            attack = _attack(family, row, words)
            labels.append(attack)
            told = {name: numbers.share(share) for name, share in shares.items()}
            alt = f"{family}_alt{'' if len(shares) == len(bars) else '_none'}"
            said.append(words.say(alt, attack=attack, **told))
        axis.set_xticks(range(len(rows)), labels, fontsize=9)
        axis.set_ylim(0, 1.12)
        axis.tick_params(left=False, labelleft=False, color=GREY)
        axis.grid(visible=False)
        axis.spines["left"].set_visible(False)
        axis.set_xlabel(words.say(f"{family}_right"))
        first = rows.iloc[0]
        found = words.say(
            f"{family}_found",
            attack=_attack(family, first, words),
            **{n: numbers.short(first[n]) for n in bars if pd.notna(first[n])},
        )
        return analysis_svg(figure, (family, "success"), rows, (found, said), words)


def _attack(family: str, row: pd.Series, words: Words) -> str:
    name = str(row["sensitive"])
    return words.attribute(name) if name else words.say(f"{family}_reidentified")
