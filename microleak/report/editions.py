"""What a page says in one language, before it is laid out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from microleak.attacks.collective.report.chapters import Chapter
from microleak.attacks.collective.report.comparison import Comparison, comparisons
from microleak.attacks.collective.report.explorer import (
    Explorer,
    explorer,
    is_explorable,
)
from microleak.attacks.collective.report.states import StatesChapter, states_chapters
from microleak.attacks.collective.report.summary import summaries
from microleak.attacks.collective.report.wholes import (
    Release,
    Whole,
    release_of,
    wholes,
)
from microleak.report.answer import Answer, answer
from microleak.report.contents import Headline, Tables, is_joined
from microleak.report.families import Families, family_parts
from microleak.report.glossary import (
    Removal,
    Term,
    glossary,
    not_measured,
    removals,
    reproduction,
)
from microleak.report.parts import Part
from microleak.report.texts import Voice
from microleak.tables import rows as tables

_COLLECTIVE = (
    *("collective", "knowledge", "guess"),
    *("deterministic", "probabilistic", "difference", "ratio", "leakage"),
)
"""Topics of collective attacks alone."""


@dataclass(frozen=True)
class Edition:
    """A page in one language, ready for the template.

    `introductions` say what is measured, `definitions` are the words that it
    explains, each with its term and text, `glossary` further ones, and `limits` what
    the numbers do not say. `summaries` sum up sections, by their anchors, and
    `explorers` are the boxes to tick of each analysis that has them. `reproduction`
    says how the page is made again, and `targets` where attacks on single persons
    are, if there were any. `has_comparison` says that there is a file of
    comparisons to link to.
    """

    voice: Voice
    title: str
    introductions: Sequence[str]
    answer: Answer
    chapters: Sequence[Chapter]
    parts: Sequence[Part]
    wholes: Sequence[Whole]
    states: Sequence[StatesChapter]
    comparisons: Sequence[Comparison]
    releases: Sequence[Mapping[str, str]]
    removals: Sequence[Removal]
    definitions: Sequence[Mapping[str, str]]
    limits: Sequence[str]
    glossary: Sequence[Term]
    reproduction: Sequence[str]
    summaries: Mapping[str, str] = field(default_factory=dict)
    explorers: Mapping[str, Explorer] = field(default_factory=dict)
    targets: str = ""
    has_comparison: bool = False


@dataclass(frozen=True)
class Analysed:
    """All analyses of a study in one language.

    `alone` has the chapters of the first page, `released` what is told there of
    those that have pages of their own.
    """

    alone: list[Chapter] = field(default_factory=list)
    released: list[Release] = field(default_factory=list)

    def add(self, chapter: Chapter) -> None:
        """Add an analysis; of one that has its own page only what others tell."""
        if chapter.part_of:
            self.released.append(release_of(chapter))
        else:
            self.alone.append(chapter)


def index_edition(
    study: Headline,
    tables_: Tables,
    figures: Mapping[str, str],
    analysed: Analysed,
    families: Families,
    voice: Voice,
) -> Edition:
    """Return the first page: all but the details of releases that have their own.

    Parameters
    ----------
    study, tables_, figures
        As of `microleak.report.page.report_pages`.
    analysed
        What is told of all analyses in this language.
    families
        Those whose parts the page may have.
    voice
        The language.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    several = tables_.side_by_side()
    states = list(states_chapters(study, several, figures, voice))
    several_releases = wholes(analysed.released, states, voice)
    parts = [
        _with_filter(part, study.filters.get(part.analysis, ()), voice)
        for part in family_parts(families, tables_.families, figures, voice)
    ]
    alone = analysed.alone
    told = _summaries(study, tables_, alone, voice)
    topics = {
        **{kind: kind in tables_.families for kind in voice.texts["measurable"]},
        "longitudinal": any(is_joined(rows) for rows in tables_.collective.values()),
        "importance": any(len(rows) for rows in tables_.importance.values()),
        "group": bool(tables_.groups),
        "states": bool(states),
        **dict.fromkeys(_COLLECTIVE, bool(tables_.collective)),
    }
    return Edition(
        voice=voice,
        title=voice.say("page.title", study=study.name),
        introductions=_introductions(topics, voice),
        answer=answer(states, several_releases, alone, parts, told, voice),
        chapters=alone,
        parts=parts,
        wholes=several_releases,
        states=states,
        comparisons=list(comparisons(study, tables_.compared(), figures, voice)),
        releases=list(_releases(tables_.ingest, voice)),
        removals=list(removals(tables_.removed, voice)),
        definitions=_of_topics("definitions", topics, voice),
        limits=[*_of_topics("limits", topics, voice), *not_measured(topics, voice)],
        glossary=glossary(topics, voice),
        reproduction=reproduction(study, voice),
        summaries=told,
        explorers=_explorers(study, tables_, alone, voice),
        targets=_targets(study, voice),
        has_comparison=len(tables_.comparison) > 0,
    )


def part_edition(
    study: Headline, tables_: Tables, chapter: Chapter, voice: Voice
) -> Edition:
    """Return the page of one release of an analysis of many."""
    origin = tables_.origin(chapter.table, chapter.focal)
    told = _summaries(study, tables_, [chapter], voice)
    topics = {
        **dict.fromkeys(voice.texts["measurable"], False),
        **dict.fromkeys(_COLLECTIVE, True),
        "importance": any(section.importance for section in chapter.sections),
        "group": bool(chapter.groups),
        "states": False,
    }
    return Edition(
        voice=voice,
        title=voice.say("page.title_part", study=study.name, analysis=chapter.analysis),
        introductions=_introductions(topics, voice),
        answer=answer((), (), [chapter], (), told, voice),
        chapters=[chapter],
        parts=(),
        wholes=(),
        states=(),
        comparisons=(),
        releases=list(_releases(origin.ingest, voice)),
        removals=list(removals(origin.removed, voice)),
        definitions=_of_topics("definitions", topics, voice),
        limits=_of_topics("limits", topics, voice),
        glossary=glossary(topics, voice),
        reproduction=reproduction(study, voice),
        summaries=told,
        explorers=_explorers(study, tables_, [chapter], voice),
    )


def _with_filter(part: Part, attributes: Sequence[str], voice: Voice) -> Part:
    """Say where a part tells what was measured that only some records count."""
    if not attributes or not part.measured:
        return part
    names = voice.listing(map(voice.explained, attributes))
    said = voice.say("page.measured_filter", names=names)
    return replace(part, measured=(*part.measured, said))


def _summaries(
    study: Headline, tables_: Tables, shown: Sequence[Chapter], voice: Voice
) -> dict[str, str]:
    """Sum up the sections of some chapters, by their anchors."""
    told: dict[str, str] = {}
    for chapter in shown:
        worst, unit = tables_.worst[chapter.analysis], study.unit(chapter.table)
        told |= summaries(chapter, worst, unit, voice)
    return told


def _explorers(
    study: Headline, tables_: Tables, shown: Sequence[Chapter], voice: Voice
) -> dict[str, Explorer]:
    """Return the boxes to tick of the chapters that can have them."""
    rows = {part.analysis: tables_.collective[part.analysis] for part in shown}
    return {
        analysis: explorer(
            collective, tables_.worst[analysis], voice, study.adversaries
        )
        for analysis, collective in rows.items()
        if is_explorable(collective)
    }


def _targets(study: Headline, voice: Voice) -> str:
    """Say that single persons were attacked, and where; never who or what of them."""
    if not study.n_targets:
        return ""
    key = "targets.told_one" if study.n_targets == 1 else "targets.told_many"
    number = voice.numbers.count(study.n_targets)
    return voice.say(key, number=number, study=study.name)


def _introductions(topics: Mapping[str, bool], voice: Voice) -> list[str]:
    """Say what is measured of each kind of analyses that a page has."""
    collective = [voice.say("page.measured")] if topics.get("collective", True) else []
    return [*collective, *_of_topics("introductions", topics, voice)]


def _of_topics(section: str, topics: Mapping[str, bool], voice: Voice) -> list[Any]:
    """Return the texts of a section; of `topics` only those that a page has."""
    texts = voice.texts[section]
    return [text for key, text in texts.items() if topics.get(key, True)]


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
