"""Who is at risk: a part of the page an analysis."""

from collections.abc import Iterator
from math import inf

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.marks import write_above
from microleak.figures.numbers import Words
from microleak.figures.svg import (
    BLUE,
    VERMILION,
    analysis_svg,
    plain_style,
)
from microleak.report.families import PartEach, one_figure
from microleak.report.parts import (
    Cell,
    Grid,
    Part,
    Place,
    Sentences,
    TablesByKind,
)
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_MOST_BARS = 30

LEAST_MEMBERS = 100
"""Groups of fewer are in the tables, but no sentence compares them."""


def analyses(families: TablesByKind) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name, texts never missing."""
    for name, rows in families.get("risk_groups", {}).items():
        yield name, tables.with_text(rows)


def group_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw of which share of each group the adversary is certain, as an `<svg>`.

    A bar for each group, attribute after attribute, with the set of most QIDs, in
    re-identification; those above the share of all records in another colour, that
    share as a line. Of an attribute with more than 30 groups the largest are drawn.
    """
    shown = tables.with_text(tables.with_most_qids(rows))
    found = shown[shown["sensitive"] == ""]
    largest = found.groupby("by", sort=False)["n_members"].nlargest(_MOST_BARS)
    drawn = found[found.index.isin(largest.index.get_level_values(-1))]
    numbers = words.numbers
    share_of_all = found["n_certain_of_all"].iloc[0] / found["n_records"].iloc[0]
    shares = [*drawn["posterior_det"].astype(float)]
    labels = [
        words.say(
            "risk_groups_group",
            by=words.attribute(row["by"]),
            value=_value(row, words),
        )
        for _, row in drawn.iterrows()
    ]
    lines: list[Bar | str] = []
    for by, groups in drawn.groupby("by", sort=False):
        lines.append(words.attribute(str(by)))
        for _, row in groups.iterrows():
            share = float(row["posterior_det"])
            colour = VERMILION if share > share_of_all else BLUE
            lines.append(Bar(_value(row, words), share, numbers.short(share), colour))
    with plain_style():
        figure, (axis,) = bars_canvas([lines])
        draw_bars(axis, lines, max(*shares, share_of_all, 0.01))
        axis.axvline(share_of_all, color="black", linewidth=1, linestyle=(0, (5, 3)))
        said_of_all = words.say("risk_groups_all", share=numbers.short(share_of_all))
        write_above(axis, (share_of_all, -0.6), said_of_all, 3, ha="left")
        listed = zip(labels, map(numbers.share, shares), strict=True)
        said = [
            words.say("risk_groups_alt", shares="; ".join(map(": ".join, listed))),
            words.say("risk_groups_alt_all", share=numbers.share(share_of_all)),
        ]
        most = shares.index(max(shares))
        found = words.say(
            "risk_groups_found",
            group=labels[most],
            share=numbers.short(shares[most]),
            all=numbers.short(share_of_all),
        )
        kind = ("risk_groups", "groups")
        return analysis_svg(figure, kind, rows, (found, said), words)


def _is_missing(row: pd.Series) -> bool:
    """Say whether a group is that of a missing value."""
    return row["is_missing"] in (True, "true")


def _value(row: pd.Series, words: Words | Voice) -> str:
    """Write a value or class as it is given, a missing one and sizes in words."""
    prefix = "risk_groups_" if isinstance(words, Words) else "risk_groups."
    if _is_missing(row):
        return words.say(f"{prefix}missing")
    if row["kind"] != "size":
        return str(row["value"])
    least, _, most = row["value"].partition("-")
    count = words.numbers.count
    if not most:
        return words.say(f"{prefix}from", least=count(int(least)))
    if least == "0":
        return words.say(f"{prefix}below", n=count(int(most) + 1))
    return words.say(f"{prefix}between", least=count(int(least)), most=count(int(most)))


def group_named(row: pd.Series, voice: Voice) -> str:
    """Say of a group whom it has, after "people"."""
    is_named = row["kind"] == "class" and row["by"] != row["attribute"]
    kind = "value" if is_named or _is_missing(row) else row["kind"]
    name = voice.attribute(row["by" if is_named else "attribute"])
    return voice.say(f"risk_groups.group_{kind}", by=name, value=_value(row, voice))


def _grouping(row: pd.Series, voice: Voice) -> str:
    """Say by what persons are grouped."""
    if row["kind"] != "size":
        return voice.explained(row["by"])
    return voice.say("risk_groups.by_size", by=voice.explained(row["attribute"]))


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis."""
    voice = place.voice
    first, shown = rows.iloc[0], tables.with_most_qids(rows)
    each = rows.drop_duplicates("by")
    by = voice.listing(_grouping(row, voice) for _, row in each.iterrows())
    return place.part(
        heading=_heading(shown, voice),
        measured=(
            place.measured(first, by=by),
            place.known(tables.qids_of(shown.iloc[0])),
        ),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("groups", voice.say("risk_groups.caption_groups")),
            *_grids(shown, voice),
        ),
        downloads=place.downloads("risk_groups"),
    )


def most_at_risk(rows: pd.DataFrame) -> pd.Series | None:
    """Return the group with the highest risk ratio above 1, if there is one.

    Among those that are compared; where the others have no risk, it is the highest.
    """
    is_compared = (rows["n_members"] >= LEAST_MEMBERS) & (rows["n_certain"] > 0)
    is_compared &= rows["n_members"] < rows["n_records"]
    ratios = rows["risk_ratio_det"].astype(float).fillna(inf)[is_compared]
    if ratios.empty or not ratios.max() > 1:
        return None
    return rows.loc[ratios.idxmax()]


def _heading(rows: pd.DataFrame, voice: Voice) -> str:
    """Say which group is singled out most often, before all others."""
    found = rows[rows["sensitive"] == ""]
    row = most_at_risk(found)
    if row is None:
        first = found.iloc[0]
        share = first["n_certain_of_all"] / first["n_records"]
        return voice.say("risk_groups.heading_none", share=voice.numbers.share(share))
    return voice.say(f"risk_groups.heading{_only(row)}", **_said(row, voice))


def _only(row: pd.Series) -> str:
    return "_only" if pd.isna(row["risk_ratio_det"]) else ""


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield what is inferred of whom most often, for each sensitive attribute."""
    for sensitive, of_attribute in rows.groupby("sensitive", sort=False):
        row = most_at_risk(of_attribute) if sensitive else None
        if row is not None:
            yield voice.say(
                f"risk_groups.inferred{_only(row)}",
                sensitive=voice.attribute(str(sensitive)),
                **_said(row, voice),
            )
    yield voice.say("risk_groups.least", n=voice.numbers.count(LEAST_MEMBERS))


def _said(row: pd.Series, voice: Voice) -> dict[str, str]:
    numbers = voice.numbers
    n_others = row["n_records"] - row["n_members"]
    of_others = (row["n_certain_of_all"] - row["n_certain"]) / n_others
    return {
        "group": group_named(row, voice),
        "share": numbers.share(row["posterior_det"]),
        "n_certain": numbers.count(row["n_certain"]),
        "n_members": numbers.count(row["n_members"]),
        "others": numbers.share(of_others),
        "facts": voice.facts(tables.qids_of(row)),
    }


def _grids(rows: pd.DataFrame, voice: Voice) -> Iterator[Grid]:
    """Yield a table for each attack."""
    columns = ("by", "value", "members", "certain", "det", "ratio", "prob", "ratio")
    for sensitive, of_attack in rows.groupby("sensitive", sort=False):
        yield Grid(
            caption=voice.say(
                "risk_groups.caption",
                attack=voice.subject(str(sensitive)),
                facts=voice.facts(tables.qids_of(of_attack.iloc[0])),
            ),
            headings=voice.columns("risk_groups", *columns),
            rows=tuple(_cells(row, voice) for _, row in of_attack.iterrows()),
            n_texts=2,
        )


def _cells(row: pd.Series, voice: Voice) -> tuple[Cell, ...]:
    numbers = voice.numbers
    ratios = [
        "" if pd.isna(row[name]) else numbers.ratio(row[name])
        for name in ("risk_ratio_det", "risk_ratio_prob")
    ]
    return (
        voice.attribute(row["by"]),
        _value(row, voice),
        numbers.count(row["n_members"]),
        numbers.count(row["n_certain"]),
        numbers.share(row["posterior_det"]),
        ratios[0],
        numbers.share(row["posterior_prob"]),
        ratios[1],
    )


def words(_: pd.DataFrame) -> tuple[str, ...]:
    """Name the words that a part uses, the same in each."""
    return ("group", "ratio")


FIGURE = one_figure("risk_groups", "groups", group_bars)
SHOWN = PartEach("risk_groups", analyses, FIGURE, part, words)
