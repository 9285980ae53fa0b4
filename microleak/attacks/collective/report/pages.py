"""Pages of collective attacks: one a release, and what all of them share."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from microleak.attacks.collective.report.chapters import Attacked, attacked, parts_of
from microleak.attacks.collective.report.comparison import (
    comparison_parts,
    protected_parts,
    split_parts,
)
from microleak.attacks.collective.report.contents import Facts, Measures, limits
from microleak.attacks.collective.report.drawing import comparisons_drawn, states_drawn
from microleak.attacks.collective.report.states import KickersTold, states_parts
from microleak.report import parts
from microleak.report.contents import Headline, Tables
from microleak.report.drawn import Undrawn
from microleak.report.page import INDEX
from microleak.report.texts import Voice, uncapital
from microleak.tables import rows as tables


class CertainOfRelease(NamedTuple):
    """What an adversary is certain of in one release."""

    kicker: str  # Its subject, which names it
    certain: str  # The finding
    highest: float
    remark: str = ""  # That it may be false, where values that it is of were drawn anew


@dataclass(frozen=True)
class ToldRelease:
    """One release of it: what other pages tell of its chapter."""

    # Names in the study file
    analysis: str
    release: str
    table: str
    whole: str  # Name of what it is a part of
    href: str  # Link to its page
    # As of its chapter
    combinations: str
    roles: tuple[str, ...]
    warning: str
    findings: tuple[CertainOfRelease, ...]


def release_of(each: Attacked) -> ToldRelease:
    """Return what is told of a chapter elsewhere; its tables and figures are not."""
    return ToldRelease(
        analysis=each.analysis,
        release=each.focal,
        table=each.table,
        whole=each.part_of,
        href=f"{quote(each.analysis)}.html",
        combinations=each.combinations,
        roles=each.roles,
        warning=each.warning,
        findings=tuple(
            CertainOfRelease(
                found.part.kicker, found.certain, found.highest, found.remark
            )
            for found in each.findings
        ),
    )


def whole_parts(
    released: Sequence[ToldRelease], told: KickersTold, study: Facts, voice: Voice
) -> Iterator[parts.Part]:
    """Yield a part for each analysis of which there are releases, in their order."""
    for name in dict.fromkeys(one.whole for one in released):
        releases = tuple(one for one in released if one.whole == name)
        last = releases[-1]
        anchor = f"{voice.language}-parts-{quote(name)}"
        kickers = dict.fromkeys(
            kicker
            for part in releases
            for kicker, *_ in part.findings
            if (part.analysis, kicker) not in told
        )
        # Of each finding that no chapter of states gives, where it is highest.
        lines = [_highest(kicker, releases, voice) for kicker in kickers]
        lines.append(parts.Line("", f"#{anchor}", voice.say("page.whole_link")))
        yield parts.Part(
            anchor=anchor,
            analysis=name,
            kicker="",
            heading=voice.say("page.whole_heading"),
            measured=(_measured(releases, voice), *last.roles),
            said=(parts.Said(tuple(lines)),),
            body=(_grid(releases, voice),),
            warning=last.warning,
            replies=tuple(_found(releases, study.unit(last.table), voice)),
        )


_MOST_BARS = 5  # The most exposed ones, and the least


def _found(
    released: Sequence[ToldRelease], unit: str, voice: Voice
) -> Iterator[parts.Reply]:
    """Yield in which release most are found, if it was asked who is."""
    kicker = voice.subject("")
    told = _told(kicker, released)
    if not told:
        return
    shares = {part: found.highest for part, found in told}
    line = _highest(kicker, released, voice)
    ordered = sorted(shares, key=lambda part: -shares[part])
    drawn = dict.fromkeys([*ordered[: _MOST_BARS - 1], ordered[-1]])
    file = quote(f"data/{ordered[0].analysis}-collective.csv")
    equation = parts.definition_anchor("deterministic", voice)
    of_units = voice.texts["unit"][unit]["of_many"]
    bars = (
        parts.ShareBar(part.release, shares[part], voice.numbers.share(shares[part]))
        for part in drawn
    )
    yield parts.Reply(
        "find",
        line.text,
        line.href,
        (
            parts.Link(ordered[0].release, line.href),
            parts.Link(voice.say("answer.equation"), f"#{equation}"),
            parts.Link(voice.say("answer.file"), file),
        ),
        parts.Bars(voice.say("replies.found_title", of_units=of_units), tuple(bars)),
        rank=1 if any(found.remark for _, found in told) else 0,
    )


def _grid(released: Sequence[ToldRelease], voice: Voice) -> parts.Grid:
    """Lay out the highest share of each release, a column for each kicker."""
    kickers = dict.fromkeys(
        found.kicker for part in released for found in part.findings
    )
    mark = f" ({voice.say('face_value.mark')})"
    rows: list[tuple[parts.Cell, ...]] = []
    for part in released:
        is_drawn = any(found.remark for found in part.findings)
        shares = {f.kicker: voice.numbers.share(f.highest) for f in part.findings}
        link = parts.Link(part.release + mark * is_drawn, part.href)
        rows.append((link, *(shares.get(kicker, parts.NOTHING) for kicker in kickers)))
    headings = (voice.say("page.column_release"), *kickers)
    return parts.Grid(voice.say("page.whole_caption"), headings, tuple(rows))


def _told(
    kicker: str, released: Sequence[ToldRelease]
) -> list[tuple[ToldRelease, CertainOfRelease]]:
    """Return a finding of each release, but of drawn values only if all have them."""
    every = [
        (p, found) for p in released for found in p.findings if found.kicker == kicker
    ]
    return [(p, found) for p, found in every if not found.remark] or every


def _highest(kicker: str, released: Sequence[ToldRelease], voice: Voice) -> parts.Line:
    """Return a finding of the release where it is highest; of equals the first."""
    told = _told(kicker, released)
    part, found = max(told, key=lambda each: each[1].highest)
    key = "page.whole_highest" if len(told) > 1 else "page.whole_only"
    named = {"release": part.release, "n_releases": len(told)}
    text = voice.say(key, named, heading=uncapital(found.certain))
    return parts.Line(f"{text} {found.remark}".strip(), part.href, kicker)


def _measured(released: Sequence[ToldRelease], voice: Voice) -> str:
    """Write how many releases there are; all have the same attributes."""
    last, number = released[-1], len(released)
    return voice.say(
        f"page.measured_whole_{'one' if number == 1 else 'many'}",
        analysis=last.whole,
        table=last.table,
        n_releases=number,
        combinations=last.combinations,
    )


_ALWAYS = frozenset(
    (
        *("collective", "knowledge", "guess"),
        *("deterministic", "probabilistic", "difference", "ratio", "leakage"),
    )
)
"""Topics of every chapter."""


class _CollectiveShown:
    """How the family is shown (`microleak.report.families.Shown`)."""

    topics = _ALWAYS | {"longitudinal", "importance", "group", "states", "own_record"}
    script = Path(__file__).with_name("explorer.js").read_text(encoding="utf-8")

    def chapters(
        self, study: Headline, given: Tables, figures: Mapping[str, str], voice: Voice
    ) -> Iterator[parts.Chapter]:
        """Yield the chapter of each release of an analysis of many, then all others."""
        if not given.of("collective"):
            return
        facts, measures = Facts.of(study), Measures.of(study, given)
        states = list(states_parts(facts, measures, figures, voice))
        told = frozenset[tuple[str, str]]().union(*(each.told for each in states))
        alone: list[Attacked] = []
        released: list[ToldRelease] = []
        for each in attacked(facts, measures, figures, voice):
            if each.part_of:
                released.append(release_of(each))
                yield parts.Chapter(
                    parts_of(each, frozenset()),
                    _ALWAYS | each.topics,
                    each.analysis,
                    (each.table, each.focal),
                    tuple(limits(each.drawn, voice, INDEX)),
                )
            else:
                alone.append(each)
        yield parts.Chapter(
            (
                *(each.part for each in states),
                *whole_parts(released, told, facts, voice),
                *(part for each in alone for part in parts_of(each, told)),
                *split_parts(facts, measures, voice),
                *comparison_parts(facts, measures, figures, voice),
                *protected_parts(facts, measures, given.whole("protections"), voice),
            ),
            _ALWAYS | _topics(measures, has_states=bool(states)),
            limits=tuple(limits(measures.drawn.values(), voice)),
        )

    def figures(self, study: Headline, given: Tables) -> Iterator[Undrawn]:
        """Yield those that compare releases or states; a step draws the others."""
        if given.of("collective"):
            measures = Measures.of(study, given)
            compared = measures.compared()
            yield from comparisons_drawn(compared, study.releases, study.synthetic)
            yield from states_drawn(measures.side_by_side(), study.synthetic)


def _topics(measures: Measures, has_states: bool) -> frozenset[str]:
    rows = [tables.with_text(each) for each in measures.collective.values()]
    found = {
        "longitudinal": any(each["auxiliary"].any() for each in rows),
        "own_record": any(each["sensitive"].any() for each in rows),
        "importance": any(len(rows) for rows in measures.importance.values()),
        "group": bool(measures.groups),
        "states": has_states,
    }
    return frozenset(filter(found.get, found))


SHOWN = _CollectiveShown()
