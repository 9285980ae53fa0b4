"""What answers to queries give away: a part of the page an analysis."""

from collections.abc import Iterator
from typing import NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.bars import told as bars_told
from microleak.figures.numbers import Words
from microleak.figures.svg import BLUE, GREY, analysis_svg, plain_style
from microleak.report.families import EachAnalysis, main_release
from microleak.report.parts import NOTHING, Grid, Place

_MOST_SHOWN = 20
"""Rows of a grid, at most."""

_OF_AUDITORS = ("n_refused", "n_known_by_answers", "n_known")


class _AnswersMeasured(NamedTuple):
    """What was measured in an analysis: rows of regions or of auditors, and values."""

    rows: pd.DataFrame
    values: pd.DataFrame


def _is_audit(rows: pd.DataFrame) -> bool:
    return "auditor" in rows


def _of_auditor(rows: pd.DataFrame, auditor: str) -> pd.Series:
    return rows.set_index("auditor").loc[auditor]


def value_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw values that are proved beside all, or those that each auditor gives away."""
    if _is_audit(rows):
        by_answers = rows["n_known_by_answers"].to_list()
        further = (rows["n_known"] - rows["n_known_by_answers"]).to_list()
        names, most = [*rows["auditor"]], int(rows["n_sample_records"].max())
        told = _of_auditor(rows, "answers").to_dict() | {"n_sample_records": most}
    else:
        told = _totals(rows)
        names, by_answers = [*told], [*told.values()]
        further, most = [0] * len(told), max(by_answers)
    found = words.say(f"query_answers_found{_kind(rows)}", told)
    with plain_style():
        colours = [BLUE if _is_audit(rows) else GREY] * len(names)
        colours[-1] = BLUE
        bars = [
            Bar(
                words.say(f"query_answers_{name}"),
                first,
                words.numbers.count(first + second),
                colour,
                second,
            )
            for name, first, colour, second in zip(
                names, by_answers, colours, further, strict=True
            )
        ]
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, max(1, most))
        kind = ("query_answers", "values")
        said = found, [f"{bars_told(bars)}."]
        return analysis_svg(figure, kind, rows, said, words)


def _totals(rows: pd.DataFrame) -> dict[str, int]:
    kind, is_tried, told = _kind(rows), rows["n_counts"].notna(), {}
    if kind != "_unknown":
        told["n_records"] = rows.loc[is_tried, "n_records"]
    if kind == "_untried":
        told["n_untried"] = rows.loc[~is_tried, "n_records"]
    is_told = is_tried | (kind == "_unknown")
    told["n_proved"] = rows.loc[is_told, "n_values_proved"]
    return {name: int(counts.sum()) for name, counts in told.items()}


def _kind(rows: pd.DataFrame) -> str:
    if _is_audit(rows):
        return "_audit"
    if rows["n_records"].isna().any():
        return "_unknown"
    return "_untried" if rows["n_counts"].isna().any() else ""


def _measured(found: _AnswersMeasured, place: Place) -> Iterator[str]:
    first = found.rows.iloc[0]
    kind = "_audit" if _is_audit(found.rows) else "_made" if first["table"] else ""
    yield place.say(f"measured{kind}", first)


def _heading(found: _AnswersMeasured, place: Place) -> str:
    rows, kind = found.rows, _kind(found.rows)
    if _is_audit(found.rows):
        return place.say("heading_audit", _of_auditor(rows, "answers"))
    totals = _totals(rows)
    one = "_one" if kind == "_unknown" and totals["n_proved"] == 1 else ""
    return place.say(f"heading{kind}{one}", totals)


def _sentences(found: _AnswersMeasured, place: Place) -> Iterator[str]:
    rows = found.rows
    if _is_audit(found.rows):
        yield place.say("all", _of_auditor(rows, "none"))
        yield place.say("refusals", _of_auditor(rows, "answers"))
        yield place.say("simulated", _of_auditor(rows, "simulatable"))
        return
    yield place.say("answers", n_answers=int(rows["n_answers"].sum()))
    is_place = "_place" if len(rows) == 1 else ""
    is_untried, is_all = rows["n_counts"].isna(), rows["is_all"] == "true"
    if n_one := int(((rows["n_databases"] == 1) & is_all).sum()):
        yield place.say(f"one{is_place}", n_one=n_one, n_regions=len(rows))
    if n_untried := int(is_untried.sum()):
        yield place.say(f"untried{is_place}", n_untried=n_untried)
    if n_ones := int(rows.loc[is_untried, "n_values_proved"].sum()):
        yield place.say("ones", n_ones=n_ones)


def _grids(found: _AnswersMeasured, place: Place) -> Iterator[Grid]:
    if _is_audit(found.rows):
        auditor = ("auditor", lambda row: place.say(f"auditor_{row['auditor']}"))
        yield place.grid(found.rows, (auditor, *_OF_AUDITORS), "caption_audit")
    else:
        columns = (
            ("region", lambda row: row["region"] or NOTHING),
            *("n_answers", "n_records", "n_values_proved"),
            ("databases", lambda row: _databases(row, place)),
        )
        order = "n_values_proved"
        rows = found.rows.sort_values(order, ascending=False, kind="stable")
        yield place.grid(rows.head(_MOST_SHOWN), columns, missing=NOTHING)
    yield from _alone(found.values, place)


def _databases(row: pd.Series, place: Place) -> str:
    if pd.isna(row["n_databases"]):
        return NOTHING
    if row["is_all"] == "true":
        return place.voice.numbers.count(row["n_databases"])
    return place.say("at_least", row)


def _alone(values: pd.DataFrame, place: Place) -> Iterator[Grid]:
    n_of = values.loc[values["tables"] != "", "tables"].value_counts(sort=False)
    if len(n_of):
        shown = n_of.sort_index().sort_values(ascending=False, kind="stable")
        rows = shown.head(_MOST_SHOWN).rename("n_values_proved").reset_index()
        tables = ("tables", lambda row: row["tables"].replace("|", "\n"))
        yield place.grid(rows, (tables, "n_values_proved"), "caption_alone")


def _words(found: _AnswersMeasured) -> tuple[str, ...]:
    of_regions = ("value_proved", "database", "certified")
    return ("auditor", "disclosed") if _is_audit(found.rows) else of_regions


SHOWN = EachAnalysis(
    "query_answers",
    tables=("query_answers", "answered_values", "audited_queries"),
    found=lambda rows, values, audits: _AnswersMeasured(
        rows if len(rows) else audits, values
    ),
    heading=_heading,
    measured=_measured,
    drawings=lambda _: {"values": lambda found, words: value_bars(found.rows, words)},
    caption=lambda found, _, place: place.say(f"caption_values{_kind(found.rows)}"),
    releases=lambda found: main_release(found.rows),
    sentences=_sentences,
    grids=_grids,
    words=_words,
)
