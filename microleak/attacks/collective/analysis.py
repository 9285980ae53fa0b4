"""A collective analysis: who is attacked, with which attributes, for which values."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field
from pydantic.dataclasses import dataclass

from microleak.base.arrays import QidMask
from microleak.records.coding import Group
from microleak.records.compared import Need
from microleak.records.subsets import subsets_of
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Different,
    Key,
    Name,
    NotEmpty,
    Qids,
    Section,
    SubsetsWanted,
    Text,
)

FocalReleases = Annotated[
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


class AdversaryLabel(Section):
    """Who an adversary is, by language."""

    pt: NotEmpty | None = None
    """In Portuguese."""

    en: NotEmpty | None = None
    """In English."""


class ScenarioSection(Section):
    """What an adversary knows, and who that is."""

    qids: Attributes
    """What the adversary knows."""

    label: AdversaryLabel | None = None
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


class CollectiveSection(Section):
    """Attacks on all persons at once.

    They are re-identification and, for each sensitive attribute, attribute inference.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    table: str
    """Which table."""

    focal: Text | FocalReleases
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


@dataclass(frozen=True)
class Collective:
    """A collective analysis of one focal release.

    Attributes
    ----------
    name, table, focal, qids, sensitive
        As the study file gives them.
    wanted
        What the study file says of subsets.
    auxiliary
        Releases that are linked to the focal one, in the order they are added.
    fewer
        The QIDs of auxiliary releases that do not have all of them.
    groups
        Groups of values to infer.
    part_of
        Name in the study file of an analysis of many releases, of which this is
        one; empty if it stands there itself.
    n_parts
        In how many jobs its blocks are counted.
    """

    name: str
    table: str
    focal: str
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    wanted: Any
    auxiliary: tuple[str, ...] = ()
    fewer: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    groups: tuple[Group, ...] = ()
    part_of: str = ""
    n_parts: int = 1

    @cached_property
    def subsets(self) -> tuple[QidMask, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @cached_property
    def releases(self) -> tuple[str, ...]:
        """The focal release and then the auxiliary ones."""
        return (self.focal, *self.auxiliary)

    @property
    def panel(self) -> str:
        """Name of the panel of all its releases, as in `2014+2015`."""
        return "+".join(self.releases)

    @cached_property
    def prefixes(self) -> tuple["Collective", ...]:
        """The analysis with none of its auxiliary releases, the first, and so on."""
        return tuple(
            replace(self, auxiliary=used, fewer=_part(self.fewer, used))
            for n in range(len(self.auxiliary) + 1)
            for used in [self.auxiliary[:n]]
        )

    def prefix(self, panel: str) -> "Collective":
        """Return the analysis with only the auxiliary releases of a panel."""
        return next(part for part in self.prefixes if part.panel == panel)

    def attributes_in(self, release: str) -> tuple[str, ...]:
        """Attributes of one of its releases that it needs."""
        if release == self.focal:
            grouped = [group.attribute for group in self.groups]
            return tuple(dict.fromkeys((*self.qids, *self.sensitive, *grouped)))
        return self.fewer.get(release, self.qids)

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of each of its releases."""
        for release in self.releases:
            yield self.table, release, self.attributes_in(release)


@dataclass(frozen=True)
class Scenario:
    """An adversary that the study file names, and the QIDs that it knows.

    `labels` has who it is by language, as a sentence names it; it may lack any.
    """

    name: str
    qids: tuple[str, ...]
    labels: Mapping[str, str] = field(default_factory=dict)

    def subset(self, qids: Sequence[str]) -> QidMask:
        """Return its QIDs as a bit mask over those of an analysis, which has them."""
        return sum(1 << qids.index(name) for name in self.qids)


def _part(
    fewer: Mapping[str, tuple[str, ...]], releases: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    return {name: qids for name, qids in fewer.items() if name in releases}
