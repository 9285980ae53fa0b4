"""A map of Brazil's states as tiles (Gonze, Figure 1)."""

import textwrap

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from microleak.figures import states
from microleak.figures.scales import percent_labels, round_steps
from microleak.figures.shades import Shades, blues, draw_cell
from microleak.figures.suppressed import explain_mark, value_text
from microleak.figures.svg import GREY, canvas, mark_synthetic, plain_style, svg_text
from microleak.figures.words import Words

_LAYOUT = """
.  RR .  AP .  .  .
.  AM PA MA PI CE RN
AC RO MT TO BA PE PB
.  .  MS GO DF SE AL
.  .  .  SP MG ES .
.  .  .  PR RJ .  .
.  .  .  SC .  .  .
.  .  .  RS .  .  .
"""

PLACES = {
    state: (column, row)
    for row, line in enumerate(_LAYOUT.split("\n")[1:-1])
    for column, state in enumerate(line.split())
    if state != "."
}
"""Column and row of each state's tile, from the north-west."""

_KINDS = ("prior", "posterior")
_N_SLICES = 40
_KEY_LEFT = -0.46
_SCALE_WIDTH = 2.6
_CHANCE_WIDTH = 24


def state_map(rows: pd.DataFrame, words: Words) -> str:
    """Draw the prior and the posterior with all QIDs of each state, as two maps.

    Both have the same shades from 0 %, so that the second is darker by what the
    attack brings. A state without a row is an empty outline, one whose value is
    suppressed a cross on grey.

    Parameters
    ----------
    rows
        Rows of `measures/states.csv` of one analysis and one sensitive attribute; not
        empty. Only the newest year is drawn.
    words
        Phrases, numbers and whether any of the releases is synthetic.

    Returns
    -------
    str
        An `<svg>` element.
    """
    drawn = states.ranked(rows)
    shares = drawn[[f"{kind}_prob" for kind in _KINDS]].astype(float)
    shades = blues(shares.to_numpy().ravel())
    number = words.attributes(int(drawn["n_qids"].iloc[0]))
    with plain_style():
        figure, axes = canvas(1, 2, (10, 5.9))
        for axis, kind in zip(axes, _KINDS, strict=True):
            _draw_tiles(axis, shares[f"{kind}_prob"], shades, words)
            axis.set_title(words.say(f"map_{kind}", attributes=number))
        _draw_scale(axes[0], shades, words)
        hidden = shares[shares.isna().any(axis=1)].index
        explain_mark(figure, sorted(hidden), words, _outlined(drawn, words))
        mark_synthetic(figure, words)
        said = _description(shares, number, words)
        return svg_text(figure, states.caption("state_map", rows, words, said))


def _draw_tiles(axis: Axes, shares: pd.Series, shades: Shades, words: Words) -> None:
    for state, place in PLACES.items():
        if state not in shares.index:
            _draw_outline(axis, place)
            _write(axis, place, state, GREY)
            continue
        column, row = place
        share = shares[state]
        ink = draw_cell(axis, place, share, shades)
        _write(axis, (column, row - 0.19), state, ink, weight="bold")
        _write(axis, (column, row + 0.19), value_text(share, words), ink)
    axis.set(xlim=(-0.6, 6.6), ylim=(7.6, -0.6), aspect="equal")
    axis.set_axis_off()


def _draw_outline(axis: Axes, place: tuple[float, float]) -> None:
    column, row = place
    corner = (column - 0.46, row - 0.46)
    axis.add_patch(
        Rectangle(corner, 0.92, 0.92, fill=False, edgecolor="#B0B0B0", linewidth=0.8)
    )


def _write(
    axis: Axes,
    place: tuple[float, float],
    text: str,
    ink: str,
    weight: str = "normal",
) -> None:
    axis.text(*place, text, color=ink, weight=weight, ha="center", va="center")


def _draw_scale(axis: Axes, shades: Shades, words: Words) -> None:
    """Draw what the shades mean, in the sea south-west of the tiles."""
    for number in range(_N_SLICES):
        # Each slice reaches to the end, below the next, so that no seam is seen.
        start = number / _N_SLICES
        corner = (_KEY_LEFT + start * _SCALE_WIDTH, 5.2)
        colour = shades.fill((start + 0.5 / _N_SLICES) * shades.largest)
        width = (1 - start) * _SCALE_WIDTH
        axis.add_patch(Rectangle(corner, width, 0.3, color=colour, linewidth=0))
    steps = round_steps([shades.largest])
    for step, label in zip(steps, percent_labels(steps, words), strict=True):
        left = _KEY_LEFT + step / shades.largest * _SCALE_WIDTH
        axis.text(left, 5.58, label, fontsize=8, ha="center", va="top")
    chance = textwrap.fill(words.say("chance"), _CHANCE_WIDTH)
    axis.text(_KEY_LEFT, 5.1, chance, fontsize=8.5, va="bottom")


def _outlined(drawn: pd.DataFrame, words: Words) -> str:
    if len(drawn) == len(PLACES):
        return ""
    return words.say("map_outline", year=drawn["year"].iloc[0])


def _description(shares: pd.DataFrame, number: str, words: Words) -> str:
    prior, posterior = (
        states.extremes(shares[f"{kind}_prob"], words.numbers.share, words)
        for kind in _KINDS
    )
    return words.say("map_alt", attributes=number, prior=prior, posterior=posterior)
