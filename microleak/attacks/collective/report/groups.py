"""Whether a value is one of a group: sentences, and a table for each group."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.report import contributions
from microleak.attacks.collective.report.contents import Listed, Scope, caution
from microleak.report import parts
from microleak.report.face_value import concerned, remark
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_TOLD = {
    "certain": ("posterior_det", "n_certain"),
    "above_90": ("share_above_90", "n_above_90"),
    "likely": ("share_likely", "n_likely"),
}
"""Shares of the members and, of tables without them, their counts, as phrases have."""


_WORST = {
    "certain": ["n_certain", "posterior_prob"],
    "belief": ["posterior_prob", "n_certain"],
}
"""By what a subset is the worst of its size, first of all."""


@dataclass(frozen=True)
class GroupPart:
    """One group of one analysis: its part, and the highest share of its members."""

    part: parts.Part
    highest: float
    remark: str  # That the finding may be false, where values were drawn anew

    @property
    def certain(self) -> str:
        """What an adversary is certain of."""
        return self.part.heading


def group_parts(
    rows: pd.DataFrame, listed: Mapping[str, Listed], scope: Scope
) -> Iterator[GroupPart]:
    """Yield what is said of each group of an analysis."""
    for number, name in enumerate(rows["group"].unique()):
        of_group = rows[rows["group"] == name]
        panels = tables.first_and_last(tables.by_panel(of_group))
        last = list(panels.values())[-1]
        worst = most_certain(last).iloc[0]
        heading = _heading(worst, listed[name], int(last["n_qids"].max()), scope.voice)
        analysis = rows["analysis"].iloc[0]
        anchor = f"{scope.voice.language}-{quote(analysis)}-group-{number}"
        names = {*tables.all_qids(of_group), listed[name].attribute}
        drawn = concerned(scope.drawn, names)
        doubt = remark(drawn, scope.voice)
        kicker = scope.say("groups.kicker", group=name)
        found = f"{heading}. {doubt}".strip()
        part = parts.Part(
            anchor=anchor,
            analysis=analysis,
            kicker=kicker,
            heading=heading,
            said=(parts.Said((parts.Line(found, f"#{anchor}", kicker),)),),
            body=(
                parts.Sentences(tuple(_sentences(worst, listed[name], scope.voice))),
                parts.SearchBox(),
                *(_grid(label, part, scope.voice) for label, part in panels.items()),
                parts.Passage("note", scope.say("groups.note")),
            ),
            downloads=((f"data/{analysis}-groups.csv", scope.say("groups.download")),),
            caution=caution(drawn, scope.voice, scope.home),
        )
        yield GroupPart(part, highest(of_group["posterior_det"]), doubt)


def highest(shares: pd.Series) -> float:
    """Return the highest of some shares; without a member there is none, which is 0."""
    return float(shares.astype("float64").fillna(0).max())


def most_certain(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the row of the subset that makes certain of most members of a group."""
    return _first_by(_WORST["certain"], rows)


def _first_by(order: list[str], rows: pd.DataFrame) -> pd.DataFrame:
    return rows.sort_values(order, ascending=False, kind="stable").iloc[:1]


def _heading(row: pd.Series, listed: Listed, largest: int, voice: Voice) -> str:
    state = "nobody" if not row["n_members"] else "some" if row["n_certain"] else "none"
    n_known = voice.number_known(row["qids"])
    return voice.say(
        f"groups.heading_{state}",
        row,
        attribute=voice.attribute(listed.attribute),
        attributes=n_known if state == "some" else voice.attributes(largest),
    )


def _sentences(row: pd.Series, listed: Listed, voice: Voice) -> Iterator[str]:
    """Write what the group is, but none of its values, and what is known of members."""
    values = f"groups.values_{'one' if listed.n_values == 1 else 'many'}"
    yield voice.say(
        "groups.given",
        row,
        values=voice.say(values, number=listed.n_values),
        attribute=voice.explained(listed.attribute),
    )
    if row["n_members"]:
        told = told_of_group(row, voice)
        yield voice.say("groups.certain", row, **told)
        yield voice.say("groups.belief", row, **told)


def _grid(label: str, panel: pd.DataFrame, voice: Voice) -> parts.Grid:
    """Lay out the worst subsets of each size of one panel."""
    worst = [
        _first_by(order, size).assign(criterion=name)
        for _, size in panel.groupby("n_qids", sort=True)
        for name, order in _WORST.items()
    ]
    rows = contributions.with_marks("groups", pd.concat(worst), voice)
    prior = panel["prior_prob"].iloc[0]
    return contributions.grid_of_worst(
        "groups",
        with_told(rows, voice),
        (*_TOLD, "after=belief", "ratio"),
        voice,
        caption=voice.say("groups.caption", panel=label),
        over=(
            (voice.say("groups.column_members"), 3),
            (voice.say("groups.column_belief", prior=prior), 2),
        ),
    )


def with_told(rows: pd.DataFrame, voice: Voice) -> pd.DataFrame:
    """Return rows of the groups with what each of them tells."""
    told = [told_of_group(row, voice) for _, row in rows.iterrows()]
    return rows.join(pd.DataFrame(told, rows.index))


def told_of_group(row: pd.Series, voice: Voice) -> dict[str, str]:
    """Write what one row of the groups tells; nothing where there are no members."""
    if not row["n_members"]:
        return dict.fromkeys((*_TOLD, "belief", "ratio"), "")
    numbers, n = voice.numbers, row["n_members"]
    return {
        name: numbers.share(row[share] if share in row else row[count] / n)
        for name, (share, count) in _TOLD.items()
    } | {
        "belief": numbers.share(row["posterior_prob"]),
        "ratio": numbers.ratio(row["multiplicative_leakage"]),
    }
