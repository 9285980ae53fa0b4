"""States side by side: heat maps by number of QIDs, and the map of tiles."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from microleak.figures import scales
from microleak.figures.numbers import Words
from microleak.figures.svg import GREY, canvas, captioned, marked_svg, plain_style

NAMES = {
    "AC": "Acre",
    "AL": "Alagoas",
    "AM": "Amazonas",
    "AP": "Amapá",
    "BA": "Bahia",
    "CE": "Ceará",
    "DF": "Distrito Federal",
    "ES": "Espírito Santo",
    "GO": "Goiás",
    "MA": "Maranhão",
    "MG": "Minas Gerais",
    "MS": "Mato Grosso do Sul",
    "MT": "Mato Grosso",
    "PA": "Pará",
    "PB": "Paraíba",
    "PE": "Pernambuco",
    "PI": "Piauí",
    "PR": "Paraná",
    "RJ": "Rio de Janeiro",
    "RN": "Rio Grande do Norte",
    "RO": "Rondônia",
    "RR": "Roraima",
    "RS": "Rio Grande do Sul",
    "SC": "Santa Catarina",
    "SE": "Sergipe",
    "SP": "São Paulo",
    "TO": "Tocantins",
}
"""Brazil's states by their letters."""


def full_name(state: str) -> str:
    """Name a state with its letters.

    >>> full_name("RR")
    'Roraima (RR)'
    """
    return f"{NAMES[state]} ({state})"


def newest(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the newest year, years being compared as text."""
    return rows[rows["year"] == rows["year"].max()]


def with_all_qids(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the largest number of QIDs."""
    return rows[rows["n_qids"] == rows["n_qids"].max()]


def ranked(rows: pd.DataFrame) -> pd.DataFrame:
    """Return each state's row of the newest year with all QIDs, by its letters."""
    chosen = with_all_qids(newest(rows)).sort_values("state", kind="stable")
    by_leakage = chosen.sort_values("additive_leakage", ascending=False, kind="stable")
    return by_leakage.set_index("state")


def extremes(values: pd.Series, write: Callable[[float], str], words: Words) -> str:
    """Write the highest and the lowest of some states' values, with their names."""
    known = values.dropna().astype(float)
    ends = [known.idxmax(), known.idxmin()]
    highest, lowest = (f"{full_name(end)} {write(known[end])}" for end in ends)
    if len(known) == 1:
        return highest
    return words.say("extremes", highest=highest, lowest=lowest)


def ends_found(
    key: str,
    values: pd.Series,
    write: Callable[[float], str],
    words: Words,
    **more: str,
) -> str:
    """Write in a phrase which states have the highest and the lowest value."""
    known = values.dropna().astype(float)
    highest, lowest = known.idxmax(), known.idxmin()
    if known[highest] == known[lowest]:  # said of the first state
        key = f"{key}_one"
    return words.say(
        key,
        highest=NAMES[highest],
        high=write(known[highest]),
        lowest=NAMES[lowest],
        low=write(known[lowest]),
        **more,
    )


def svg_of_states(
    figure: Figure,
    kind: str,
    rows: pd.DataFrame,
    said: tuple[str, str, str],
    words: Words,
) -> str:
    """Return a figure named by its kind; `said` is title, description and note."""
    title, description, note = said
    subject, year = str(rows["sensitive"].iloc[0]), str(rows["year"].max())
    first = words.say("states_alt", subject=words.attribute(subject), year=year)
    names = (kind, rows["analysis"].iloc[0], subject)
    caption = captioned(names, title, [first, description], words, note)
    return marked_svg(figure, caption, words)


_ASIDE = -1.2
"""Where the column stands that is set apart from those in shades."""

_WIDTH = 260.0
_LETTER = 6.0
"""Points of all columns together, and of a letter of a column's name."""


@dataclass(frozen=True)
class HeatMap:
    """Shares of states, a row a state."""

    cells: Mapping[tuple[str, str], float]
    states: Sequence[str]  # Letters, from the top
    columns: Sequence[str]  # Names, from the left
    head: str  # What the cells hold
    aside: Mapping[str, str]
    aside_head: str  # What that column holds


def state_heat(rows: pd.DataFrame, words: Words) -> str:
    """Draw the largest additive leakage of each state by the number of QIDs."""
    latest, best = newest(rows), ranked(rows)
    leakage = latest["additive_leakage"].astype(float)
    columns = latest["n_qids"].map(words.numbers.count)
    heat = HeatMap(
        cells=dict(
            zip(zip(latest["state"], columns, strict=True), leakage, strict=True)
        ),
        states=list(best.index),
        columns=[words.numbers.count(n) for n in sorted(latest["n_qids"].unique())],
        head=words.say("heat_leakage"),
        aside={s: words.numbers.brief(v) for s, v in best["prior_prob"].items()},
        aside_head=words.say("heat_prior"),
    )
    said = words.say(
        "heat_alt",
        attributes=words.attributes(int(best["n_qids"].iloc[0])),
        leakage=extremes(best["additive_leakage"], words.numbers.points, words),
    )
    with plain_style():
        figure = draw_heat(heat, scales.blues(leakage), words)
        found = leakage_found(best, words)
        return svg_of_states(figure, "state_heat", rows, (found, said, ""), words)


def leakage_found(best: pd.DataFrame, words: Words) -> str:
    """Write where the attack adds most and least, of rows as `ranked` gives them."""
    return ends_found(
        "heat_found",
        best["additive_leakage"],
        words.numbers.brief,
        words,
        attributes=words.attributes(int(best["n_qids"].iloc[0])),
    )


def draw_heat(heat: HeatMap, shades: scales.Shades, words: Words) -> Figure:
    """Draw a heat map with the value in each cell."""
    is_wide = _are_wide(heat.columns)
    head = 0.7 + (max(map(len, heat.columns)) * _LETTER / 72 if is_wide else 0.2)
    figure, (axis,) = canvas(1, 1, head + 0.26 * len(heat.states))
    for row, state in enumerate(heat.states):
        scales.write_centred(axis, (_ASIDE, row), heat.aside[state])
        for column, name in enumerate(heat.columns):
            share = heat.cells.get((state, name))
            if share is not None:
                ink = scales.draw_cell(axis, (column, row), share, shades)
                text = words.numbers.brief(share)
                scales.write_centred(axis, (column, row), text, color=ink)
    _describe_axis(axis, heat)
    return figure


def _describe_axis(axis: Axes, heat: HeatMap) -> None:
    axis.set_xlim(_ASIDE - 0.5, len(heat.columns) - 0.4)
    axis.set_ylim(len(heat.states) - 0.4, -0.6)
    places = [_ASIDE, *range(len(heat.columns))]
    axis.set_xticks(places, [heat.aside_head, *heat.columns])
    axis.set_yticks(range(len(heat.states)), heat.states)
    axis.tick_params(axis="x", top=True, labeltop=True, labelbottom=False)
    scales.hide_frame(axis)
    if _are_wide(heat.columns):
        for tick in axis.xaxis.get_major_ticks()[1:]:
            tick.label2.set_rotation(90)
    axis.xaxis.set_label_position("top")
    axis.set_xlabel(heat.head, labelpad=8)


def _are_wide(columns: Sequence[str]) -> bool:
    """Return whether the names of columns need more than the width of the columns."""
    return max(map(len, columns)) * len(columns) * _LETTER > _WIDTH


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
    """Draw the prior and the posterior with all QIDs of each state, as two maps."""
    drawn = ranked(rows)
    # The same shades, so that the second is darker by what the attack brings.
    shares = drawn[[f"{kind}_prob" for kind in _KINDS]].astype(float)
    shades = scales.blues(shares.to_numpy().ravel())
    number = words.attributes(int(drawn["n_qids"].iloc[0]))
    with plain_style():
        figure, axes = canvas(2, 2, 5.5)
        for axis, kind in zip(axes, _KINDS, strict=True):
            _draw_tiles(axis, shares[f"{kind}_prob"], shades, words)
            axis.set_title(words.say(f"map_{kind}", attributes=number))
            _draw_scale(axis, shades, words)
        is_partial = len(drawn) < len(PLACES)
        year = drawn["year"].iloc[0]
        note = words.say("map_outline", year=year) if is_partial else ""
        found = ends_found(
            "map_found",
            shares["posterior_prob"],
            words.numbers.short,
            words,
            attributes=number,
        )
        write = words.numbers.share
        ends = {k: extremes(shares[f"{k}_prob"], write, words) for k in _KINDS}
        said = found, words.say("map_alt", attributes=number, **ends), note
        return svg_of_states(figure, "state_map", rows, said, words)


def _draw_tiles(
    axis: Axes, shares: pd.Series, shades: scales.Shades, words: Words
) -> None:
    for state, place in PLACES.items():
        if state not in shares.index:
            scales.write_centred(axis, place, state, color=GREY)
            corner = (place[0] - 0.46, place[1] - 0.46)
            outline = Rectangle(corner, 0.92, 0.92, fill=False, linewidth=0.8)
            outline.set_edgecolor("#B0B0B0")
            axis.add_patch(outline)
            continue
        column, row = place
        share = shares[state]
        ink = scales.draw_cell(axis, place, share, shades)
        scales.write_centred(
            axis, (column, row - 0.19), state, color=ink, weight="bold"
        )
        text = words.numbers.brief(share)
        scales.write_centred(axis, (column, row + 0.19), text, color=ink)
    axis.set(xlim=(-0.6, 6.6), ylim=(7.6, -0.6), aspect="equal")
    axis.set_axis_off()


def _draw_scale(axis: Axes, shades: scales.Shades, words: Words) -> None:
    """Draw what the shades mean, in the sea south-west of the tiles."""
    for number in range(_N_SLICES):
        # Each slice reaches to the end, below the next, so that no seam is seen.
        start = number / _N_SLICES
        corner = (_KEY_LEFT + start * _SCALE_WIDTH, 5.2)
        colour = shades.fill((start + 0.5 / _N_SLICES) * shades.largest)
        width = (1 - start) * _SCALE_WIDTH
        axis.add_patch(Rectangle(corner, width, 0.3, color=colour, linewidth=0))
    steps = scales.round_steps([shades.largest])
    for step, label in zip(steps, scales.percent_labels(steps, words), strict=True):
        left = _KEY_LEFT + step / shades.largest * _SCALE_WIDTH
        axis.text(left, 5.58, label, ha="center", va="top")
    chance = textwrap.fill(words.say("chance"), _CHANCE_WIDTH)
    axis.text(_KEY_LEFT, 5.1, chance, va="bottom")
