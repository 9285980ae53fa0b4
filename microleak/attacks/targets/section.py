"""Targets as the study file gives them, checked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain
from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as validated

from microleak.base.errors import StudyError, refused_in
from microleak.records.compared import Need
from microleak.study_file.rough import Roughly, read_rough
from microleak.study_file.section import (
    SECRET,
    AnyAttributes,
    Context,
    Known,
    Section,
    TargetName,
    Text,
    Value,
)


class TargetSection(Section):
    """Attacks on one person.

    What they find is written to `confidential/` among the results and never enters the
    report. The study file itself then says something of a person - keep it accordingly.
    """

    model_config = ConfigDict(json_schema_extra=SECRET)

    name: TargetName
    """Name of the target, unique among the targets; formed as that of the study, and
    not ending in `-further`. Do not use the person's."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it is attacked."""

    known: Annotated[dict[str, Value | Known], Field(min_length=1, repr=False)]
    """Values that the adversary knows, by attribute, or by release and then attribute,
    as `{2014: {CO_CURSO: "1201"}}`. Texts as in the newest coding, in quotes; `null` is
    a missing value, or a person who is not in an auxiliary release."""

    sensitive: AnyAttributes = ()
    """Attributes of the focal release that the adversary wants to infer."""

    roughly: Roughly = Field({})
    """How attributes of `known` are known that are not known exactly, in every release,
    as `{NU_ANO: {within: 1}}`; the value of `known` is then what the adversary takes
    for true. It believes by Bayes. That one may be `unknown` makes no difference."""

    further: AnyAttributes | None = None
    """Attributes that the adversary might learn next. Without it the QIDs of the
    collective analyses that have these releases."""


def known_by_release(
    known: Mapping[str, str | Mapping[str, str | None] | None], focal: str
) -> dict[str, dict[str, str | None]]:
    """Return known values by release; without a release they are the focal one's.

    Raises
    ------
    StudyError
        If some are given with a release and some without.
    """
    nested = {name: dict(v) for name, v in known.items() if isinstance(v, Mapping)}
    alone = {name: v for name, v in known.items() if not isinstance(v, Mapping)}
    if nested and alone:
        raise StudyError(
            "known has values both with and without a release. "
            "Give all of them by release."
        )
    return nested or {focal: alone}


@validated(frozen=True, config=ConfigDict(hide_input_in_errors=True))
class Target:
    """An analysis of one person; who prints it does not see what is known of them."""

    name: str
    table: str
    focal: str
    """As of a collective analysis."""
    known: Mapping[str, Mapping[str, str | None]] = field(repr=False)
    """Known values by release and attribute; None is a missing one."""
    sensitive: tuple[str, ...]  # Attributes of the focal release to infer
    further: tuple[str, ...]
    """Attributes that the adversary might learn next, of every release of `known`."""
    roughly: Roughly = field(default_factory=dict)
    """How attributes of `known` are known that are not known exactly."""

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Releases other than the focal one of which a value is known."""
        return tuple(release for release in self.known if release != self.focal)

    @property
    def releases(self) -> tuple[str, ...]:
        return (self.focal, *self.auxiliary)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        needed = (*self.known.get(release, {}), *self.further)
        return (*needed, *self.sensitive) if release == self.focal else needed

    @property
    def needs(self) -> Iterator[Need]:
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)


SECTION = TargetSection


def read(context: Context, sections: Sequence[TargetSection]) -> list[Target]:
    """Return the targets, each checked as an analysis of all persons is."""
    # Attributes to learn next are, unless they are given, the QIDs of the analyses that
    # link the same releases.
    earlier = [*chain.from_iterable(context.earlier.values())]
    return [_target(context, section, earlier) for section in sections]


def _target(context: Context, section: TargetSection, earlier: Sequence[Any]) -> Target:
    where = f"{context.path}: target {section.name!r}"
    with refused_in(where):
        known = known_by_release(section.known, section.focal)
    table = context.table(section.table, (section.focal, *known), where)
    target = Target(
        name=section.name,
        table=table.name,
        focal=section.focal,
        known=known,
        sensitive=section.sensitive,
        further=section.further or (),
        roughly=read_rough(
            section.roughly, [*chain.from_iterable(known.values())], "known", where
        ),
    )
    context.check_panel(target, where)
    named = {
        *chain.from_iterable(context.file.qid_sets.values()),
        *(*target.further, *target.sensitive),
        *(
            attribute
            for analysis in earlier
            if analysis.table == target.table
            for attribute in analysis.attributes_in(analysis.focal)
        ),
    }
    for release in target.releases:
        _check_release(target, context.release(table.name, release, where), named)
    return _with_usual(target, earlier) if section.further is None else target


def _with_usual(target: Target, earlier: Sequence[Any]) -> Target:
    usual = [
        qid
        for analysis in earlier
        if analysis.table == target.table
        and set(target.releases) <= set(analysis.releases)
        for qid in analysis.qids
        if qid not in target.sensitive
        and all(qid in analysis.attributes_in(r) for r in target.releases)
    ]
    return replace(target, further=tuple(dict.fromkeys(usual)))


def _check_release(target: Target, release: Any, named: set[str]) -> None:
    name = release.definition.release
    known = target.known.get(name, {})
    sensitive = target.sensitive if name == target.focal else ()
    release.check_roles((*known, *target.further), target.sensitive)
    release.check_known_attributes(known, named)
    release.check_released((*known, *target.further, *sensitive))
    release.check_known_values(known)


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of targets: of what is known the attributes alone."""
    return [{**target, "known": _attributes(target["known"])} for target in given]


def _attributes(known: Mapping[str, Any]) -> Any:
    if any(isinstance(value, Mapping) for value in known.values()):
        return {release: list(values) for release, values in known.items()}
    return list(known)
