"""An analysis as a chapter: what was measured, and a section for each attack."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from microleak.attacks.collective.report.drawing import figure_path, kinds
from microleak.attacks.collective.report.findings import Finding, finding
from microleak.attacks.collective.report.groups import GroupPart, group_parts, highest
from microleak.attacks.collective.report.headline import (
    Subject,
    adversaries_of,
    headline_grids,
    with_headline,
)
from microleak.attacks.collective.report.importance import Importance, importance
from microleak.attacks.collective.report.worst import (
    BinTable,
    WorstTable,
    bin_tables,
    worst_tables,
)
from microleak.attacks.collective.report.years import Linked, Years, years
from microleak.report.contents import Adversary, Headline, Scope, Tables
from microleak.report.parts import Grid, figure_of
from microleak.report.texts import Voice
from microleak.tables import rows as tables


@dataclass(frozen=True)
class Section:
    """One subject of one analysis, ready for the template.

    `grids` have what named adversaries find and, where it `has_values`, each value but
    the most frequent. `highest` is the highest share of the records that an adversary
    is certain of. `years` is there where the analysis links
    releases, `importance` where all subsets were measured.
    """

    anchor: str
    kicker: str
    is_inference: bool
    finding: Finding
    grids: tuple[Grid, ...]
    has_values: bool
    figures: Mapping[str, Markup]
    worst: tuple[WorstTable, ...]
    bins: tuple[BinTable, ...]
    years: Years | None
    importance: Importance | None
    highest: float


@dataclass(frozen=True)
class Chapter:
    """One analysis, ready for the template.

    Attributes
    ----------
    part_of
        Name of what it is a part of, if it has a page of its own.
    measured
        How many records and combinations were measured, in a sentence.
    combinations
        How many combinations of how many attributes, alone.
    roles
        What is known and what is inferred, in sentences.
    warning
        That records are not persons, where they are not.
    """

    analysis: str
    table: str
    focal: str
    part_of: str
    measured: str
    combinations: str
    roles: tuple[str, ...]
    warning: str
    sections: tuple[Section, ...]
    groups: tuple[GroupPart, ...]


def chapters(
    study: Headline, tables_: Tables, figures: Mapping[str, str], voice: Voice
) -> Iterator[Chapter]:
    """Yield the chapter of each analysis, in the order of the tables.

    Raises
    ------
    StudyError
        If a figure is missing.
    """
    firsts: dict[Hashable, Mapping[str, Subject]] = {}
    for analysis, raw in tables_.collective.items():
        collective = tables.with_text(raw)
        first = collective.iloc[0]
        table = first["table"]
        scope = study.scope(analysis, table)
        is_line = scope.unit == "record"
        combinations = _combinations(collective, voice)
        subjects = _subjects(analysis, tables_)
        adversaries = tuple(adversaries_of(study.adversaries, raw))
        alike = table, frozenset(tables.all_qids(collective))
        headed = dict(_headed(subjects, adversaries, firsts.get(alike, {})))
        if not collective["auxiliary"].any():
            firsts.setdefault(alike, headed)
        yield Chapter(
            analysis=analysis,
            table=table,
            focal=first["focal"],
            part_of=study.parts.get(analysis, ""),
            measured=_measured(collective, combinations, voice),
            combinations=combinations,
            roles=tuple(_roles(study, analysis, collective, voice)),
            warning=voice.say("page.line_warning", table=table) if is_line else "",
            sections=tuple(
                _sections(analysis, subjects, headed, figures, voice, scope)
            ),
            groups=tuple(_groups(analysis, study, tables_, voice)),
        )


def _combinations(collective: pd.DataFrame, voice: Voice) -> str:
    """Write how many combinations of how many attributes were measured."""
    number = collective["qids"].nunique()
    return voice.say(
        "page.combinations_one" if number == 1 else "page.combinations_many",
        n_subsets=voice.numbers.count(number),
        attributes=voice.attributes(int(collective["n_qids"].max())),
    )


def _measured(collective: pd.DataFrame, combinations: str, voice: Voice) -> str:
    row = collective.iloc[0]
    return voice.say(
        "page.measured_table",
        analysis=row["analysis"],
        table=row["table"],
        panel=list(tables.by_panel(collective))[-1],
        n_records=voice.numbers.count(row["n_records"]),
        combinations=combinations,
    )


def _roles(
    study: Headline, analysis: str, collective: pd.DataFrame, voice: Voice
) -> Iterator[str]:
    """Say what is known and what is inferred."""
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


@dataclass(frozen=True)
class _Subjects:
    """Tables of one analysis, by subject; some may lack any."""

    collective: Mapping[str, pd.DataFrame]
    worst: Mapping[str, pd.DataFrame]
    bins: Mapping[str, pd.DataFrame]
    gain: Mapping[str, pd.DataFrame]
    brought: Mapping[str, pd.DataFrame]
    values: Mapping[str, pd.DataFrame]
    linked: pd.DataFrame | None


def _subjects(analysis: str, tables_: Tables) -> _Subjects:
    return _Subjects(
        collective=_by_subject(tables_.collective, analysis),
        worst=_by_subject(tables_.worst, analysis),
        bins=_by_subject(tables_.distribution, analysis),
        gain=_by_subject(tables_.gain, analysis),
        brought=_by_subject(tables_.importance, analysis),
        values=_by_subject(tables_.values, analysis),
        linked=tables_.linked.get(analysis),
    )


def _headed(
    subjects: _Subjects,
    adversaries: Sequence[Adversary],
    firsts: Mapping[str, Subject],
) -> Iterator[tuple[str, Subject]]:
    """Yield what each headline is made from, by the attribute inferred."""
    for sensitive, rows in subjects.worst.items():
        yield (
            sensitive,
            Subject(
                subjects.collective[sensitive],
                rows,
                adversaries,
                subjects.values.get(sensitive, pd.DataFrame()),
                firsts.get(sensitive),
            ),
        )


def _sections(
    analysis: str,
    subjects: _Subjects,
    headed: Mapping[str, Subject],
    figures: Mapping[str, str],
    voice: Voice,
    scope: Scope,
) -> Iterator[Section]:
    drawn = kinds(next(iter(subjects.collective.values())))
    for number, (sensitive, rows) in enumerate(subjects.worst.items()):
        paths = {
            kind: figure_path(analysis, kind, sensitive, voice.language)
            for kind in drawn
        }
        subject = headed[sensitive]
        found = finding(rows, voice, scope, subject.fewer_row())
        yield Section(
            anchor=f"{voice.language}-{quote(analysis)}-{number}",
            kicker=voice.subject(sensitive),
            is_inference=bool(sensitive),
            finding=with_headline(found, subject, voice, scope),
            grids=headline_grids(subject, voice, scope),
            has_values=not subject.values.empty,
            figures={kind: figure_of(figures, path) for kind, path in paths.items()},
            worst=worst_tables(rows, voice),
            bins=bin_tables(subjects.bins[sensitive], rows, voice),
            years=_years(subjects, sensitive, voice, scope),
            importance=_importance(subjects, sensitive, voice),
            highest=highest(rows["posterior_det"]),
        )


def _years(
    subjects: _Subjects, sensitive: str, voice: Voice, scope: Scope
) -> Years | None:
    if subjects.linked is None:
        return None
    linked = Linked(
        subjects.collective[sensitive],
        subjects.worst[sensitive],
        subjects.gain[sensitive],
        subjects.linked,
    )
    return years(linked, voice, scope)


def _importance(subjects: _Subjects, sensitive: str, voice: Voice) -> Importance | None:
    if sensitive not in subjects.brought:
        return None
    rows = subjects.brought[sensitive]
    return importance(rows, voice)


def _groups(
    analysis: str, study: Headline, tables_: Tables, voice: Voice
) -> Iterator[GroupPart]:
    if analysis in tables_.groups:
        anchor = f"{voice.language}-{quote(analysis)}"
        listed = study.groups[analysis]
        yield from group_parts(tables_.groups[analysis], listed, anchor, voice)


def _by_subject(
    family: Mapping[str, pd.DataFrame], analysis: str
) -> dict[str, pd.DataFrame]:
    """Divide the rows of an analysis by subject; none if the family has none."""
    rows = family.get(analysis)
    if rows is None or rows.empty:
        return {}
    return tables.by_subject(tables.with_text(rows))
