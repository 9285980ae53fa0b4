"""Analyses of many releases, each of which has a page: what they have in common."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from microleak.attacks.collective.report.chapters import Chapter
from microleak.attacks.collective.report.states import StatesChapter, Told, told_of
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
        Of each a kicker, which names it, a heading, and the highest share of the
        records that an adversary is certain of, or of a group's members.
    """

    analysis: str
    release: str
    table: str
    whole: str
    href: str
    combinations: str
    roles: tuple[str, ...]
    warning: str
    findings: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Whole:
    """One analysis of many releases, ready for the template.

    `shown` has what the answer in short tells: of each finding that no chapter of
    states gives the release where it is highest, as a sentence, a link and a kicker.
    """

    name: str
    anchor: str
    measured: str
    roles: tuple[str, ...]
    warning: str
    parts: tuple[Release, ...]
    shown: tuple[tuple[str, str, str], ...]


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
        The language.
    """
    names = dict.fromkeys(one.whole for one in parts)
    told = told_of(states)
    return [
        _whole(tuple(one for one in parts if one.whole == name), told, voice)
        for name in names
    ]


def release_of(chapter: Chapter) -> Release:
    """Return what is told of a chapter elsewhere; its tables and figures are not."""
    findings = [
        (part.kicker, part.finding.heading, part.highest) for part in chapter.sections
    ]
    findings += [(part.kicker, part.heading, part.highest) for part in chapter.groups]
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
    kickers = dict.fromkeys(
        kicker
        for part in parts
        for kicker, *_ in part.findings
        if (part.analysis, kicker) not in told
    )
    return Whole(
        name=last.whole,
        anchor=f"{voice.language}-parts-{quote(last.whole)}",
        measured=_measured(parts, voice),
        roles=last.roles,
        warning=last.warning,
        parts=parts,
        shown=tuple(_highest(kicker, parts, voice) for kicker in kickers),
    )


def _highest(
    kicker: str, parts: Sequence[Release], voice: Voice
) -> tuple[str, str, str]:
    """Tell a finding of the release where it is highest; of equals the first."""
    found = [
        (risk, part, heading)
        for part in parts
        for name, heading, risk in part.findings
        if name == kicker
    ]
    _, part, heading = max(found, key=lambda each: each[0])
    key = "page.whole_highest" if len(found) > 1 else "page.whole_only"
    number = voice.numbers.count(len(found))
    text = voice.say(key, release=part.release, n_releases=number, heading=heading)
    return text, part.href, kicker


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
