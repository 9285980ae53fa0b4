"""Groups of values in states side by side: a sentence and a table for each group."""

from collections.abc import Sequence

import pandas as pd

from microleak.figures.states import NAMES, full_name, ranked
from microleak.report.contents import Headline, Listed
from microleak.report.groups import GroupRow, group_row, most_certain
from microleak.report.side_by_side import SideBySide
from microleak.report.spans import span
from microleak.report.state_tables import StateGrid
from microleak.report.texts import Voice

Group = tuple[str, Listed]
"""Its name, and what the study file gives of it."""


def groups_of(
    study: Headline, shown: SideBySide, several: Sequence[SideBySide]
) -> list[Group]:
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


def group_sentence(shown: SideBySide, group: Group, voice: Voice) -> str:
    """Say of what share of a group's members an adversary is certain, by state.

    Empty if it is suppressed in every state.
    """
    name, listed = group
    rows = _rows(shown, name)
    shares = rows["posterior_det"].astype("float64").rename(index=NAMES)
    is_some = rows["n_certain"].ne(0).fillna(True).rename(index=NAMES)
    certain = span(
        shares, lambda state: voice.numbers.share(shares[state], is_some[state]), voice
    )
    if not certain:
        return ""
    return voice.say(
        "states.group",
        group=name,
        attribute=voice.attribute(listed.attribute),
        attributes=voice.attributes(int(rows["n_qids"].max())),
        certain=certain,
    )


def group_grid(shown: SideBySide, group: Group, voice: Voice) -> StateGrid:
    """Lay out the members of a group in each state, and what is inferred of them."""
    name, _ = group
    rows = _rows(shown, name)
    heads = ("column_members", "column_certain", "column_likely", "column_belief")
    return StateGrid(
        caption=voice.say(
            "states.group_caption",
            group=name,
            attributes=voice.attributes(int(rows["n_qids"].max())),
            year=shown.year,
        ),
        corner=voice.say("states.column_state"),
        heads=tuple(voice.say(f"states.group_{head}") for head in heads),
        rows=tuple(
            (full_name(str(state)), _cells(row, group_row(row, voice), voice))
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
    members = voice.numbers.count(row["n_members"])
    return members, told.certain, told.likely, told.belief
