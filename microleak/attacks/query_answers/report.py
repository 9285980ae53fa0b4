"""What answers to queries give away: a part of the page an analysis."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import NamedTuple

import pandas as pd

from microleak.figures.bars import Bar, bars_canvas, draw_bars
from microleak.figures.bars import told as bars_told
from microleak.figures.numbers import Words
from microleak.figures.svg import (
    BLUE,
    GREY,
    analysis_svg,
    plain_style,
)
from microleak.report.drawn import Undrawn
from microleak.report.families import PartEach
from microleak.report.parts import NOTHING, Grid, Part, Place, Sentences, TablesByKind
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_MOST_SHOWN = 20
"""Rows of a grid, at most."""


class AnswersMeasured(NamedTuple):
    """What was measured in an analysis: rows of regions or of auditors, and values."""

    rows: pd.DataFrame
    values: pd.DataFrame


def analyses(families: TablesByKind) -> Iterator[tuple[str, AnswersMeasured]]:
    """Yield what was measured in each analysis, with its name."""
    audits = families.get("audited_queries", {})
    for name, rows in families.get("query_answers", {}).items():
        shown = rows if len(rows) else audits[name], families["answered_values"][name]
        yield name, AnswersMeasured(*map(tables.with_text, shown))


def figures(
    name: str, found: AnswersMeasured, synthetic: Collection[tuple[str, str]]
) -> Iterator[Undrawn]:
    """Yield the figure of an analysis."""
    draw = partial(value_bars, found.rows)
    names = "query_answers", name, "values"
    yield Undrawn.of_release(names, draw, found.rows.iloc[0], synthetic)


def _is_audit(rows: pd.DataFrame) -> bool:
    return "auditor" in rows


def value_bars(rows: pd.DataFrame, words: Words) -> str:
    """Draw values that are proved beside all, or those that each auditor gives away.

    Of an auditor, by answers alone and by refusals, too.
    """
    numbers = words.numbers
    if _is_audit(rows):
        by_answers = rows["n_known_by_answers"].to_list()
        further = (rows["n_known"] - rows["n_known_by_answers"]).to_list()
        labels = [words.say(f"query_answers_{name}") for name in rows["auditor"]]
        most = int(rows["n_sample_records"].max())
        n_known = rows.loc[rows["auditor"] == "answers", "n_known"].iloc[0]
        told = {"n_known": n_known, "n_records": most}
    else:
        told = _totals(rows)
        by_answers = [*told.values()]
        further, most = [0] * len(told), max(by_answers)
        labels = [words.say(f"query_answers_{name}") for name in told]
    found = words.say(
        f"query_answers_found{_kind(rows)}",
        **{name: numbers.count(int(n)) for name, n in told.items()},
    )
    with plain_style():
        colours = [GREY] * len(labels) if not _is_audit(rows) else [BLUE] * len(labels)
        colours[-1] = BLUE
        bars = [
            Bar(label, first, numbers.count(int(first + second)), colour, second)
            for label, first, colour, second in zip(
                labels, by_answers, colours, further, strict=True
            )
        ]
        figure, (axis,) = bars_canvas([bars])
        draw_bars(axis, bars, max(1, most))
        kind = ("query_answers", "values")
        said = found, [f"{bars_told(bars)}."]
        return analysis_svg(figure, kind, rows, said, words)


def _totals(rows: pd.DataFrame) -> dict[str, int]:
    """Return the values tried, those that were not, and those proved of the tried.

    Of all regions; where some have an unknown number of records, all that are proved.
    """
    kind, is_tried, told = _kind(rows), rows["n_counts"].notna(), {}
    if kind != "_unknown":
        told["n_records"] = rows.loc[is_tried, "n_records"]
    if kind == "_untried":
        told["n_untried"] = rows.loc[~is_tried, "n_records"]
    is_told = is_tried | (kind == "_unknown")
    told["n_proved"] = rows.loc[is_told, "n_values_proved"]
    return {name: int(counts.sum()) for name, counts in told.items()}


def _kind(rows: pd.DataFrame) -> str:
    """Return how texts end: of auditors, or if something is unknown or untried."""
    if _is_audit(rows):
        return "_audit"
    if rows["n_records"].isna().any():
        return "_unknown"
    return "_untried" if rows["n_counts"].isna().any() else ""


def part(found: AnswersMeasured, place: Place) -> Part:
    """Return the part of one analysis."""
    rows, voice = found.rows, place.voice
    first = rows.iloc[0]
    is_audit = _is_audit(rows)
    kind = "_audit" if is_audit else "_made" if first["table"] else ""
    measured = voice.say(
        f"query_answers.measured{kind}",
        analysis=place.analysis,
        table=first["table"],
        focal=first["focal"],
        attribute=voice.attribute(first["attribute"]),
    )
    told = _audit(rows, voice) if is_audit else _regions(rows, voice)
    heading, sentences, grid = told
    caption = f"query_answers.caption_figure{_kind(rows)}"
    downloads = ("query_answers", "answered_values", "audited_queries")
    return place.part(
        heading=heading,
        measured=(measured,),
        body=(
            Sentences(sentences),
            place.drawing("values", voice.say(caption)),
            grid,
            *_alone(found.values, voice),
        ),
        downloads=place.downloads(*(downloads[2:] if is_audit else downloads[:2])),
    )


def _regions(rows: pd.DataFrame, voice: Voice) -> tuple[str, tuple[str, ...], Grid]:
    """Return the heading, sentences and grid of what statistics prove."""
    numbers = voice.numbers
    counts = _totals(rows)
    totals = {name: numbers.count(n) for name, n in counts.items()}
    kind = _kind(rows)
    one = "_one" if kind == "_unknown" and counts["n_proved"] == 1 else ""
    heading = voice.say(f"query_answers.heading{kind}{one}", **totals)
    sentences = [
        voice.say(
            "query_answers.answers", n=numbers.count(int(rows["n_answers"].sum()))
        )
    ]
    place = "_place" if len(rows) == 1 else ""
    n_one = int(((rows["n_databases"] == 1) & (rows["is_all"] == "true")).sum())
    if n_one:
        n_regions = numbers.count(len(rows))
        n_one_ = numbers.count(n_one)
        said = voice.say(f"query_answers.one{place}", n_one=n_one_, n_regions=n_regions)
        sentences.append(said)
    if n_untried := int(rows["n_counts"].isna().sum()):
        said = voice.say(f"query_answers.untried{place}", n=numbers.count(n_untried))
        sentences.append(said)
    n_ones = int(rows.loc[rows["n_counts"].isna(), "n_values_proved"].sum())
    if n_ones:
        sentences.append(voice.say("query_answers.ones", n=numbers.count(n_ones)))
    columns = ("region", "answers", "records", "proved", "databases")
    shown = rows.sort_values("n_values_proved", ascending=False, kind="stable")
    written = ("n_answers", "n_records", "n_values_proved")
    grid = Grid(
        caption=voice.say("query_answers.caption"),
        headings=voice.columns("query_answers", *columns),
        rows=tuple(
            (
                row["region"] or NOTHING,
                *(
                    NOTHING if pd.isna(row[name]) else numbers.count(int(row[name]))
                    for name in written
                ),
                _databases(row, voice),
            )
            for _, row in shown.head(_MOST_SHOWN).iterrows()
        ),
    )
    return heading, tuple(sentences), grid


def _alone(values: pd.DataFrame, voice: Voice) -> Iterator[Grid]:
    """Yield which tables leave how many persons alone, if they leave any."""
    n_of = values.loc[values["tables"] != "", "tables"].value_counts(sort=False)
    if len(n_of):
        shown = n_of.sort_index().sort_values(ascending=False, kind="stable")
        yield Grid(
            caption=voice.say("query_answers.caption_alone"),
            headings=voice.columns("query_answers", "tables", "proved"),
            rows=tuple(
                (names.replace("|", "\n"), voice.numbers.count(n))
                for names, n in shown.head(_MOST_SHOWN).items()
            ),
        )


def _databases(row: pd.Series, voice: Voice) -> str:
    if pd.isna(row["n_databases"]):
        return NOTHING
    n = voice.numbers.count(int(row["n_databases"]))
    return n if row["is_all"] == "true" else voice.say("query_answers.at_least", n=n)


def _audit(rows: pd.DataFrame, voice: Voice) -> tuple[str, tuple[str, ...], Grid]:
    """Return the heading, sentences and grid of audits."""
    numbers = voice.numbers
    of = {row["auditor"]: row for _, row in rows.iterrows()}
    count = {
        (auditor, name): numbers.count(int(row[name]))
        for auditor, row in of.items()
        for name in ("n_known_by_answers", "n_known", "n_refused", "n_queries")
    }
    n_records = numbers.count(int(of["none"]["n_sample_records"]))
    heading = voice.say(
        "query_answers.heading_audit",
        n_known=count["answers", "n_known"],
        n_records=n_records,
    )
    sentences = (
        voice.say("query_answers.all", n=count["none", "n_known"]),
        voice.say(
            "query_answers.refusals",
            n_answers=count["answers", "n_known_by_answers"],
            n_known=count["answers", "n_known"],
            n_refused=count["answers", "n_refused"],
            n_queries=count["answers", "n_queries"],
        ),
        voice.say(
            "query_answers.simulated",
            n_known=count["simulatable", "n_known"],
            n_refused=count["simulatable", "n_refused"],
            pct=numbers.count(int(of["simulatable"]["tolerated_pct"])),
        ),
    )
    columns = ("auditor", "refused", "known_by_answers", "known")
    grid = Grid(
        caption=voice.say("query_answers.caption_audit", n=n_records),
        headings=voice.columns("query_answers", *columns),
        rows=tuple(
            (
                voice.say(f"query_answers.auditor_{auditor}"),
                *(
                    count[auditor, name]
                    for name in ("n_refused", "n_known_by_answers", "n_known")
                ),
            )
            for auditor in of
        ),
    )
    return heading, sentences, grid


def words(found: AnswersMeasured) -> tuple[str, ...]:
    """Name the words that a part uses."""
    if _is_audit(found.rows):
        return ("auditor", "disclosed")
    return ("value_proved", "database", "certified")


SHOWN = PartEach("query_answers", analyses, figures, part, words)
