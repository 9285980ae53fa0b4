"""The numbers behind the figures of states, as tables and sentences of the page."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pandas as pd

from microleak.attacks.collective.figures.state_trends import fit_label
from microleak.attacks.collective.figures.states import (
    NAMES,
    full_name,
    ranked,
    with_all_qids,
)
from microleak.attacks.collective.report.contents import Facts, Listed, SideBySide
from microleak.attacks.collective.report.groups import most_certain, with_told
from microleak.report.parts import Grid, GridColumn, grid
from microleak.report.texts import Voice, span

MORE_STATES = 5
"""So many more states than explanations are needed for a fit to be told in words."""

FEW_STATES = 10
"""With fewer a fit is said to be weak evidence: up to four explanations are tried."""

_STRENGTHS = {"none": 0.1, "little": 0.3, "part": 0.6, "most": 1.01}
"""Words for shares of variance, each for those below its number."""


def fits_told(shown: SideBySide, voice: Voice) -> Iterator[str]:
    """Write how much each explanation alone accounts for, and how weak that is."""
    fits = with_all_qids(shown.explained)
    alone = fits[~fits["explained_by"].str.contains("|", regex=False)]
    is_enough = alone["n_states"] >= 1 + MORE_STATES
    known = alone[is_enough].dropna(subset=["r_squared"])
    if known.empty:
        return
    n_states = int(known["n_states"].max())
    told = "; ".join(_told(row, voice) for _, row in known.iterrows())
    yield voice.say("states.explained", n_states=n_states, explanations=told)
    yield voice.say("states.few" if n_states < FEW_STATES else "states.not_why")


def explanation(row: pd.Series, voice: Voice) -> str:
    """Name what may explain the leakage, as one row of the fits says it."""
    names = row["explained_by"].split("|")
    return voice.listing(voice.say(f"states.{name}", row) for name in names)


def _told(row: pd.Series, voice: Voice) -> str:
    share = float(row["r_squared"])
    word = next(word for word, end in _STRENGTHS.items() if share < end)
    strength = voice.say(f"states.strength_{word}")
    said = explanation(row, voice)
    return voice.say("states.accounts", row, explanation=said, strength=strength)


def state_grids(shown: SideBySide, voice: Voice) -> dict[str, tuple[Grid, ...]]:
    """Return the tables behind each figure of states, by its kind."""
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
    numbers, best = voice.numbers, ranked(shown.rows)
    sizes = _by_state(shown.rows, "n_qids", "additive_leakage", numbers.points)
    heads = voice.columns("states", "n_records", "prior")
    posterior = voice.say("states.column_posterior", best.iloc[0])
    cells = [
        best["n_records"].map(numbers.count),
        best["prior_prob"].map(numbers.share),
        sizes.reindex(best.index),
        best["posterior_prob"].map(numbers.share),
    ]
    return _grid(
        voice.say("states.leakage_caption", year=shown.year),
        [*heads, *map(numbers.count, sizes), posterior],
        pd.concat(cells, axis="columns"),
        voice,
    )


def _above(shown: SideBySide, voice: Voice) -> Grid:
    write = voice.numbers.share
    sizes = _by_state(shown.rows, "n_qids", "share_above_90", write)
    caption = voice.say("states.above_caption", year=shown.year)
    rows = sizes.reindex(ranked(shown.rows).index)
    return _grid(caption, [*map(voice.numbers.count, sizes)], rows, voice)


def _years(shown: SideBySide, voice: Voice) -> Grid:
    """Lay out the leakage with all QIDs of each year, the newest last."""
    rows = with_all_qids(shown.years)
    years = _by_state(rows, "year", "additive_leakage", voice.numbers.points)
    newest = ranked(shown.rows).index
    in_order = years.reindex([*newest, *years.index.difference(newest)])
    caption = voice.say("states.years_caption", rows.iloc[0])
    return _grid(caption, [*years], in_order, voice)


def _importance(shown: SideBySide, voice: Voice) -> Iterator[Grid]:
    """Lay out Gonze's Table 3: what it prints, and what its heading says."""
    states = [state for state in ranked(shown.rows).index if state in shown.importance]
    parts = {state: shown.importance[state] for state in states}
    rows = pd.concat(parts, names=["state"]).reset_index("state")
    best = ranked(shown.rows).loc[states]
    for kind, write in (
        ("posterior_prob", voice.numbers.share),
        ("additive_leakage", voice.numbers.points),
    ):
        qids = _by_state(rows, "qid", f"{kind}_without", write)[rows["qid"].unique()]
        yield _grid(
            voice.say(f"states.importance_{kind}", year=shown.year),
            [voice.say("states.column_all"), *qids],
            pd.concat([best[kind].map(write), qids.loc[states]], axis="columns"),
            voice,
        )


def _explained(shown: SideBySide, voice: Voice) -> Grid:
    rows = with_all_qids(shown.explained)
    names = ("correlation", "r_squared", "adjusted_r_squared")
    most = {"n_states": int(rows["n_states"].max())}
    columns: list[GridColumn] = [
        ("explained_by", lambda row: explanation(row, voice)),
        *((name, partial(_fit, name=name, voice=voice)) for name in names),
    ]
    caption = voice.say("states.explained_caption", rows.iloc[0], **most)
    return grid(voice, "states", rows, columns, caption=caption)


def _fit(row: pd.Series, name: str, voice: Voice) -> str:
    """Write a correlation or share of variance, and why there may be none."""
    if pd.isna(row[name]):
        return voice.say("states.undefined")
    return fit_label(float(row[name]), voice.numbers)


def _grid(caption: str, heads: list[str], cells: pd.DataFrame, voice: Voice) -> Grid:
    written = cells.fillna("").itertuples(name=None)
    return Grid(
        caption=caption,
        headings=(voice.say("states.column_state"), *heads),
        rows=tuple((full_name(state), *texts) for state, *texts in written),
    )


def _by_state(
    rows: pd.DataFrame, column: str, value: str, write: Callable[[float], str]
) -> pd.DataFrame:
    """Return a value, as it is written, by state and by what a column has."""
    return rows.assign(text=rows[value].map(write)).pivot_table(
        "text", index="state", columns=column, aggfunc="last"
    )


NamedGroup = tuple[str, Listed]
"""Its name, and what the study file gives of it."""


def groups_of(
    study: Facts, shown: SideBySide, several: Sequence[SideBySide]
) -> list[NamedGroup]:
    """Return the groups that stand beside one sensitive attribute of an analysis."""
    # Those of its values; beside the first attribute also those of values that the
    # analysis does not infer.
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
    """Write the share of a group's members that are known for certain, by state."""
    name, listed = group
    rows = _rows(shown, name)
    shares = rows["posterior_det"].astype("float64").rename(index=NAMES)
    certain = span(shares, lambda state: voice.numbers.share(shares[state]), voice)
    if not certain:
        return ""
    told = {"group": name, "attribute": voice.attribute(listed.attribute)}
    return voice.say("states.group", _with_most(rows), certain=certain, **told)


def _with_most(rows: pd.DataFrame) -> pd.Series:
    return rows.iloc[int(rows["n_qids"].argmax())]


def group_grid(shown: SideBySide, group: NamedGroup, voice: Voice) -> Grid:
    """Lay out the members of a group in each state, and what is inferred of them."""
    rows = with_told(_rows(shown, group[0]), voice)
    names = ("certain", "likely", "belief")
    columns: list[GridColumn] = [
        ("state", lambda row: full_name(str(row["state"]))),
        "group_members=n_members",
        *(f"group_{name}={name}" for name in names),
    ]
    year = {"year": shown.year}
    caption = voice.say("states.group_caption", _with_most(rows), **year)
    shown_rows = rows.rename_axis("state").reset_index()
    return grid(voice, "states", shown_rows, columns, caption=caption)


def _rows(shown: SideBySide, group: str) -> pd.DataFrame:
    """Return each state's row of a group: of the largest subsets the most certain."""
    found = {}
    for state in ranked(shown.rows).index.intersection([*shown.groups], sort=False):
        rows = shown.groups[state]
        of_group = rows[rows["group"] == group]
        largest = of_group[of_group["n_qids"] == of_group["n_qids"].max()]
        found[state] = most_certain(largest)
    return pd.concat(found).droplevel(1)
