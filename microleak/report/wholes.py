"""Analyses of many releases, each of which has a page: what they have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from microleak.report.chapters import Chapter
from microleak.report.states import StatesChapter, Told, told_of
from microleak.report.texts import Voice


@dataclass(frozen=True)
class Part:
    """One release of it: a link to its page, and its findings.

    Each finding is a kicker, which names it, and a heading.
    """

    analysis: str
    release: str
    href: str
    findings: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Whole:
    """One analysis of many releases, ready for the template.

    `shown` has the last part, with the findings that no chapter of states gives;
    it is of these that the answer in short tells.
    """

    name: str
    anchor: str
    measured: str
    roles: tuple[str, ...]
    warning: str
    parts: tuple[Part, ...]
    shown: Part


def wholes(
    parts: Sequence[Chapter], states: Iterable[StatesChapter], voice: Voice
) -> list[Whole]:
    """Return the analyses that some chapters are parts of, in their order.

    Parameters
    ----------
    parts
        The chapters that have pages of their own.
    states
        The chapters of states on the same page, which give findings of parts.
    voice
        The language and audience.
    """
    names = dict.fromkeys(chapter.part_of for chapter in parts)
    told = told_of(states)
    return [
        _whole(name, [part for part in parts if part.part_of == name], told, voice)
        for name in names
    ]


def _whole(name: str, chapters: Sequence[Chapter], told: Told, voice: Voice) -> Whole:
    last = chapters[-1]
    parts = tuple(map(_part, chapters))
    left = [f for f in parts[-1].findings if (last.analysis, f[0]) not in told]
    return Whole(
        name=name,
        anchor=f"{voice.language}-parts-{quote(name)}",
        measured=_measured(name, chapters, voice),
        roles=last.roles,
        warning=last.warning,
        parts=parts,
        shown=replace(parts[-1], findings=tuple(left)),
    )


def _measured(name: str, chapters: Sequence[Chapter], voice: Voice) -> str:
    """Say how many releases there are; all have the same attributes."""
    number = len(chapters)
    return voice.say(
        "page.measured_whole_one" if number == 1 else "page.measured_whole_many",
        analysis=name,
        table=chapters[-1].table,
        n_releases=voice.numbers.count(number),
        combinations=chapters[-1].combinations,
    )


def _part(chapter: Chapter) -> Part:
    headings = [(part.kicker, part.finding.heading) for part in chapter.sections]
    headings += [(part.kicker, part.heading) for part in chapter.groups]
    return Part(
        analysis=chapter.analysis,
        release=chapter.focal,
        href=f"{quote(chapter.analysis)}.html",
        findings=tuple(headings),
    )
