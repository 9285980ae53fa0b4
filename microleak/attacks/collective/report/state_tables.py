"""The numbers behind the figures of states, as tables and sentences of the page."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from microleak.attacks.collective.figures.state_trends import fit_label
from microleak.attacks.collective.figures.states import (
    NAMES,
    full_name,
    ranked,
    with_all_qids,
)
from microleak.attacks.collective.report.contents import Facts, Listed, SideBySide
from microleak.attacks.collective.report.groups import GroupRow, group_row, most_certain
from microleak.report.parts import Grid
from microleak.report.texts import Voice, span

MORE_STATES = 5
"""So many more states than explanations are needed for a fit to be told in words."""

FEW_STATES = 10
"""With fewer a fit is said to be weak evidence: up to four explanations are tried."""

_STRENGTHS = {"none": 0.1, "little": 0.3, "part": 0.6, "most": 1.01}
"""Words for shares of variance, each for those below its number."""


def fits_told(shown: SideBySide, voice: Voice) -> Iterator[str]:
    """Say how much each explanation alone accounts for, and how weak that is."""
    fits = with_all_qids(shown.explained)
    alone = fits[~fits["explained_by"].str.contains("|", regex=False)]
    is_enough = alone["n_states"] >= 1 + MORE_STATES
    known = alone[is_enough].dropna(subset=["r_squared"])
    if known.empty:
        return
    n_states = int(known["n_states"].max())
    told = [_told(row, voice) for _, row in known.iterrows()]
    yield voice.say(
        "states.explained",
        n_states=voice.numbers.count(n_states),
        explanations="; ".join(told),
    )
    yield voice.say("states.few" if n_states < FEW_STATES else "states.not_why")


def explanation(row: pd.Series, voice: Voice) -> str:
    """Name what may explain the leakage, as one row of the fits says it."""
    return voice.listing(
        voice.say(f"states.{name}", sensitive=voice.attribute(row["sensitive"]))
        for name in row["explained_by"].split("|")
    )


def _told(row: pd.Series, voice: Voice) -> str:
    share = float(row["r_squared"])
    strength = next(word for word, end in _STRENGTHS.items() if share < end)
    return voice.say(
        "states.accounts",
        explanation=explanation(row, voice),
        share=voice.numbers.share(share),
        strength=voice.say(f"states.strength_{strength}"),
    )


StateValues = Mapping[tuple[str, Any], float]
"""A value by state, and by the number of QIDs, the year or the QID."""


def state_grids(shown: SideBySide, voice: Voice) -> dict[str, tuple[Grid, ...]]:
    """Return the tables behind each figure of states, by its kind.

    States stand from the highest leakage to the lowest.
    """
    grids: dict[str, tuple[Grid, ...]] = {
        "heat": (_leakage(shown, voice),),
        "posteriors": (_above(shown, voice),),
        "explained": (_explained(shown, voice),),
    }
    if shown.importance:
        grids["importance"] = tuple(_importance(shown, voice))
    if shown.has_years:
        grids["years"] = (_years(shown, voice),)
    return grids


def _leakage(shown: SideBySide, voice: Voice) -> Grid:
    """Lay out Gonze's Table 2, between the records and the posterior."""
    numbers = voice.numbers
    best = ranked(shown.rows)
    sizes = _sizes(shown.rows)
    cells = _by_state(shown.rows, "n_qids", "additive_leakage")

    def row(state: str) -> Iterator[str]:
        yield numbers.count(best.loc[state, "n_records"])
        yield numbers.share(best.loc[state, "prior_prob"])
        for size in sizes:
            yield _cell(cells, (state, size), numbers.points)
        yield numbers.share(best.loc[state, "posterior_prob"])

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


def _above(shown: SideBySide, voice: Voice) -> Grid:
    sizes = _sizes(shown.rows)
    cells = _by_state(shown.rows, "n_qids", "share_above_90")
    return _grid(
        voice.say("states.above_caption", year=shown.year),
        [*map(voice.numbers.count, sizes)],
        {
            state: tuple(_cell(cells, (state, n), voice.numbers.share) for n in sizes)
            for state in ranked(shown.rows).index
        },
        voice,
    )


def _years(shown: SideBySide, voice: Voice) -> Grid:
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


def _importance(shown: SideBySide, voice: Voice) -> Iterator[Grid]:
    """Lay out Gonze's Table 3: what it prints, and what its heading says."""
    states = [state for state in ranked(shown.rows).index if state in shown.importance]
    rows = pd.concat({state: shown.importance[state] for state in states})
    qids = [*dict.fromkeys(rows["qid"])]
    best = ranked(shown.rows)
    for kind, write in (
        ("posterior_prob", voice.numbers.share),
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


def _explained(shown: SideBySide, voice: Voice) -> Grid:
    rows = with_all_qids(shown.explained)
    names = ("correlation", "r_squared", "adjusted_r_squared")
    return Grid(
        caption=voice.say(
            "states.explained_caption",
            attributes=_known(rows, voice),
            n_states=voice.numbers.count(rows["n_states"].max()),
        ),
        headings=voice.columns("states", "explained_by", *names),
        rows=tuple(
            (explanation(row, voice), *(_fit(row, name, voice) for name in names))
            for _, row in rows.iterrows()
        ),
    )


def _fit(row: pd.Series, name: str, voice: Voice) -> str:
    """Write a correlation or share of variance, and why there may be none."""
    if pd.isna(row[name]):
        return voice.say("states.undefined")
    return fit_label(float(row[name]), voice.numbers)


def _grid(
    caption: str,
    heads: list[str],
    rows: Mapping[str, tuple[str, ...]],
    voice: Voice,
) -> Grid:
    return Grid(
        caption=caption,
        headings=(voice.say("states.column_state"), *heads),
        rows=tuple((full_name(state), *cells) for state, cells in rows.items()),
    )


def _known(rows: pd.DataFrame, voice: Voice) -> str:
    """Write how many attributes are known in rows of which all have as many."""
    return voice.attributes(int(rows["n_qids"].iloc[0]))


def _sizes(rows: pd.DataFrame) -> list[int]:
    return sorted(int(size) for size in rows["n_qids"].unique())


def _by_state(rows: pd.DataFrame, column: str, value: str) -> StateValues:
    keys = zip(rows["state"], rows[column], strict=True)
    return dict(zip(keys, rows[value], strict=True))


def _pairs(rows: pd.DataFrame) -> Iterator[tuple[str, str]]:
    """Yield the state, which is the index's first level, and QID of each row."""
    return zip(rows.index.get_level_values(0), rows["qid"], strict=True)


def _cell(
    cells: StateValues, key: tuple[str, Any], write: Callable[[float], str]
) -> str:
    """Write a value; nothing where the state has no such row."""
    return write(cells[key]) if key in cells else ""


NamedGroup = tuple[str, Listed]
"""Its name, and what the study file gives of it."""


def groups_of(
    study: Facts, shown: SideBySide, several: Sequence[SideBySide]
) -> list[NamedGroup]:
    """Return the groups that stand beside one sensitive attribute of an analysis.

    They are those of its values; beside the first attribute of an analysis also
    the groups of attributes that it does not infer.
    """
    inferred = [s.sensitive for s in several if s.analysis == shown.analysis]
    listed = {
        name: of_group
        for part in shown.parts.values()
        for name, of_group in study.groups.get(part, {}).items()
        if any(name in set(rows["group"]) for rows in shown.groups.values())
    }
    return [
        (name, of_group)
        for name, of_group in listed.items()
        if of_group.attribute == shown.sensitive
        or (of_group.attribute not in inferred and shown.sensitive == inferred[0])
    ]


def group_sentence(shown: SideBySide, group: NamedGroup, voice: Voice) -> str:
    """Say of what share of a group's members an adversary is certain, by state.

    Empty if no state has a member.
    """
    name, listed = group
    rows = _rows(shown, name)
    shares = rows["posterior_det"].astype("float64").rename(index=NAMES)
    certain = span(shares, lambda state: voice.numbers.share(shares[state]), voice)
    if not certain:
        return ""
    return voice.say(
        "states.group",
        group=name,
        attribute=voice.attribute(listed.attribute),
        attributes=voice.attributes(int(rows["n_qids"].max())),
        certain=certain,
    )


def group_grid(shown: SideBySide, group: NamedGroup, voice: Voice) -> Grid:
    """Lay out the members of a group in each state, and what is inferred of them."""
    name, _ = group
    rows = _rows(shown, name)
    heads = ("members", "certain", "likely", "belief")
    return Grid(
        caption=voice.say(
            "states.group_caption",
            group=name,
            attributes=voice.attributes(int(rows["n_qids"].max())),
            year=shown.year,
        ),
        headings=(
            voice.say("states.column_state"),
            *(voice.say(f"states.group_column_{head}") for head in heads),
        ),
        rows=tuple(
            (full_name(str(state)), *_cells(row, group_row(row, voice), voice))
            for state, row in rows.iterrows()
        ),
    )


def _rows(shown: SideBySide, group: str) -> pd.DataFrame:
    """Return each state's row of a group: of the largest subsets the most certain.

    The index holds the letters, in the order of the other tables of states.
    """
    found = {}
    for state in ranked(shown.rows).index.intersection([*shown.groups], sort=False):
        rows = shown.groups[state]
        of_group = rows[rows["group"] == group]
        largest = of_group[of_group["n_qids"] == of_group["n_qids"].max()]
        found[state] = most_certain(largest)
    return pd.concat(found).droplevel(1)


def _cells(row: pd.Series, told: GroupRow, voice: Voice) -> tuple[str, ...]:
    return voice.numbers.count(row["n_members"]), told.certain, told.likely, told.belief
