"""An attack on one person of a release."""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.dataclasses import dataclass as validated

from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.rough import Roughly
from microleak.study_file.section import (
    SECRET,
    AnyAttributes,
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
    """An analysis of one person; who prints it does not see what is known of them.

    Attributes
    ----------
    name, table, focal
        As of a collective analysis.
    known
        Known values by release and attribute; None is a missing one.
    sensitive
        Attributes of the focal release to infer.
    further
        Attributes that the adversary might learn next, of every release of
        `known`.
    roughly
        How attributes of `known` are known that are not known exactly.
    """

    name: str
    table: str
    focal: str
    known: Mapping[str, Mapping[str, str | None]] = field(repr=False)
    sensitive: tuple[str, ...]
    further: tuple[str, ...]
    roughly: Roughly = field(default_factory=dict)

    @property
    def auxiliary(self) -> tuple[str, ...]:
        """Releases other than the focal one of which a value is known."""
        return tuple(release for release in self.known if release != self.focal)

    @property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        needed = (*self.known.get(release, {}), *self.further)
        return (*needed, *self.sensitive) if release == self.focal else needed

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)
