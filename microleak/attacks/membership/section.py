"""Membership analyses as the study file gives them.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute, or
for a target.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal, Self

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.attacks.membership.drawn import DesignSection, FingerprintSection
from microleak.base.errors import ordinal
from microleak.records.compared import Compared, Need, Renamed, TableRelease
from microleak.records.subsets import subsets_of
from microleak.study_file.rough import Roughly, read_rough
from microleak.study_file.section import (
    SECRET,
    AnyAttributes,
    Context,
    Filter,
    Known,
    Name,
    OneRelease,
    Qids,
    Section,
    SubsetsWanted,
)

MemberName = Annotated[
    Name,
    Field(
        description="Names of targets have letters of English, digits, `.`, `_` and "
        "`-`."
    ),
]
KnownOfMember = Annotated[
    Known,
    Field(
        description='What is known of somebody is given as `{ATTRIBUTE: "value"}`; put '
        "values with commas in quotes."
    ),
]


class Membership(Section):
    """Attacks on a sample before its population: what it tells about who is in it.

    Both are releases of tables of the study. QIDs have the population's names and
    codes; between two sources a crosswalk says what each is in the sample
    (docs/sources.md), tables of one source, or of `delimited`, need the same names and
    codes in both. A subset of the QIDs is what the adversary knows of each person.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    population: OneRelease
    """Release that has the persons of whom some are in the sample."""

    sample: OneRelease
    """Release that has the persons who are in the sample."""

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list (of 62 at most)
    or the name of a QID set; none an identifier of the person or record."""

    wanted: SubsetsWanted = Field("all", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    filter: Filter = Field({})
    """Values to keep, by attribute of the population and in its codes, as
    `{CO_MUNICIPIO: ["3106200"]}`. Only persons who have one of them count, in both
    tables. The attribute need not be a QID; `null` is a missing value."""

    not_found: Literal["count", "refuse"] = "count"
    """Whether to `count` or to `refuse` persons of the sample who have values, of all
    QIDs together, that no person of the population has."""

    roughly: Roughly = Field({})
    """How QIDs are known that are not known exactly, as `{NU_IDADE: {within: 1}}`. What
    the sample gives away by Bayes is then measured as well, and targets are asked for
    by it: their values are what the adversary takes for true. That one of these may be
    `unknown` makes no difference."""

    design: DesignSection | None = None
    """How the sample was drawn, if not uniformly. What it gives away is then measured
    by that as well (`measures/designs`), and so are answers."""

    sensitive: AnyAttributes = ()
    """Attributes of the sample, by its own names, whose values are inferred of those
    who are found (`measures/answers`)."""

    fingerprint: FingerprintSection | None = None
    """Which records of the sample are of one class, though not of which, so that whole
    classes are recognised by what all their members answered, with all QIDs
    (`measures/fingerprints`)."""

    targets: Annotated[
        dict[MemberName, KnownOfMember], Field(json_schema_extra=SECRET)
    ] = Field({}, repr=False)
    """Persons by whom to ask whether they are in the sample, by names of your own, each
    with the values that the adversary knows, as `{somebody: {TP_SEXO: "2", NU_MES:
    "3"}}`. Texts as in the newest coding of the population, in quotes, or `null` for a
    missing value; of QIDs of the analysis only. Names are formed as that of the study;
    do not use the person's. What is found is written to `confidential/` among the
    results. The study file itself then says something of a person - keep it
    accordingly."""

    crosswalk: SkipJsonSchema[Renamed | None] = None
    """By which QIDs and attributes of `filter` are read in the sample."""

    @property
    def compared(self) -> Compared:
        """The sample with its population, nothing of the targets."""
        return Compared(
            name=self.name,
            population=TableRelease(**dict(self.population)),
            sample=TableRelease(**dict(self.sample)),
            qids=self.qids,
            wanted=self.wanted,
            keep=self.filter,
            not_found=self.not_found,
            crosswalk=self.crosswalk,
        )

    @property
    def published(self) -> tuple[str, ...]:
        """Attributes of the design, or of a class, that both releases have."""
        found: list[str] = []
        if self.design is not None:
            found += self.design.told_with(self.qids)
        if self.fingerprint is not None:
            found += self.fingerprint.within
        return tuple(dict.fromkeys(found))

    @property
    def wide(self) -> Compared:
        """The sample with its population, by the QIDs and all else that both have."""
        qids = tuple(dict.fromkeys((*self.qids, *self.published)))
        return replace(self.compared, qids=qids, wanted="full")

    @property
    def of_population(self) -> tuple[str, ...]:
        found: list[str] = []
        if self.design is not None:
            found += self.design.hidden_from(self.qids)
        if self.fingerprint is not None:
            found += self.fingerprint.cluster
        return tuple(dict.fromkeys(found))

    @property
    def of_sample(self) -> tuple[str, ...]:
        """Attributes that it needs of the sample alone, by its own names."""
        found = [*self.sensitive]
        if self.fingerprint is not None:
            found += self.fingerprint.labels_or_cluster
            found += [self.fingerprint.truth] if self.fingerprint.truth else []
        return tuple(dict.fromkeys(found))

    @property
    def needs(self) -> Iterator[Need]:
        both = zip(self.wide.needs, (self.of_population, self.of_sample), strict=True)
        for (table, release, attributes), alone in both:
            yield table, release, tuple(dict.fromkeys((*attributes, *alone)))

    def checked(self, where: str) -> Self:
        subsets_of(len(self.qids), self.wanted, where)
        if self.design is None:
            return self
        design = self.design.read(f"{where}: design")
        return self.model_copy(update={"design": design})

    @property
    def member_files(self) -> dict[str, str]:
        """Target by the name of its table, without an ending."""
        return {f"{self.name}-{target}": target for target in self.targets}


SECTION = Membership


def read(context: Context, sections: Sequence[Membership]) -> list[Membership]:
    found = [_analysis(context, section) for section in sections]
    files = [file for analysis in found for file in analysis.member_files]
    context.check_target_files(files, "membership")
    return found


def _analysis(context: Context, section: Membership) -> Membership:
    where, compared = context.where(section), section.compared
    pair = context.pair(compared.population, compared.sample, where)
    crosswalk = pair.by_population(section.wide.attributes)
    pair.population.check_released(section.of_population)
    pair.sample.check_released(section.of_sample)
    names = crosswalk.own_names if crosswalk else {}
    known_as = [names.get(name, name) for name in section.qids]
    pair.sample.check_roles(known_as, section.sensitive)
    for place, known in enumerate(section.targets.values(), 1):
        what = f"the {ordinal(place)} of targets"
        pair.population.check_known_qids(known, section.qids, what)
        pair.population.check_known_values(known, what)
    for attribute, values in section.filter.items():
        pair.population.check_possible(values, attribute, f"filter of {attribute}")
    of, domains = section.roughly, pair.population.definition.domains
    found = {
        "crosswalk": crosswalk,
        "roughly": read_rough(of, section.qids, "qids", where, domains),
    }
    return section.checked(where).model_copy(update=found)


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of analyses: of what is known the attributes alone."""
    return [
        {**each, "targets": {n: list(known) for n, known in each["targets"].items()}}
        if "targets" in each
        else {**each}
        for each in given
    ]
