"""Collective analyses, groups and scenarios as the study file gives them, checked."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from microleak.attacks.collective.analysis import Collective, Scenario
from microleak.base.errors import StudyError, check_known, did_you_mean
from microleak.records.coding import Group
from microleak.records.subsets import MOST_QIDS, subsets_of
from microleak.sources.definitions.options import can_begin
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Context,
    Different,
    Key,
    Label,
    Name,
    Qids,
    Section,
    SubsetsWanted,
    Text,
)

ALL = "all"
"""What stands for every release, unless a release has that name."""

Releases = Annotated[
    tuple[Annotated[Text, Field(description="Name of a release.")], ...],
    Field(
        min_length=1,
        description="A list of releases has one or more of their names, each once.",
    ),
]
Fewer = Annotated[dict[str, Attributes], Field(min_length=1, max_length=1)]
"""QIDs of an auxiliary release that does not have all of them."""

MOST_PARTS = 1000
"""Jobs that the blocks of an analysis may be counted in."""

GroupValue = Annotated[
    str,
    Field(
        pattern="^[^*]+[*]?$",
        description="Values are texts in quotes, not empty; one that ends in `*` "
        "stands for all that begin with what is before it, and `*` has no other place.",
    ),
]


class GroupSection(Section):
    """A group of values of one attribute."""

    attribute: Attribute
    """Attribute that the values are of. It may be sensitive too, but neither a QID of
    the analysis nor an identifier of the person or record."""

    values: Annotated[tuple[GroupValue, ...], Field(min_length=1), Different()]
    """The values, as texts in quotes and in the newest coding. One that ends in `*`
    stands for all that begin with what is before it, as `"0304*"`; `*` has no other
    place. A missing value belongs to no group. A value that no record of the focal
    release has is refused, unless the attribute has a domain."""


class ScenarioSection(Section):
    """What an adversary knows, and who that is."""

    qids: Attributes
    """What the adversary knows."""

    label: Label | None = None
    """Who the adversary is, by language, as a sentence names it, as `{pt: um colega de
    turma, en: a classmate}`. Without it the name stands there."""


class Further(Section):
    """Further keys of the study file that this family reads."""

    groups: dict[Key, GroupSection] = Field({})
    """Groups of values by name, for use in analyses - severe procedures, say, where the
    adversary wants to infer that a person had one, whichever it was. Adding or changing
    a group recounts every analysis that uses it, which takes as long as the first time;
    the data are not read again."""

    scenarios: dict[
        Key,
        Annotated[
            Attributes | ScenarioSection,
            Field(
                description="QIDs that an adversary knows, as a list, or a mapping of "
                "qids and label."
            ),
        ],
    ] = Field({})
    """Adversaries by name, each with the QIDs that it knows, as `{classmate: [TP_SEXO,
    CO_ENTIDADE]}`, or as `{classmate: {qids: [TP_SEXO, CO_ENTIDADE], label: {pt: um
    colega de turma, en: a classmate}}}` with who it is in a sentence. Every collective
    analysis that has all of them among its QIDs tells first what each scenario finds;
    where its subsets leave them out, the study is refused."""

    splits: dict[
        Name,
        Annotated[
            tuple[Name, ...],
            Field(
                min_length=2,
                description="A list of two collective analyses or more, each once.",
            ),
            Different(),
        ],
    ] = Field({})
    """A file that several took the place of, without a common key, by analyses of them
    all, as `{one-file: [participants, results]}`. The first screen says which
    attributes no row has together any more, and whom each file still gives away."""


class CollectiveSection(Section):
    """Attacks on all persons at once.

    They are re-identification and, for each sensitive attribute, attribute inference.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    table: str
    """Which table."""

    focal: Text | Releases
    """Which release of it is attacked. A list of releases, or `all` of the table, makes
    the analysis one for each, named `NAME-RELEASE`, without auxiliary releases. Where a
    release is itself named `all`, it alone is meant."""

    auxiliary: Annotated[tuple[Text | Fewer, ...], Different()] = ()
    """Further releases that the adversary links to the focal one by the identifier of
    persons, in the order in which they are added; every prefix of the list is measured.
    Their identifiers must name the same persons. One that does not have all the QIDs is
    given with those it has, as `{2019: [NU_MES, NU_ANO]}`."""

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list (of 62 at most)
    or the name of a QID set; none an identifier of the person or record."""

    subsets: SubsetsWanted = "all"
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    sensitive: AnyAttributes = ()
    """Attributes that the adversary wants to infer; none of them a QID, none an
    identifier of the person or record. Where one has at most 10 distinct values, a
    missing one among them, each but the most frequent is also measured by itself - of
    how many who have it an adversary knows that they do (`measures/values`)."""

    groups: Annotated[tuple[str, ...], Different()] = ()
    """Groups of values, by their names; of each the adversary wants to infer that a
    person has one of its values. None has the name of a sensitive attribute."""

    parts: Annotated[int, Field(ge=1, le=MOST_PARTS)] = 1
    """In how many jobs its blocks are counted, so that several machines share the work
    of one large release. Each job reads all records and counts the blocks of some
    values; one more adds the counts. The results are the same for any number, but
    changing it counts the blocks again."""


SECTION, FURTHER = CollectiveSection, Further
"""Its part of the study file, and that of further keys."""


def read(context: Context, sections: Sequence[CollectiveSection]) -> list[Collective]:
    """Return the collective analyses, one a focal release, each checked."""
    groups = {
        name: Group(name, group.attribute, group.values)
        for name, group in context.file.groups.items()
    }
    each = [
        _collective(context, section, focal, groups)
        for section in sections
        for focal in _focal_releases(context, section)
    ]
    _check_names({section.name for section in sections}, each, str(context.path))
    return each


def _focal_releases(context: Context, section: CollectiveSection) -> tuple[str, ...]:
    where = context.where(section)
    releases = context.table(section.table, (), where).releases
    if not _is_of_many(section, releases):
        return (str(section.focal),)
    focal = tuple(releases) if section.focal == ALL else tuple(section.focal)
    if section.auxiliary:
        raise StudyError(
            f"{where}: auxiliary releases are linked to one focal release, but focal "
            "is a list or all. Name one focal release, or remove auxiliary."
        )
    context.table(section.table, focal, where)
    for i, release in enumerate(focal):
        if release in focal[:i]:
            raise StudyError(
                f"{where}: release {release} is given twice in focal. Remove one."
            )
    return focal


def _is_of_many(section: CollectiveSection, releases: Collection[str]) -> bool:
    """Say whether each release has an analysis of its own, named `NAME-RELEASE`."""
    is_all = section.focal == ALL and ALL not in releases
    return is_all or not isinstance(section.focal, str)


def _collective(
    context: Context,
    section: CollectiveSection,
    focal: str,
    groups: Mapping[str, Group],
) -> Collective:
    where = context.where(section)
    pairs = [
        next(iter(entry.items())) if isinstance(entry, dict) else (entry, None)
        for entry in section.auxiliary
    ]
    auxiliary = tuple(release for release, _ in pairs)
    table = context.table(section.table, (focal, *auxiliary), where)
    for name in section.groups:
        said = f"{where} has no group"
        check_known(name, groups, said, " It must be listed under groups.")
    is_of_many = _is_of_many(section, table.releases)
    release = context.release(table.name, focal, where)
    analysis = Collective(
        name=f"{section.name}-{focal}" if is_of_many else section.name,
        table=table.name,
        focal=focal,
        qids=section.qids,
        sensitive=section.sensitive,
        wanted=section.subsets,
        auxiliary=auxiliary,
        fewer={release: qids for release, qids in pairs if qids is not None},
        groups=tuple(
            replace(group, has_domain=group.attribute in release.definition.domains)
            for group in map(groups.__getitem__, section.groups)
        ),
        part_of=section.name if is_of_many else "",
        n_parts=section.parts,
    )
    check(analysis, where)
    release.check_roles(analysis.qids, analysis.sensitive)
    for group in analysis.groups:
        _check_group(group, release, f"{where}: group {group.name!r}")
    context.check_panel(analysis, where)
    for name in analysis.releases:
        named = context.release(table.name, name, where)
        named.check_released(analysis.attributes_in(name))
    return analysis


def _check_names(taken: set[str], analyses: Sequence[Collective], where: str) -> None:
    """Refuse an analysis of one of many releases that is named as another one."""
    for each in analyses:
        if each.part_of and each.name in taken:
            raise StudyError(
                f"{where}: analysis {each.part_of!r} becomes {each.name!r} for its "
                f"focal release {each.focal}, and another analysis has that name. "
                "Rename one of them."
            )
        taken = {*taken, each.name}


def check(analysis: Collective, where: str) -> None:
    """Refuse what no releases can have: keys that contradict one another."""
    for release, qids in analysis.fewer.items():
        for qid in qids:
            if qid not in analysis.qids:
                raise StudyError(
                    f"{where}: {qid} of the auxiliary release {release} is not among "
                    "the QIDs of the analysis. Add it to qids or remove it there."
                )
    subsets_of(len(analysis.qids), analysis.wanted, where)
    n_linked = sum(len(analysis.attributes_in(r)) for r in analysis.auxiliary)
    n_columns = len(analysis.qids) + n_linked
    if n_columns > MOST_QIDS:
        raise StudyError(
            f"{where}: {len(analysis.qids)} QIDs of {len(analysis.releases)} releases "
            f"are {n_columns} attributes, more than the {MOST_QIDS} that a panel can "
            "have. Use fewer QIDs or releases."
        )
    for group in analysis.groups:
        _check_role(group, analysis, f"{where}: group {group.name!r}")


def _check_role(group: Group, analysis: Collective, said: str) -> None:
    """Refuse a group of a QID, or one with the name of a sensitive attribute."""
    if group.name in analysis.sensitive:
        raise StudyError(
            f"{said} has the name of a sensitive attribute, so that results could not "
            "tell them apart. Rename it under groups."
        )
    if group.attribute in analysis.qids:
        raise StudyError(
            f"{said} has values of {group.attribute}, which is a QID: who knows it has "
            "nothing to infer. Remove it from qids, or the group from groups."
        )


def _check_group(group: Group, release: Any, said: str) -> None:
    definition = release.definition
    if group.attribute in definition.identifiers:
        raise StudyError(
            f"{said} has values of {group.attribute}, which identifies persons or "
            "records and is dropped once each person has one record. Correct its "
            "attribute under groups."
        )
    replace(release, where=said).check_released((group.attribute,))
    domain = definition.domains.get(group.attribute)
    for value in group.values if domain else ():
        if value.endswith("*"):  # compared as far as the pattern tells beginnings
            if not can_begin(value[:-1], domain.pattern):
                raise StudyError(
                    f"{said} has {value!r}, but a value is {domain.expected}, and none "
                    f"of {definition.release} begins so. Correct it under groups."
                )
        elif fault := release.fault_of(value, group.attribute):
            raise StudyError(
                f"{said} has {value!r}, which {fault}. Correct it under groups, or let "
                "it end in * for all values that begin so."
            )


GivenScenarios = Mapping[str, tuple[str, ...] | ScenarioSection]


def read_scenarios(given: GivenScenarios) -> Iterator[Scenario]:
    """Yield the scenarios of a study file, in its order."""
    for name, part in given.items():
        each = ScenarioSection(qids=part) if isinstance(part, tuple) else part
        labels = each.label.model_dump(exclude_none=True) if each.label else {}
        yield Scenario(name, each.qids, labels)


def scenarios(context: Context, given: GivenScenarios) -> tuple[Scenario, ...]:
    """Return them, each checked."""
    found = tuple(read_scenarios(given))
    for each in found:
        where = f"{context.path}: scenario {each.name!r}"
        _check_scenario(each, context.earlier["collective"], where)
    return found


def splits(
    context: Context, given: Mapping[str, tuple[str, ...]]
) -> dict[str, dict[str, tuple[str, ...]]]:
    """Return which attributes of a file only one has of those in its place."""
    if given and context.file.report.audience == "public":
        said = f"{context.path}: a public page has no splits. Take splits away."
        raise StudyError(said)
    every = {each.name: each for each in context.earlier["collective"]}
    found = {}
    for whole, instead in given.items():
        where = f"{context.path}: split {whole!r}"
        for name in (whole, *instead):
            check_known(name, every, f"{where} has no collective analysis")
        analyses = {name: every[name] for name in (whole, *instead)}
        _check_files(analyses, every.values(), where)
        names = {n: each.attributes_in(each.focal) for n, each in analyses.items()}
        having = {a: [n for n in instead if a in names[n]] for a in names[whole]}
        found[whole] = {
            n: tuple(a for a, those in having.items() if those == [n]) for n in instead
        }
        if sum(map(bool, found[whole].values())) < 2:
            raise StudyError(
                f"{where}: fewer than two of {', '.join(instead)} have an attribute of "
                f"{whole} that the others have not, so nothing is split. Correct "
                "splits, or add attributes to these analyses."
            )
    return found


def _check_files(
    split: Mapping[str, Collective], every: Iterable[Collective], where: str
) -> None:
    """Refuse analyses that are not of files of their own, without a common key."""
    files = {(each.table, each.focal) for each in split.values()}
    if len(files) < len(split):
        raise StudyError(
            f"{where}: two of its analyses are of one release. Name one for each file."
        )
    for each in every:
        linked = files & {(each.table, release) for release in each.releases}
        if len(linked) > 1 or (each.auxiliary and each.name in split):
            raise StudyError(
                f"{where}: analysis {each.name!r} links releases by a key, and a split "
                "has none. Correct splits, or remove auxiliary there."
            )
    for name, each in split.items():
        if each.subsets[-1] != (1 << len(each.qids)) - 1:
            raise StudyError(
                f"{where}: the subsets of {name!r} leave out all QIDs together, by "
                "which files are compared. Write subsets: all or full there."
            )


def _check_scenario(
    scenario: Scenario, collective: Sequence[Collective], where: str
) -> None:
    known = {qid for analysis in collective for qid in analysis.qids}
    for name in scenario.qids:
        if name not in known:
            raise StudyError(
                f"{where} has {name}, which is a QID of no collective analysis."
                f"{did_you_mean(name, known)} Correct it under scenarios, or add it to "
                "the qids of an analysis."
            )
    having = [a for a in collective if set(scenario.qids) <= set(a.qids)]
    if not having:
        raise StudyError(
            f"{where} has {', '.join(scenario.qids)}, but no collective analysis has "
            "all of them among its QIDs. Correct it under scenarios, or add them to "
            "the qids of one analysis."
        )
    for analysis in having:
        if scenario.subset(analysis.qids) not in analysis.subsets:
            raise StudyError(
                f"{where}: analysis {analysis.part_of or analysis.name!r} has its "
                f"{len(scenario.qids)} QIDs, but its subsets leave them out. Add "
                f"{len(scenario.qids)} to subsets.sizes of the analysis, or write "
                "subsets: all."
            )


SHARED = {"scenarios": scenarios, "splits": splits}
"""Further keys of a study file that reports show, and what reads them."""
