"""Who is at risk: a part of the page an analysis."""

from collections.abc import Collection, Iterator
from functools import partial

import pandas as pd

from microleak.figures.marks import draw_level, write_above
from microleak.figures.numbers import Words
from microleak.figures.svg import (
    BLUE,
    DARK_VERMILION,
    GREY,
    VERMILION,
    analysis_svg,
    canvas,
    plain_style,
)
from microleak.report.families import PartEach
from microleak.report.parts import Cell, Grid, Part, Place, Rows, Sentences, Undrawn
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_HEIGHT = 2.6
_MOST_BARS = 30

LEAST_MEMBERS = 100
"""Groups of fewer are in the tables, but no sentence compares them."""


def analyses(families: Rows) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of each analysis, with its name, texts never missing."""
    for name, rows in families.get("risk_groups", {}).items():
        yield name, tables.with_text(rows)


def figures(
    name: str, rows: pd.DataFrame, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of one analysis."""
    row = rows.iloc[0]
    is_synthetic = (row["table"], row["focal"]) in synthetic
    names = ("risk_groups", name, "groups")
    yield Undrawn(names, partial(group_bars, rows), is_synthetic)


def with_most_qids(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the set with most QIDs, the first in the study's order."""
    first = rows.loc[rows["n_qids"].idxmax(), "qids"]
    return rows[rows["qids"] == first]


def group_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw of which share of each group the adversary is certain, as an `<svg>`.

    One panel for each attribute, with the set of most QIDs, in re-identification; the
    groups above the share of all records in another colour, that share as a line.
    """
    shown = tables.with_text(with_most_qids(rows))
    found = shown[shown["sensitive"] == ""]
    panels = list(found.groupby("by", sort=False))
    numbers = words.numbers
    share_of_all = found["n_certain_of_all"].iloc[0] / found["n_records"].iloc[0]
    said = []
    with plain_style():
        figure, axes = canvas(len(panels), 1, (8, 0.7 + _HEIGHT * len(panels)))
        for axis, (by, panel) in zip(axes, panels, strict=True):
            largest = panel.nlargest(_MOST_BARS, "n_members").index
            drawn = panel[panel.index.isin(largest)]
            shares = [*drawn["posterior_det"].astype(float)]
            labels = [_value(row, words) for _, row in drawn.iterrows()]
            places = range(len(drawn))
            is_above = [share > share_of_all for share in shares]
            colours = [VERMILION if above else BLUE for above in is_above]
            axis.bar(places, shares, 0.72, color=colours)
            axis.set_ylim(0, 1.2 * max(*shares, share_of_all, 0.01))
            axis.set_xticks(places, labels, fontsize=9)
            axis.tick_params(left=False, labelleft=False, color=GREY)
            axis.grid(visible=False)
            axis.spines["left"].set_visible(False)
            draw_level(axis, share_of_all, "")
            for place, share, above in zip(places, shares, is_above, strict=True):
                text = f"{numbers.brief(share)}%"
                colour = DARK_VERMILION if above else "black"
                write_above(axis, (place, share), text, 3, color=colour)
            axis.set_title(words.say("risk_groups_by", by=str(by)), fontsize=10)
            pairs = zip(labels, shares, strict=True)
            listed = "; ".join(f"{label}: {numbers.share(s)}" for label, s in pairs)
            said.append(words.say("risk_groups_alt", by=str(by), shares=listed))
        said.append(words.say("risk_groups_alt_all", share=numbers.share(share_of_all)))
        kind = ("risk_groups", "groups")
        return analysis_svg(figure, kind, rows, said, words)


def _value(row: pd.Series, words: Words | Voice) -> str:
    """Write a value as the release has it, a missing one in words."""
    is_missing = row["is_missing"] in (True, "true")
    key = "risk_groups_missing" if isinstance(words, Words) else "risk_groups.missing"
    return words.say(key) if is_missing else str(row["value"])


def part(rows: pd.DataFrame, place: Place) -> Part:
    """Return the part of one analysis.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    voice = place.voice
    first, shown = rows.iloc[0], with_most_qids(rows)
    names = voice.listing(map(voice.explained, tables.qids_of(shown.iloc[0])))
    by = voice.listing(map(voice.explained, rows["by"].unique()))
    return Part(
        anchor=place.anchor,
        analysis=place.analysis,
        kicker=voice.say("risk_groups.kicker"),
        heading=_heading(shown, voice),
        measured=(
            voice.say(
                "risk_groups.measured",
                analysis=place.analysis,
                table=first["table"],
                focal=first["focal"],
                n_records=voice.numbers.count(first["n_records"]),
                by=by,
            ),
            voice.say("page.measured_known", names=names),
        ),
        body=(
            Sentences(tuple(_sentences(shown, voice))),
            place.drawing("groups", voice.say("risk_groups.caption_groups")),
            *_grids(shown, voice),
        ),
        downloads=place.downloads("risk_groups"),
    )


def _most_at_risk(rows: pd.DataFrame, ratio: str) -> pd.Series | None:
    """Return the group with the highest risk ratio among those that are compared."""
    compared = rows[(rows["n_members"] >= LEAST_MEMBERS) & rows[ratio].notna()]
    return None if compared.empty else compared.loc[compared[ratio].idxmax()]


def _heading(rows: pd.DataFrame, voice: Voice) -> str:
    """Say which group is singled out most often, before all others."""
    found = rows[rows["sensitive"] == ""]
    row = _most_at_risk(found, "risk_ratio_det")
    if row is None or not row["risk_ratio_det"] > 1:
        first = found.iloc[0]
        share = first["n_certain_of_all"] / first["n_records"]
        return voice.say("risk_groups.heading_none", share=voice.numbers.share(share))
    return voice.say("risk_groups.heading", **_said(row, "risk_ratio_det", voice))


def _sentences(rows: pd.DataFrame, voice: Voice) -> Iterator[str]:
    """Yield what is inferred of whom most often, for each sensitive attribute."""
    for sensitive, of_attribute in rows.groupby("sensitive", sort=False):
        if not sensitive:
            continue
        row = _most_at_risk(of_attribute, "risk_ratio_det")
        if row is not None and row["risk_ratio_det"] > 1:
            yield voice.say(
                "risk_groups.inferred",
                sensitive=voice.attribute(str(sensitive)),
                **_said(row, "risk_ratio_det", voice),
            )
    yield voice.say("risk_groups.least", n=voice.numbers.count(LEAST_MEMBERS))


def _said(row: pd.Series, ratio: str, voice: Voice) -> dict[str, str]:
    numbers = voice.numbers
    n_others = row["n_records"] - row["n_members"]
    of_others = (row["n_certain_of_all"] - row["n_certain"]) / n_others
    return {
        "group": voice.say(
            "risk_groups.group", by=voice.attribute(row["by"]), value=_value(row, voice)
        ),
        "share": numbers.share(row["posterior_det"]),
        "n_certain": numbers.count(row["n_certain"]),
        "n_members": numbers.count(row["n_members"]),
        "others": numbers.share(of_others),
        "ratio": numbers.ratio(row[ratio]),
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


SHOWN = PartEach("risk_groups", analyses, figures, part, words)
