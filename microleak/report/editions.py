"""What a page says in one language, before it is laid out."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import pandas as pd

from microleak import __version__
from microleak.base.total_words import without_accents
from microleak.report.answer import Answer, answer, below
from microleak.report.contents import Headline, Origin, partial_months
from microleak.report.parts import (
    NOTHING,
    Chapter,
    Grid,
    GridColumn,
    Line,
    Part,
    definition_anchor,
    grid,
)
from microleak.report.texts import Voice, span
from microleak.tables import rows as tables

_MOST_NAMED, _MOST_COLUMNS = 2, 6

_SHARES_OF_NOBODY = {"alone": "k", "certain": "l"}
"""Targets that are two records, or two values, if their share is 0."""


def about(study: Headline, ingest: pd.DataFrame, voice: Voice) -> str:
    """Write which releases a page is about, newest first, and how many records."""
    rows = tables.with_text(ingest)
    rows = rows.sort_values("release", ascending=False, kind="stable")
    named = [
        voice.say(
            "page.about_release",
            row,
            table=_plain(study, row["table"], voice),
            units=voice.texts["unit"][study.unit(row["table"])]["many"],
        )
        for _, row in rows.head(_MOST_NAMED).iterrows()
    ]
    return _with_more(named, len(rows), voice)


def _plain(study: Headline, table: str, voice: Voice) -> str:
    """Call a table by the plain name of its source, if it is the only one of it."""
    return str(voice.texts["sources"].get(study.source_alone(table), table))


def _with_more(
    named: Sequence[str], n_all: int, voice: Voice, between: str = "; "
) -> str:
    """Join what is said of some of many, and how many others there are."""
    n_more = n_all - len(named)
    more = [voice.say("page.about_more", n=n_more)] if n_more else []
    return between.join([*named, *more])


def partial_years(study: Headline, ingest: pd.DataFrame, voice: Voice) -> str:
    """Write which releases end before December; nothing if none does."""
    months = partial_months(ingest)
    if not months:
        return ""
    named = [
        voice.say(
            "page.partial_year",
            table=_plain(study, table, voice),
            release=release,
            n_months=n_months,
        )
        for (table, release), n_months in [*months.items()][:_MOST_NAMED]
    ]
    releases = _with_more(named, len(months), voice)
    return voice.say("page.partial_years", releases=releases)


def unused(study: Headline, ingest: pd.DataFrame, voice: Voice) -> str:
    """Write which columns of each table's last release are not tested, if any."""
    rows = tables.with_text(ingest).drop_duplicates("table", keep="last")
    told = []
    for _, row in rows[rows["unused"] != ""].head(_MOST_NAMED).iterrows():
        names = row["unused"].split("|")
        few = [f"“{name}”" for name in names[:_MOST_COLUMNS]]
        listed, table = _with_more(few, len(names), voice, ", "), row["table"]
        plain = _plain(study, table, voice)
        told.append(voice.say("page.unused_of", row, table=plain, names=listed))
    file = study.file or f"{study.name}.yaml"
    return voice.say("page.unused", of="; ".join(told), file=file) if told else ""


def contents(parts: Sequence[Part]) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the analyses of a page, each with its parts' anchors and subjects."""
    by_name: dict[str, list[tuple[str, str]]] = {}
    for part in parts:
        if part.heading:  # without one it is filled by its family alone
            said = _CODE.sub("", part.kicker or part.heading)
            by_name.setdefault(part.analysis or said, []).append((part.anchor, said))
    return list(by_name.items())


_CODE = re.compile(r" \([A-Z0-9_]+\)$")
"""An official name behind a plain one, for which contents have no room."""


def glossary(others: Collection[str], voice: Voice) -> list[Mapping[str, str]]:
    """Return the words of a page, each with its text, in the order of the alphabet."""
    entries = voice.texts["glossary"].values()
    terms = [entry for entry in entries if entry.get("topic", "") not in others]
    return sorted(terms, key=lambda entry: without_accents(entry["term"]))


def not_measured(topics: Collection[str], voice: Voice) -> list[str]:
    """Write which kinds of analyses a study does not have; nothing if it has all."""
    kinds = voice.texts["measurable"].items()
    absent = [name for topic, name in kinds if topic not in topics]
    if not absent:
        return []
    return [voice.say("glossary_page.not_measured", names="; ".join(absent))]


def reproduction(study: Headline, voice: Voice) -> list[str]:
    """Write how pages are made again, and where the hashes of files are."""
    name, file = study.name, study.file or f"{study.name}.yaml"
    path = voice.say("glossary_page.path", file=file)
    return [
        voice.say("glossary_page.reproduce", study=name, version=__version__),
        f"microleak run {path}\nmicroleak verify results/{name}",
        voice.say("glossary_page.manifest", study=name),
    ]


def removals(removed: pd.DataFrame, voice: Voice) -> list[Grid]:
    """Lay out for which reasons records of each table were removed, if any were."""
    if removed.empty or not (removed["n_rows"] > 0).any():
        return []
    by_reason = tables.with_text(removed).groupby(
        ["table", "attribute", "reason"], sort=False
    )
    return [
        Grid(
            caption=voice.say("removed.caption"),
            headings=voice.columns("removed", "table", "attribute", "reason", "share"),
            rows=tuple(
                (table, attribute, voice.say(f"removed.{reason}"), _share(rows, voice))
                for (table, attribute, reason), rows in by_reason
                if (rows["n_rows"] > 0).any()
            ),
            n_texts=3,
        )
    ]


def _share(rows: pd.DataFrame, voice: Voice) -> str:
    """Write the share of one release, or the lowest and the highest of several."""
    shares = rows.set_index("release")["share_of_read"]

    def write(release: str) -> str:
        return voice.numbers.share(shares[release])

    if len(shares) == 1:
        return write(shares.index[0])
    return span(shares, write, voice)


def protections(rows: pd.DataFrame, voice: Voice) -> list[Grid]:
    """Lay out how releases were protected, and what that changed, if any were."""
    if rows.empty:
        return []
    none = voice.say("protections.none")
    columns: list[GridColumn] = [
        ("release", lambda row: f"{row['table']} {row['release']}"),
        "origin",
        ("attribute", lambda row: row["attribute"] or none),
        ("done", lambda row: _done(row, voice)),
        "changed=share_changed:share",
        ("values", lambda row: _values(row, none, voice)),
        "kept=entropy_kept:share",
    ]
    n_after = rows["n_after"].where(rows["n_after"] != 0)
    shown = rows.assign(share_changed=(rows["n_changed"] / n_after).astype(float))
    caption = voice.say("protections.caption")
    look = {"caption": caption, "missing": none}
    return [grid(voice, "protections", shown, columns, n_texts=4, **look)]


def _done(row: pd.Series, voice: Voice) -> str:
    steps = zip(row["methods"].split("|"), row["parameters"].split("|"), strict=True)
    done = [_step(row, method, given, voice) for method, given in steps]
    if not pd.isna(row["n_suppressed"]):
        least = row["n_suppressed_at_least"]
        n_cells, found = row["n_suppressed"], None if pd.isna(least) else least
        done.append(suppressed(n_cells, found, voice))
    return "; ".join(done)


def _values(row: pd.Series, none: str, voice: Voice) -> str:
    values = [row["n_values_before"], row["n_values_after"]]
    return " → ".join(none if pd.isna(n) else voice.numbers.count(n) for n in values)


def _step(row: pd.Series, method: str, given: str, voice: Voice) -> str:
    # The row of all attributes says what a suppression had to reach, no other one.
    if method == "suppress" and not row["attribute"]:
        return _target(given, voice)
    said = voice.say(f"protections.{method}")
    return f"{said} ({given})" if given and method != "suppress" else said


def _target(given: str, voice: Voice) -> str:
    """Write what a suppression had to reach, of which a row has `l=2 of=ill,pay`."""
    given, _, sets = given.partition(" sets=")
    target, _, of = given.partition(" of=")
    key, _, number = target.partition("=")
    # Nobody alone is company for all, and nobody certain two values for all.
    if key in _SHARES_OF_NOBODY and not Fraction(number):
        key, number = _SHARES_OF_NOBODY[key], "2"
    if sets:
        key = "sets"
        of = "; ".join(" + ".join(each.split(",")) for each in sets.split(";"))
    return voice.say(
        f"protections.target_{key}",
        n=number,
        share=voice.numbers.exact_share(number),
        names=of if sets else voice.listing(map(voice.attribute, of.split(","))),
    )


def suppressed(n_cells: float, least: float | None, voice: Voice) -> str:
    """Write how many cells became missing, and how many had to, if that is known."""
    kind = "" if least is None else "_fewest" if least == n_cells else "_least"
    cells = {"cells": int(n_cells), "least": int(least or 0)}
    return voice.say(f"protections.cells{kind}", cells)


_LOSSES = {
    "variation": "total_variation",
    "error": "largest_error_share",
    "variation_worst": "total_variation_worst",
    "error_worst": "largest_error_share_worst",
}


def tabulations(rows: pd.DataFrame, voice: Voice) -> list[Grid]:
    """Lay out what tables of counts lose by protections, if any were named."""
    if rows.empty:
        return []
    columns: list[GridColumn] = [
        ("release", lambda row: f"{row['table']} {row['protection']}"),
        *("tabulation", "attributes:names"),
        *(f"{heading}={name}:share" for heading, name in _LOSSES.items()),
        *(["change=largest_change:ratio"] if rows["outcome"].any() else []),
    ]
    caption, none = voice.say("tabulations.caption"), voice.say("protections.none")
    look = {"caption": caption, "missing": none}
    return [grid(voice, "tabulations", rows, columns, n_texts=3, **look)]


@dataclass(frozen=True)
class Edition:
    """A page in one language, ready for the template."""

    voice: Voice
    title: str
    # Its analyses, each with the anchors and subjects of its parts
    contents: Sequence[tuple[str, Sequence[tuple[str, str]]]]
    introductions: Sequence[str]  # What is measured
    answer: Answer
    about: str  # Of which releases it tells
    partial_years: str  # Which of them are not of a whole year
    unused: str  # Which columns are not tested
    parts: Sequence[Part]
    releases: Sequence[Mapping[str, str]]
    removals: Sequence[Grid]
    protections: Sequence[Grid]
    tabulations: Sequence[Grid]
    definitions: Sequence[Mapping[str, str]]  # Words that it explains
    limits: Sequence[Line]  # What the numbers do not say
    glossary: Sequence[Mapping[str, str]]  # Further words
    reproduction: Sequence[str]  # How the page is made again


def edition(
    study: Headline,
    origin: Origin,
    chapters: Sequence[Chapter],
    others: frozenset[str],
    voice: Voice,
) -> Edition:
    """Return what a page says in one language."""
    topics = frozenset[str]().union(*(chapter.topics for chapter in chapters))
    page = "".join(chapter.page for chapter in chapters)
    parts = [
        _with_filter(part, study.filtered_by(part.analysis), voice)
        for chapter in chapters
        for part in chapter.parts
    ]
    title = voice.say("page.title", study=study.name)
    if page:
        title = voice.say("page.title_part", study=study.name, analysis=page)
    told = [*_of_topics("limits", others, voice), *seeded(study, origin, voice)]
    limits = [Line(text) for text in told]
    limits += [limit for chapter in chapters for limit in chapter.limits]
    absent = [] if page else [Line(text) for text in not_measured(topics, voice)]
    return Edition(
        voice=voice,
        title=title,
        introductions=_of_topics("introductions", others, voice),
        contents=contents(parts),
        answer=answer(parts, voice),
        about=about(study, origin.ingest, voice),
        partial_years=partial_years(study, origin.ingest, voice),
        unused=unused(study, origin.ingest, voice),
        parts=[*below(parts)],
        releases=[
            *_releases(origin.ingest, voice),
            *(_of_file(each, voice) for each in study.files if not page),
        ],
        removals=removals(origin.removed, voice),
        protections=protections(origin.protections, voice),
        tabulations=tabulations(origin.tabulations, voice),
        definitions=[
            {"anchor": definition_anchor(key, voice), **text}
            for key, text in voice.texts["definitions"].items()
            if key not in others
        ],
        limits=[*limits, *absent],
        glossary=glossary(others, voice),
        reproduction=reproduction(study, voice),
    )


def _with_filter(part: Part, attributes: Sequence[str], voice: Voice) -> Part:
    """Write where a part tells what was measured that only some records count."""
    if not attributes or not part.measured:
        return part
    names = voice.listing(map(voice.explained, attributes))
    said = voice.say("page.measured_filter", names=names)
    return replace(part, measured=(*part.measured, said))


def _of_topics(section: str, others: frozenset[str], voice: Voice) -> list[Any]:
    """Return the texts of a section but those of topics that a page has not."""
    return [text for key, text in voice.texts[section].items() if key not in others]


def seeded(study: Headline, origin: Origin, voice: Voice) -> list[str]:
    """Name the protected releases of a page whose draws can be found by a seed."""
    shown = {*origin.protections.get("release", ())}
    names = [name for name in study.seeded if name in shown]
    if not names:
        return []
    return [voice.say("protections.seeded", names=voice.listing(names))]


def _releases(ingest: pd.DataFrame, voice: Voice) -> Iterator[dict[str, str]]:
    counts = ["n_read", "n_refused", "n_kept", "n_dropped", "n_records"]
    for _, row in tables.with_text(ingest).iterrows():
        synthetic = str(row["synthetic"]).lower() == "true"
        yield {
            "table": row["table"],
            "release": row["release"],
            "synthetic": voice.say("page.yes" if synthetic else "page.no"),
            "sha256": row["sha256"],
        } | {name: voice.numbers.count(row[name]) for name in counts}


def _of_file(told: Mapping[str, Any], voice: Voice) -> dict[str, str]:
    """Return what is told of a file of a published table, as of a release."""
    counts = ["n_refused", "n_kept", "n_dropped", "n_records"]
    return {
        "table": told["analysis"],
        "release": told["file"],
        "n_read": voice.numbers.count(told["n_rows"]),
        **dict.fromkeys([*counts, "synthetic"], NOTHING),
        "sha256": told["sha256"],
    }
