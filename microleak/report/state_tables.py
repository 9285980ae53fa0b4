"""The numbers behind the figures of states, as tables of the page."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from microleak.columns import SUPPRESSED
from microleak.figures.explained import fit_label
from microleak.figures.states import full_name, ranked, with_all_qids
from microleak.report.fits import explanation
from microleak.report.side_by_side import SideBySide
from microleak.report.texts import Voice

Cells = Mapping[tuple[str, Any], float]
"""A value by state, and by the number of QIDs, the year or the QID."""


@dataclass(frozen=True)
class StateGrid:
    """A table of numbers; each row is what it is of, and its cells."""

    caption: str
    corner: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


def state_grids(shown: SideBySide, voice: Voice) -> dict[str, tuple[StateGrid, ...]]:
    """Return the tables behind each figure of states, by its kind.

    States stand from the highest leakage to the lowest; `above` is behind none.
    """
    grids: dict[str, tuple[StateGrid, ...]] = {
        "heat": (_leakage(shown, voice),),
        "above": (_above(shown, voice),),
        "explained": (_explained(shown, voice),),
    }
    if shown.importance:
        grids["importance"] = tuple(_importance(shown, voice))
    if shown.has_years:
        grids["years"] = (_years(shown, voice),)
    return grids


def _leakage(shown: SideBySide, voice: Voice) -> StateGrid:
    """Lay out Gonze's Table 2, between the records and the posterior."""
    numbers = voice.numbers
    best = ranked(shown.rows)
    sizes = _sizes(shown.rows)
    cells = _by_state(shown.rows, "n_qids", "additive_leakage")

    def row(state: str) -> Iterator[str]:
        yield numbers.count(best.loc[state, "n_records"])
        yield numbers.share(best.loc[state, "prior_prob"], True)
        for size in sizes:
            yield _cell(cells, (state, size), numbers.points)
        yield numbers.share(best.loc[state, "posterior_prob"], True)

    return _grid(
        voice.say("states.leakage_caption", year=shown.year),
        [
            voice.say("page.column_records"),
            voice.say("states.column_prior"),
            *map(numbers.count, sizes),
            voice.say("states.column_posterior", attributes=_known(best, voice)),
        ],
        {state: tuple(row(state)) for state in best.index},
        voice,
    )


def _above(shown: SideBySide, voice: Voice) -> StateGrid:
    sizes = _sizes(shown.rows)
    cells = _by_state(shown.rows, "n_qids", "share_above_90")
    n_above = _by_state(shown.rows, "n_qids", "n_above_90")

    def write(key: tuple[str, int]) -> str:
        is_some = pd.isna(n_above.get(key)) or n_above[key] > 0
        return _cell(cells, key, lambda share: voice.numbers.share(share, is_some))

    return _grid(
        voice.say("states.above_caption", year=shown.year),
        [*map(voice.numbers.count, sizes)],
        {
            state: tuple(write((state, size)) for size in sizes)
            for state in ranked(shown.rows).index
        },
        voice,
    )


def _years(shown: SideBySide, voice: Voice) -> StateGrid:
    """Lay out the leakage with all QIDs of each year, the newest last."""
    rows = with_all_qids(shown.years)
    years = sorted(rows["year"].unique())
    cells = _by_state(rows, "year", "additive_leakage")
    states = [*ranked(shown.rows).index]
    older = sorted({*rows["state"]} - {*states})
    return _grid(
        voice.say("states.years_caption", attributes=_known(rows, voice)),
        years,
        {
            state: tuple(_cell(cells, (state, y), voice.numbers.points) for y in years)
            for state in [*states, *older]
        },
        voice,
    )


def _importance(shown: SideBySide, voice: Voice) -> Iterator[StateGrid]:
    """Lay out Gonze's Table 3: what it prints, and what its heading says."""
    states = [state for state in ranked(shown.rows).index if state in shown.importance]
    rows = pd.concat({state: shown.importance[state] for state in states})
    qids = [*dict.fromkeys(rows["qid"])]
    best = ranked(shown.rows)
    for kind, write in (
        ("posterior_prob", lambda share: voice.numbers.share(share, True)),
        ("additive_leakage", voice.numbers.points),
    ):
        without = rows[f"{kind}_without"]
        cells = dict(zip(_pairs(rows), without, strict=True))
        yield _grid(
            voice.say(f"states.importance_{kind}", year=shown.year),
            [voice.say("states.column_all"), *qids],
            {
                state: (
                    write(best.loc[state, kind]),
                    *(_cell(cells, (state, qid), write) for qid in qids),
                )
                for state in states
            },
            voice,
        )


def _explained(shown: SideBySide, voice: Voice) -> StateGrid:
    rows = with_all_qids(shown.explained)
    names = ("correlation", "r_squared", "adjusted_r_squared")
    return StateGrid(
        caption=voice.say(
            "states.explained_caption",
            attributes=_known(rows, voice),
            n_states=voice.numbers.count(rows["n_states"].max()),
        ),
        corner=voice.say("states.column_explained_by"),
        heads=tuple(voice.say(f"states.column_{name}") for name in names),
        rows=tuple(
            (explanation(row, voice), tuple(_fit(row, name, voice) for name in names))
            for _, row in rows.iterrows()
        ),
    )


def _fit(row: pd.Series, name: str, voice: Voice) -> str:
    """Write a correlation or share of variance, and why there may be none."""
    if pd.isna(row[name]):
        is_hidden = name in row.get(SUPPRESSED, "").split("|")
        return voice.numbers.suppressed if is_hidden else voice.say("states.undefined")
    return fit_label(float(row[name]), voice.numbers)


def _grid(
    caption: str,
    heads: list[str],
    rows: Mapping[str, tuple[str, ...]],
    voice: Voice,
) -> StateGrid:
    return StateGrid(
        caption=caption,
        corner=voice.say("states.column_state"),
        heads=tuple(heads),
        rows=tuple((full_name(state), cells) for state, cells in rows.items()),
    )


def _known(rows: pd.DataFrame, voice: Voice) -> str:
    """Write how many attributes are known in rows of which all have as many."""
    return voice.attributes(int(rows["n_qids"].iloc[0]))


def _sizes(rows: pd.DataFrame) -> list[int]:
    return sorted(int(size) for size in rows["n_qids"].unique())


def _by_state(rows: pd.DataFrame, column: str, value: str) -> Cells:
    keys = zip(rows["state"], rows[column], strict=True)
    return dict(zip(keys, rows[value], strict=True))


def _pairs(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the state, which is the index's first level, and QID of each row."""
    return zip(rows.index.get_level_values(0), rows["qid"], strict=True)


def _cell(cells: Cells, key: tuple[str, Any], write: Callable[[float], str]) -> str:
    """Write a value; nothing where the state has no such row."""
    return write(cells[key]) if key in cells else ""
