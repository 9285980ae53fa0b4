"""Analyses of many releases, each of which has a page: what they have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

from microleak.report.chapters import Chapter
from microleak.report.states import StatesChapter, Told, told_of
from microleak.report.texts import Voice


@dataclass(frozen=True)
class Release:
    """One release of it: what other pages tell of its chapter.

    Attributes
    ----------
    analysis, release, table
        Names in the study file.
    whole
        Name of what it is a part of.
    href
        Link to its page.
    combinations, roles, warning
        As of its chapter; the same for all parts.
    findings
        Of each a kicker, which names it, and a heading.
    """

    analysis: str
    release: str
    table: str
    whole: str
    href: str
    combinations: str
    roles: tuple[str, ...]
    warning: str
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
    parts: tuple[Release, ...]
    shown: Release


def wholes(
    parts: Sequence[Release], states: Iterable[StatesChapter], voice: Voice
) -> list[Whole]:
    """Return the analyses of which there are some parts, in their order.

    Parameters
    ----------
    parts
        Of each chapter that has a page of its own what `release_of` returns.
    states
        The chapters of states on the same page, which give findings of parts.
    voice
        The language and audience.
    """
    names = dict.fromkeys(one.whole for one in parts)
    told = told_of(states)
    return [
        _whole(tuple(one for one in parts if one.whole == name), told, voice)
        for name in names
    ]


def release_of(chapter: Chapter) -> Release:
    """Return what is told of a chapter elsewhere; its tables and figures are not."""
    findings = [(part.kicker, part.finding.heading) for part in chapter.sections]
    findings += [(part.kicker, part.heading) for part in chapter.groups]
    return Release(
        analysis=chapter.analysis,
        release=chapter.focal,
        table=chapter.table,
        whole=chapter.part_of,
        href=f"{quote(chapter.analysis)}.html",
        combinations=chapter.combinations,
        roles=chapter.roles,
        warning=chapter.warning,
        findings=tuple(findings),
    )


def _whole(parts: tuple[Release, ...], told: Told, voice: Voice) -> Whole:
    last = parts[-1]
    left = [f for f in last.findings if (last.analysis, f[0]) not in told]
    return Whole(
        name=last.whole,
        anchor=f"{voice.language}-parts-{quote(last.whole)}",
        measured=_measured(parts, voice),
        roles=last.roles,
        warning=last.warning,
        parts=parts,
        shown=replace(last, findings=tuple(left)),
    )


def _measured(parts: Sequence[Release], voice: Voice) -> str:
    """Say how many releases there are; all have the same attributes."""
    number = len(parts)
    return voice.say(
        "page.measured_whole_one" if number == 1 else "page.measured_whole_many",
        analysis=parts[-1].whole,
        table=parts[-1].table,
        n_releases=voice.numbers.count(number),
        combinations=parts[-1].combinations,
    )
