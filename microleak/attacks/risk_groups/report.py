"""Who is at risk: a part of the page an analysis."""

from collections.abc import Iterator
from math import inf

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.marks import write_above
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, VERMILION, analysis_svg, plain_style
from microleak.report.families import EachAnalysis, what_is_known
from microleak.report.parts import Grid, Place
from microleak.report.texts import Voice, speaker_of
from microleak.tables import rows as tables

_MOST_BARS = 30
LEAST_MEMBERS = 100  # Groups of fewer are in the tables, but no sentence compares them


def group_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw of which share of each group the adversary is certain, as an `<svg>`."""
    # A bar for each group, attribute after attribute, with the set of most QIDs, in re-
    # identification; those above the share of all records in another colour, that share
    # as a line. Of an attribute with more than 30 groups the largest are drawn.
    shown = tables.with_text(tables.with_most_qids(rows))
    found = shown[shown["sensitive"] == ""]
    largest = found.groupby("by", sort=False)["n_members"].nlargest(_MOST_BARS)
    drawn = found[found.index.isin(largest.index.get_level_values(-1))]
    voice, short = speaker_of(words), words.numbers.short
    share_of_all = _share_of_all(found)
    named: list[tuple[str, pd.Series]] = []
    lines: list[Bar | str] = []
    for by, groups in drawn.groupby("by", sort=False):
        lines.append(words.attribute(str(by)))
        for _, row in groups.iterrows():
            value, share = _value(row, voice), float(row["posterior_det"])
            named.append((words.say("risk_groups_group", row, value=value), row))
            colour = VERMILION if share > share_of_all else BLUE
            lines.append(Bar(value, share, short(share), colour))
    most, row = max(named, key=lambda each: each[1]["posterior_det"])
    with plain_style():
        figure, (axis,) = bars_canvas([lines])
        highest = float(row["posterior_det"])
        draw_bars(axis, lines, max(highest, share_of_all, 0.01))
        axis.axvline(share_of_all, color="black", linewidth=1, linestyle=(0, (5, 3)))
        said_of_all = words.say("risk_groups_all", all=share_of_all)
        write_above(axis, (share_of_all, -0.6), said_of_all, 3, ha="left")
        shares = (
            f"{name}: {words.numbers.share(each['posterior_det'])}"
            for name, each in named
        )
        said = [
            words.say("risk_groups_alt", shares="; ".join(shares)),
            words.say("risk_groups_alt_all", all=share_of_all),
        ]
        title = words.say("risk_groups_found", row, group=most, all=share_of_all)
        kind = ("risk_groups", "groups")
        return analysis_svg(figure, kind, rows, (title, said), words)


def _share_of_all(found: pd.DataFrame) -> float:
    row = found.iloc[0]
    return float(row["n_certain_of_all"] / row["n_records"])


def _is_missing(row: pd.Series) -> bool:
    return row["is_missing"] in (True, "true")


def _value(row: pd.Series, voice: Voice) -> str:
    """Write a value or class as it is given, a missing one and sizes in words."""
    if _is_missing(row):
        return voice.say("risk_groups.missing")
    if row["kind"] != "size":
        return str(voice.value_labels(row["by"]).get(row["value"], row["value"]))
    least, _, most = row["value"].partition("-")
    if not most:
        return voice.say("risk_groups.from", least=int(least))
    if least == "0":
        return voice.say("risk_groups.below", n=int(most) + 1)
    return voice.say("risk_groups.between", least=int(least), most=int(most))


def group_named(row: pd.Series, voice: Voice) -> str:
    """Write whom a group has, as it follows "people"."""
    is_named = row["kind"] == "class" and row["by"] != row["attribute"]
    kind = "value" if is_named or _is_missing(row) else row["kind"]
    name = voice.attribute(row["by" if is_named else "attribute"])
    return voice.say(f"risk_groups.group_{kind}", by=name, value=_value(row, voice))


def _measured(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    by = place.voice.listing(
        place.say("by_size", row)
        if row["kind"] == "size"
        else place.voice.explained(row["by"])
        for _, row in rows.drop_duplicates("by").iterrows()
    )
    return what_is_known(tables.with_most_qids(rows), place, by=by)


def most_at_risk(rows: pd.DataFrame) -> pd.Series | None:
    """Return the group with the highest risk ratio above 1, if there is one."""
    # Among those that are compared; where the others have no risk, it is the highest.
    is_compared = (rows["n_members"] >= LEAST_MEMBERS) & (rows["n_certain"] > 0)
    is_compared &= rows["n_members"] < rows["n_records"]
    ratios = rows["risk_ratio_det"].astype(float).fillna(inf)[is_compared]
    if ratios.empty or not ratios.max() > 1:
        return None
    return rows.loc[ratios.idxmax()]


def _heading(rows: pd.DataFrame, place: Place) -> str:
    told = tables.with_most_qids(rows)
    found = told[told["sensitive"] == ""]
    row = most_at_risk(found)
    if row is None:
        return place.say("heading_none", share=_share_of_all(found))
    return _said("heading", row, place)


def _sentences(rows: pd.DataFrame, place: Place) -> Iterator[str]:
    for sensitive, of_attribute in tables.with_most_qids(rows).groupby(
        "sensitive", sort=False
    ):
        row = most_at_risk(of_attribute) if sensitive else None
        if row is not None:
            yield _said("inferred", row, place)
    yield place.say("least", n=LEAST_MEMBERS)


def _said(key: str, row: pd.Series, place: Place) -> str:
    """Write how often a group is at risk, and all others if any of them is."""
    only = "_only" if pd.isna(row["risk_ratio_det"]) else ""
    n_others = row["n_records"] - row["n_members"]
    others = (row["n_certain_of_all"] - row["n_certain"]) / n_others
    group = group_named(row, place.voice)
    return place.say(f"{key}{only}", row, group=group, others=others)


def _grids(rows: pd.DataFrame, place: Place) -> Iterator[Grid]:
    columns = (
        "by:attribute",
        ("value", lambda row: _value(row, place.voice)),
        *("n_members", "n_certain", "posterior_det", "risk_ratio_det"),
        *("posterior_prob", "risk_ratio_prob"),
    )
    told = tables.with_most_qids(rows)
    for _, of_attack in told.groupby("sensitive", sort=False):
        yield place.grid(of_attack, columns, n_texts=2)


SHOWN = EachAnalysis(
    "risk_groups",
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"groups": group_bars},
    sentences=_sentences,
    grids=_grids,
    words=lambda _: ("group", "ratio"),
)
