"""Analyses of many releases, each of which has a page: what they have in common."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from microleak.attacks.collective.report.chapters import Attacked
from microleak.attacks.collective.report.states import Told
from microleak.report.parts import Grid, Line, Link, Part, Said
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


def release_of(each: Attacked) -> Release:
    """Return what is told of a chapter elsewhere; its tables and figures are not."""
    return Release(
        analysis=each.analysis,
        release=each.focal,
        table=each.table,
        whole=each.part_of,
        href=f"{quote(each.analysis)}.html",
        combinations=each.combinations,
        roles=each.roles,
        warning=each.warning,
        findings=tuple(
            (found.part.kicker, found.part.heading, found.highest)
            for found in each.findings
        ),
    )


def whole_parts(parts: Sequence[Release], told: Told, voice: Voice) -> Iterator[Part]:
    """Yield a part for each analysis of which there are releases, in their order.

    The answer in short has of each finding that no chapter of states gives the
    release where it is highest.

    Parameters
    ----------
    parts
        Of each chapter that has a page of its own what `release_of` returns.
    told
        What chapters of states on the same page say of them.
    voice
        The language.
    """
    for name in dict.fromkeys(one.whole for one in parts):
        releases = tuple(one for one in parts if one.whole == name)
        last = releases[-1]
        anchor = f"{voice.language}-parts-{quote(name)}"
        kickers = dict.fromkeys(
            kicker
            for part in releases
            for kicker, *_ in part.findings
            if (part.analysis, kicker) not in told
        )
        lines = [_highest(kicker, releases, voice) for kicker in kickers]
        lines.append(Line("", f"#{anchor}", voice.say("page.whole_link")))
        yield Part(
            anchor=anchor,
            analysis=name,
            kicker="",
            heading=voice.say("page.whole_heading"),
            measured=(_measured(releases, voice), *last.roles),
            said=(Said(tuple(lines)),),
            body=(_grid(releases, voice),),
            warning=last.warning,
        )


def _grid(parts: Sequence[Release], voice: Voice) -> Grid:
    return Grid(
        caption=voice.say("page.whole_caption"),
        headings=(
            voice.say("page.column_release"),
            voice.say("page.findings_label"),
        ),
        rows=tuple(
            (
                Link(part.release, part.href),
                "\n".join(heading for _, heading, _ in part.findings),
            )
            for part in parts
        ),
        n_texts=2,
    )


def _highest(kicker: str, parts: Sequence[Release], voice: Voice) -> Line:
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
    return Line(text, part.href, kicker)


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
