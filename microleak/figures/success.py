"""Success of attacks in several situations: a bar each."""

from collections.abc import Mapping

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import analysis_svg, plain_style


def success_bars(
    family: str, rows: pd.DataFrame, bars: Mapping[str, str], words: Words
) -> str:
    """Draw the chance to be right in several situations, as an `<svg>`."""
    numbers = words.numbers
    said, lines = [], list[Bar | str]()
    for _, row in rows.iterrows():
        shares = {n: float(row[n]) for n in bars if pd.notna(row[n])}
        attack = _attack(family, row, words)
        lines.append(attack)
        for name, share in shares.items():
            label = words.say(f"{family}_{name}")
            lines.append(Bar(label, share, numbers.short(share), bars[name]))
        told = {name: numbers.share(share) for name, share in shares.items()}
        alt = f"{family}_alt{'' if len(shares) == len(bars) else '_none'}"
        said.append(words.say(alt, attack=attack, **told))
    with plain_style():
        figure, (axis,) = bars_canvas([lines])
        draw_bars(axis, lines, 1.0)
        first = rows.iloc[0]
        told = {n: numbers.short(first[n]) for n in bars if pd.notna(first[n])}
        found = words.say(
            f"{family}_found{'' if told else '_none'}",
            attack=_attack(family, first, words),
            **told,
        )
        return analysis_svg(figure, (family, "success"), rows, (found, said), words)


def _attack(family: str, row: pd.Series, words: Words) -> str:
    name = str(row["sensitive"])
    return words.attribute(name) if name else words.say(f"{family}_reidentified")
