"""Success of attacks in several situations: a bar each."""

from collections.abc import Mapping

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.numbers import Words
from microleak.figures.svg import analysis_svg, plain_style


def success_bars(
    family: str, rows: pd.DataFrame, bars: Mapping[str, str], words: Words
) -> str:
    """Draw the chance to be right in several situations, as an `<svg>`.

    `bars` are the columns with the chances, from the top, and their colours.
    """
    said, lines, told = list[str](), list[Bar | str](), dict[str, str]()
    for _, row in rows.iterrows():
        shares = {name: float(row[name]) for name in bars if pd.notna(row[name])}
        sensitive = str(row["sensitive"])
        attack = words.attribute(sensitive) if sensitive else words.say("reidentified")
        lines.append(attack)
        for name, share in shares.items():
            label, short = words.say(f"{family}_{name}"), words.numbers.short(share)
            lines.append(Bar(label, share, short, bars[name]))
        alt = f"{family}_alt{'' if len(shares) == len(bars) else '_none'}"
        said.append(words.say(alt, row, attack=attack))
        found = f"{family}_found{'' if shares else '_none'}"
        told.setdefault("first", words.say(found, row, attack=attack))
    with plain_style():
        figure, (axis,) = bars_canvas([lines])
        draw_bars(axis, lines, 1.0)
        kind = (family, "success")
        return analysis_svg(figure, kind, rows, (told["first"], said), words)
