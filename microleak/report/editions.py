"""What a page says in one language, before it is laid out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from microleak.report.answer import Answer, answer
from microleak.report.contents import Headline, Origin
from microleak.report.glossary import (
    Term,
    glossary,
    not_measured,
    removals,
    reproduction,
)
from microleak.report.parts import Chapter, Grid, Part
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Edition:
    """A page in one language, ready for the template.

    `introductions` say what is measured, `definitions` are the words that it
    explains, each with its term and text, `glossary` further ones, and `limits` what
    the numbers do not say. `reproduction` says how the page is made again.
    """

    voice: Voice
    title: str
    introductions: Sequence[str]
    answer: Answer
    parts: Sequence[Part]
    releases: Sequence[Mapping[str, str]]
    removals: Sequence[Grid]
    definitions: Sequence[Mapping[str, str]]
    limits: Sequence[str]
    glossary: Sequence[Term]
    reproduction: Sequence[str]


def edition(
    study: Headline,
    origin: Origin,
    chapters: Sequence[Chapter],
    others: frozenset[str],
    voice: Voice,
) -> Edition:
    """Return what a page says in one language.

    Parameters
    ----------
    study
        What a report must know of the study.
    origin
        Where the records of the page come from.
    chapters
        Those of the page; or that one which has the page alone.
    others
        Topics of which the page would have something to say, and has not.
    voice
        The language.
    """
    topics = frozenset[str]().union(*(chapter.topics for chapter in chapters))
    page = "".join(chapter.page for chapter in chapters)
    parts = [
        _with_filter(part, study.filtered_by(part.analysis), voice)
        for chapter in chapters
        for part in chapter.parts
    ]
    title = (
        voice.say("page.title_part", study=study.name, analysis=page)
        if page
        else voice.say("page.title", study=study.name)
    )
    limits = _of_topics("limits", others, voice)
    return Edition(
        voice=voice,
        title=title,
        introductions=_of_topics("introductions", others, voice),
        answer=answer(parts),
        parts=parts,
        releases=list(_releases(origin.ingest, voice)),
        removals=removals(origin.removed, voice),
        definitions=_of_topics("definitions", others, voice),
        limits=limits if page else [*limits, *not_measured(topics, voice)],
        glossary=glossary(others, voice),
        reproduction=reproduction(study, voice),
    )


def _with_filter(part: Part, attributes: Sequence[str], voice: Voice) -> Part:
    """Say where a part tells what was measured that only some records count."""
    if not attributes or not part.measured:
        return part
    names = voice.listing(map(voice.explained, attributes))
    said = voice.say("page.measured_filter", names=names)
    return replace(part, measured=(*part.measured, said))


def _of_topics(section: str, others: frozenset[str], voice: Voice) -> list[Any]:
    """Return the texts of a section but those of topics that a page has not."""
    return [text for key, text in voice.texts[section].items() if key not in others]


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
