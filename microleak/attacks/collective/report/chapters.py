"""An analysis as a chapter: what was measured, and a section for each attack."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote

import pandas as pd

from microleak.attacks.collective.report import contents, headline
from microleak.attacks.collective.report.contributions import (
    Years,
    bin_grids,
    count_grids,
    importance,
    worst_grids,
    years,
)
from microleak.attacks.collective.report.drawing import figure_path, kinds
from microleak.attacks.collective.report.explorer import explorer, is_explorable
from microleak.attacks.collective.report.findings import Finding, finding, highest_row
from microleak.attacks.collective.report.groups import GroupPart, group_parts, highest
from microleak.attacks.collective.report.states import KickersTold
from microleak.report import parts
from microleak.report.drawn import figure_of
from microleak.report.face_value import Drawn, concerned, remark, remarked
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class ChapterSection:
    """One subject of one analysis: its part, and what the first screen has of it."""

    part: parts.Part
    is_inference: bool
    finding: Finding
    adds: str  # What linked releases add, if any are
    highest: float  # Highest share of the records that an adversary is certain of
    remark: str  # That the finding may be false, where values were drawn anew

    @property
    def certain(self) -> str:
        """What an adversary is certain of."""
        return self.finding.certain


@dataclass(frozen=True)
class Attacked:
    """One analysis: what was measured, and a section for each attack."""

    analysis: str
    table: str
    focal: str
    part_of: str  # Name of what it is a part of, if it has a page of its own
    measured: str  # How many records and combinations were measured, in a sentence
    combinations: str  # How many combinations of how many attributes, alone
    roles: tuple[str, ...]  # What is known and what is inferred, in sentences
    warning: str  # That records are not persons, where they are not
    sections: tuple[ChapterSection, ...]
    groups: tuple[GroupPart, ...]
    has_importance: bool  # Whether it says what each attribute brings
    boxes: tuple[parts.Part, ...]  # Those to tick, where it has them
    drawn: Sequence[Drawn]  # Its releases of which values were drawn anew

    @property
    def topics(self) -> frozenset[str]:
        """What it is about beside what every chapter is."""
        found = {
            "importance": self.has_importance,
            "group": bool(self.groups),
            "own_record": any(section.is_inference for section in self.sections),
        }
        return frozenset(filter(found.get, found))

    @property
    def findings(self) -> "tuple[ChapterSection | GroupPart, ...]":
        """Sections, and then groups of values."""
        return *self.sections, *self.groups


def attacked(
    study: contents.Facts,
    measures: contents.Measures,
    figures: Mapping[str, str],
    voice: Voice,
) -> Iterator[Attacked]:
    """Yield each analysis, in the order of the tables."""
    firsts: dict[Hashable, Mapping[str, headline.Subject]] = {}
    for analysis, raw in measures.collective.items():
        collective = tables.with_text(raw)
        first = collective.iloc[0]
        table, qids = first["table"], tables.all_qids(collective)
        releases = contents.releases_attacked(collective)
        drawn = tuple(measures.drawn[n] for n in releases if n in measures.drawn)
        scope = study.scope(voice, analysis, table, first["focal"])
        scope = replace(scope, drawn=drawn)
        is_line = scope.unit == "record"
        combinations = voice.combinations(
            collective["qids"].nunique(), int(collective["n_qids"].max())
        )
        panel = [*tables.by_panel(collective)][-1]
        told = {"panel": panel, "combinations": combinations}
        of_kinds = {
            kind: _by_subject(getattr(measures, kind), analysis) for kind in _KINDS
        }
        adversaries = [who for who in study.adversaries if {*who.qids} <= {*qids}]
        alike = table, frozenset(qids)
        nothing = raw.iloc[:0]
        of = {
            "collective": raw,
            "worst": measures.worst[analysis],
            "values": measures.values.get(analysis, nothing),
        }
        headed = headline.Subject.every(of, adversaries, firsts.get(alike, {}))
        if not collective["auxiliary"].any():
            firsts.setdefault(alike, headed)
        linked = measures.linked.get(analysis)
        sections = _sections(of_kinds, linked, headed, figures, scope)
        boxes: tuple[parts.Part, ...] = ()
        if is_explorable(collective):
            worst = next(iter(headed.values())).worst
            boxes = (explorer(collective, worst, adversaries, scope),)
        groups = measures.groups.get(analysis, nothing.assign(group=""))
        yield Attacked(
            analysis=analysis,
            table=table,
            focal=first["focal"],
            part_of=study.parts.get(analysis, ""),
            measured=voice.say("page.measured_table", first, **told),
            combinations=combinations,
            roles=tuple(_roles(study, analysis, collective, voice)),
            warning=voice.say("page.line_warning", table=table) if is_line else "",
            sections=tuple(sections),
            groups=tuple(group_parts(groups, study.groups.get(analysis, {}), scope)),
            has_importance=bool(of_kinds["importance"]),
            boxes=boxes,
            drawn=drawn,
        )


def parts_of(each: Attacked, told: KickersTold) -> tuple[parts.Part, ...]:
    """Return the parts of an analysis; the first has what is said of all of it."""
    first, *others = (*(found.part for found in each.findings), *each.boxes)
    first = replace(
        first,
        measured=(each.measured, *each.roles),
        said=tuple(_said(each, told)),
        warning=each.warning,
    )
    return first, *(replace(part, said=()) for part in others)


def _said(each: Attacked, told: KickersTold) -> Iterator[parts.Said]:
    """Yield what named adversaries find, and then what is found at worst."""
    left = [s for s in each.sections if (each.analysis, s.part.kicker) not in told]
    named = [s for s in left if s.finding.scenarios]
    yield parts.Said(
        tuple(
            _line(s, tuple(filter(None, (*s.finding.scenarios, s.finding.own))))
            for s in named
        )
    )
    lines = [
        _line(s, (*s.finding.worst, s.finding.own), s.adds)
        if s.finding.own and not s.finding.scenarios
        else _line(s, s.finding.worst, s.finding.beside, s.adds)
        for s in left
    ]
    lines += [
        line
        for group in each.groups
        if (each.analysis, group.part.kicker) not in told
        for said in group.part.answer
        for line in said.lines
    ]
    yield parts.Said(tuple(lines))


def _line(section: ChapterSection, said: Sequence[str], *more: str) -> parts.Line:
    further = filter(None, (*more, section.remark))
    text = " ".join([*(f"{each}." for each in said), *further])
    return parts.Line(text, f"#{section.part.anchor}", section.part.kicker)


def _roles(
    study: contents.Facts, analysis: str, collective: pd.DataFrame, voice: Voice
) -> Iterator[str]:
    """Write what is known and what is inferred."""
    roles = {
        "known": tables.all_qids(collective),
        "inferred": [name for name in collective["sensitive"].unique() if name],
    }
    for role, names in roles.items():
        if names:
            listing = voice.listing(map(voice.explained, names))
            yield voice.say(f"page.measured_{role}", names=listing)
    for release, known in study.fewer.get(analysis, {}).items():
        listing = voice.listing(map(voice.explained, known))
        yield voice.say("page.measured_fewer", release=release, names=listing)


SubjectTables = Mapping[str, Mapping[str, pd.DataFrame]]
"""Tables of one analysis by kind, and then by subject, of which some may lack any."""

_KINDS = ("distribution", "gain", "importance")


def _sections(
    of_kinds: SubjectTables,
    persons: pd.DataFrame | None,
    headed: Mapping[str, headline.Subject],
    figures: Mapping[str, str],
    scope: contents.Scope,
) -> Iterator[ChapterSection]:
    analysis = scope.analysis
    for number, (sensitive, subject) in enumerate(headed.items()):
        rows, worst = subject.collective, subject.worst
        found = finding(worst, scope, subject.fewer_row())
        found = headline.with_headline(found, subject, scope)
        linked = None
        if persons is not None:
            gain = of_kinds["gain"][sensitive]
            linked = years(rows, worst, gain, persons, scope=scope)
        anchor = f"{scope.voice.language}-{quote(analysis)}-{number}"
        adds = linked.sentences[0] if linked and not sensitive else ""
        every = of_kinds["importance"].get(sensitive, pd.DataFrame())
        brought = importance(every, scope.voice)
        anew = concerned(scope.drawn, {*tables.all_qids(rows), sensitive})
        doubt = remark(anew, scope.voice)
        told = headline.ToldOfSubject(analysis, anchor, subject, every, adds)
        part = parts.Part(
            anchor=anchor,
            analysis=analysis,
            kicker=scope.voice.subject(sensitive),
            heading=headline.part_heading(subject, scope),
            body=(
                parts.Sentences(found.seen),
                parts.Sentences(found.details),
                *headline.headline_grids(subject, anchor, scope),
                *_body(
                    _drawn(analysis, rows, figures, scope.voice),
                    worst,
                    of_kinds["distribution"][sensitive],
                    linked,
                    scope.voice,
                    "" if subject.adversaries else anchor,
                ),
                *brought,
            ),
            downloads=tuple(
                (f"data/{analysis}-{table}.csv", scope.say(f"page.download_{table}"))
                for table in (
                    "collective",
                    "worst",
                    *(["gain"] if linked else []),
                    *([] if subject.values.empty else ["values"]),
                    "distribution",
                    *(["importance"] if brought else []),
                )
            ),
            replies=remarked(headline.replies(told, scope), doubt),
            caution=contents.caution(anew, scope.voice, scope.home),
        )
        certain = highest(worst["posterior_det"])
        yield ChapterSection(part, bool(sensitive), found, adds, certain, doubt)


def _drawn(
    analysis: str, rows: pd.DataFrame, figures: Mapping[str, str], voice: Voice
) -> dict[str, str]:
    """Return the figures of one subject by their kind."""
    sensitive = rows["sensitive"].iloc[0]
    return {
        kind: figure_of(figures, figure_path(analysis, kind, sensitive, voice.language))
        for kind in kinds(rows)
    }


def _body(
    drawn: Mapping[str, str],
    worst: pd.DataFrame,
    distribution: pd.DataFrame,
    linked: Years | None,
    voice: Voice,
    part: str,
) -> Iterator[parts.Element]:
    """Yield the figures of a section with what stands around them."""
    # The first screen links to the row of the highest certainty, if to any.
    anchor = headline.row_anchor(part) if part else ""
    caption = voice.say("page.caption_success")
    if worst["sensitive"].iloc[0]:
        caption += f" {voice.say('page.caption_left_out')}"
    spread = voice.say("page.caption_distribution")
    if linked is not None:
        kind = "_partial" if linked.is_partial else ""
        of_years = voice.say(f"page.caption_years{kind}", attributes=linked.attributes)
        yield parts.Passage("subheading", voice.say("page.years_heading"))
        yield parts.Sentences(linked.sentences)
        yield parts.Drawing(drawn["years"], of_years)
        yield linked.grid
        yield parts.Passage("subheading", voice.say("page.facts_heading"))
        caption += f" {voice.say('page.caption_success_linked')}"
        spread = voice.say(
            "page.caption_distribution_linked", attributes=linked.attributes
        )
    yield parts.Drawing(drawn["success"], caption)
    yield parts.SearchBox()
    yield from worst_grids(worst, voice, highest_row(worst)["qids"], anchor)
    yield parts.Passage("note", voice.say("page.worst_note"))
    note = parts.Passage("note", voice.say("page.details_success_note"))
    counts: tuple[parts.Grid | parts.Passage, ...] = (*count_grids(worst, voice), note)
    yield parts.Folded(voice.say("page.details_success"), counts)
    yield parts.Drawing(drawn["distribution"], spread)
    bins = tuple(bin_grids(distribution, worst, voice))
    yield parts.Folded(
        voice.say("page.details_distribution"), bins, is_side_by_side=True
    )


def _by_subject(
    family: Mapping[str, pd.DataFrame], analysis: str
) -> dict[str, pd.DataFrame]:
    """Divide the rows of an analysis by subject; none if the family has none."""
    rows = family.get(analysis)
    if rows is None or rows.empty:
        return {}
    return tables.by_subject(tables.with_text(rows))
