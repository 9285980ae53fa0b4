"""Protected and pooled releases as a study file gives them: made of other releases."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, Field, StrictInt, model_validator
from pydantic.json_schema import SkipJsonSchema

from microleak.records.recoding import Confusion
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Different,
    Name,
    NotEmpty,
    Positive,
    Section,
    Share,
    Text,
    refuse,
)

_Sets = Annotated[tuple[Attributes, ...], Field(min_length=1)]


def _is_no_more(share: str | None, other: str | None) -> bool:
    return share is not None and Fraction(share) <= Fraction(other or "0")


class RandomiseSection(Section):
    """By which chances the values of an attribute are exchanged for others."""

    keep: Share | None = None
    """Chance that a value stays, as `"0.8"`; each other value that the attribute has in
    the release, a missing one among them, has the same part of the rest (k-ary
    randomised response)."""

    matrix: NotEmpty | None = None
    """A CSV file of the chances (PRAM): a header of `true` and the values that there
    may be; then a line for each true value with the chance of each, as `0.9` or `1/3`,
    that add up to 1. An empty heading or name stands for a missing value; values
    without a line stay, and a matrix without a line for any value is refused. The path
    is relative to the folder that the command is run in."""

    chances: SkipJsonSchema[Confusion | None] = None
    """What the file of `matrix` says."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.keep is None) == (self.matrix is None and self.chances is None):
            refuse("must give exactly one of keep and matrix.")
        if self.keep is not None and Fraction(self.keep) > 1:
            refuse("has a chance in keep above 1. Correct it.")
        return self


METHODS = (
    *("drop", "generalise", "round", "randomise"),
    *("swap", "suppress", "sample"),
)
"""What a step can do, by its key."""

_TARGETS = ("k", "alone", "l", "certain")
"""What cells can be suppressed for, by its key."""

_FURTHER = {
    **dict.fromkeys(("rate", "within", "target"), "swap"),
    **dict.fromkeys((*_TARGETS, "of"), "suppress"),
}
"""Further keys of a step, by the method that they belong to."""


class StepSection(Section):
    """One step of a protection: exactly one method, with what belongs to it."""

    drop: Attributes | None = None
    """Attributes that the protected release does not have."""

    generalise: Annotated[
        dict[
            Attribute,
            Annotated[
                Positive, Field(description="Level of the hierarchy, from 1 up.")
            ],
        ]
        | None,
        Field(min_length=1),
    ] = None
    """Level of its hierarchy (`hierarchies`) by attribute: values become their labels
    on that level."""

    round: Annotated[
        dict[
            Attribute,
            Annotated[Positive, Field(description="A whole number from 1 up.")],
        ]
        | None,
        Field(min_length=1),
    ] = None
    """Whole number by attribute: numbers become its nearest multiple, halves the upper
    one; a missing value stays missing."""

    randomise: Annotated[
        dict[Attribute, RandomiseSection] | None, Field(min_length=1)
    ] = None
    """How values are exchanged at random, by attribute; each record and attribute by
    itself."""

    swap: Attributes | None = None
    """Attributes whose values are exchanged, all together, between the two records of a
    pair; with `rate`, and maybe `within` and `target`."""

    rate: Share | None = None
    """Of `swap` - share of the records that are in a pair, as `"0.05"`."""

    within: AnyAttributes = ()
    """Of `swap` - attributes in which both records of a pair have the same values, as
    the state. A record for which the rate leaves no partner there is paired with one
    that was not chosen, if there is one."""

    target: AnyAttributes = ()
    """Of `swap` - QIDs by which records that nobody else is like are chosen before all
    others."""

    suppress: Attributes | _Sets | None = None
    """QIDs whose cells become missing until blocks by them, a missing value being a
    value of its own, keep to one of `k`, `alone`, `l` and `certain`; as few as can be
    found, with how many it takes at least in `measures/protections.csv`. At most 64.
    For `k` there may be several sets, as `[[age, town], [town, job]]`, which may have
    attributes in common: blocks by each of them keep to it. Steps that draw these
    attributes anew, and samples, stand before it; a later `suppress` has none of them,
    or all and no weaker target."""

    k: Annotated[StrictInt, Field(ge=2)] | None = None
    """Of `suppress` - records that a block has at least."""

    alone: Share | None = None
    """Of `suppress` - share of the records that may stay alone in their block, at
    most, as `"0.05"`; those that would lose most cells stay as they are."""

    l: Annotated[StrictInt, Field(ge=2)] | None = None  # noqa: E741
    """Of `suppress` - values that a block has at least of each attribute in `of`, a
    missing value being one of them (distinct l-diversity). Steps that change these
    attributes stand before it, too."""

    certain: Share | None = None
    """Of `suppress` - share of the records that may be in blocks with one value of the
    attribute in `of`, at most; those that would lose most cells stay as they are."""

    of: AnyAttributes = ()
    """Of `l` and `certain` - the sensitive attributes; one for `certain`. Their cells
    stay."""

    sample: Share | None = None
    """Share of the records that stay, above 0, as `"0.1"`, drawn without replacement;
    their number is rounded, a half upwards."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_one(*METHODS)
        for key, method in _FURTHER.items():
            if key in self.model_fields_set and method != self.method:
                refuse(f"has {key} without {method}. Remove one, or add the other.")
        if self.swap is not None and self.rate is None:
            refuse("has swap without rate. Add it.")
        if self.suppress is not None:
            self._check_target()
        for key in ("rate", "sample", "alone", "certain"):
            share = getattr(self, key)
            if share is not None and Fraction(share) > 1:
                refuse(f"has a share in {key} above 1. Correct it.")
        if self.sample is not None and not Fraction(self.sample):
            refuse("has a sample that keeps no record. Give a share above 0.")
        for name in self.swap or ():
            if name in self.within:
                refuse(
                    f"swaps {name} within records that have the same {name}, which "
                    "changes nothing. Remove it from swap or within."
                )
        return self

    def _check_target(self) -> None:
        targets = [key for key in _TARGETS if getattr(self, key) is not None]
        if len(targets) != 1:
            refuse("must give suppress exactly one of k, alone, l and certain.")
        (target,) = targets
        if target != "k" and len(self.sets) > 1:
            refuse(
                f"has {target} with several sets in suppress, which only k allows. "
                "Give k, or one set."
            )
        if target in {"k", "alone"} and self.of:
            refuse(f"has of, which {target} does not need. Remove it.")
        if target in {"l", "certain"} and not self.of:
            refuse(f"has {target} without of. Name the sensitive attribute there.")
        if target == "certain" and len(self.of) > 1:
            refuse(
                "has certain of several attributes. Name one, or give l for all of "
                "them."
            )
        for name in self.of:
            if name in self.changed:
                refuse(
                    f"suppresses {name}, which is in of, too. Remove it from one of "
                    "them."
                )

    @property
    def method(self) -> str:
        (found,) = self.model_fields_set.intersection(METHODS)
        return found

    @property
    def sets(self) -> tuple[tuple[str, ...], ...]:
        """The sets of attributes by which blocks keep to the target of `suppress`."""
        given = self.suppress or ()
        names = tuple(each for each in given if isinstance(each, str))
        return (names,) if names else tuple(e for e in given if not isinstance(e, str))

    @property
    def draws(self) -> bool:
        """Whether what it does is random."""
        return self.method in {"randomise", "swap", "sample"}

    @property
    def changed(self) -> tuple[str, ...]:
        """Attributes whose values it may change; none that it drops."""
        if self.suppress is not None:
            return tuple(dict.fromkeys(chain.from_iterable(self.sets)))
        is_other = self.method in {"drop", "sample"}
        return () if is_other else tuple(getattr(self, self.method))

    @property
    def as_written(self) -> dict[str, Any]:
        """The keys that are given, without what the files that they name say."""
        of_files = {"randomise": {"__all__": {"chances"}}}
        return self.model_dump(mode="json", exclude_unset=True, exclude=of_files)

    @property
    def matrices(self) -> tuple[str, ...]:
        """Files of chances that it names."""
        ways = (self.randomise or {}).values()
        return tuple(way.matrix for way in ways if way.matrix is not None)

    @property
    def named(self) -> tuple[str, ...]:
        """Attributes that it names, each once."""
        further = (*self.within, *self.target, *self.of)
        every = (*(self.drop or ()), *self.changed, *further)
        return tuple(dict.fromkeys(every))

    def keeps(self, earlier: "StepSection") -> bool:
        """Return whether suppression by the same attributes keeps an earlier target."""
        # Blocks of k records leave nobody alone, and those of several values nobody of
        # whom one is certain.
        if earlier.k is not None:
            return self.k is not None and self.k >= earlier.k
        if earlier.alone is not None:
            return self.k is not None or _is_no_more(self.alone, earlier.alone)
        if not {*earlier.of} <= {*self.of}:
            return False
        if earlier.l is not None:
            return self.l is not None and self.l >= earlier.l
        return self.l is not None or _is_no_more(self.certain, earlier.certain)

    def parameters(self, attribute: str) -> dict[str, Any]:
        if self.method in {"generalise", "round"}:
            key = "level" if self.method == "generalise" else "multiple"
            return {key: getattr(self, self.method)[attribute]}
        if self.randomise is not None:
            given = self.randomise[attribute].as_given()
            return {key: given[key] for key in ("keep", "matrix") if key in given}
        given = self.as_given()
        if self.sample is not None:
            return {"rate": self.sample}
        several = {"sets": given["suppress"]} if len(self.sets) > 1 else {}
        return {key: given[key] for key in _FURTHER if key in given} | several


class ProtectionSection(Section):
    """A release that is made of another one of its table by steps, in their order."""

    table: str
    """Which table; the protected release is one more release of it."""

    release: Text
    """Which release of it is protected. It may be a protection that stands before."""

    steps: Annotated[tuple[StepSection, ...], Field(min_length=1)]
    """What is done, in this order. Each step gives exactly one of `drop`, `generalise`,
    `round`, `randomise`, `swap`, `suppress` and `sample`. What it draws follows from
    the study's seed, the protection's name, the number of the step and the place of the
    record."""

    key: NotEmpty | None = None
    """A file of 32 bytes or more that nobody else can read, as `microleak key FILE`
    writes it, not below results/. What steps draw follows from
    it, too: without one, someone who has some of the original records finds the seed by
    trying all, and undoes what was drawn. Keep it apart from what is published, and
    back it up: without it the release cannot be made again. The path is relative to the
    folder that the command is run in."""

    attributes: AnyAttributes = ()
    """Further attributes that the protected release has, as they are, beside those that
    its steps and analyses name; for what is exported with `microleak protect`."""

    @property
    def dropped(self) -> tuple[str, ...]:
        """Attributes that it does not have any more."""
        return tuple(name for step in self.steps for name in step.drop or ())

    @property
    def changed(self) -> tuple[str, ...]:
        """Attributes whose values it may change, each once."""
        return tuple(dict.fromkeys(n for step in self.steps for n in step.changed))

    @property
    def follows_from_seed(self) -> bool:
        """Whether what it draws follows from the study's seed alone."""
        return self.key is None and any(step.draws for step in self.steps)

    @property
    def named(self) -> tuple[str, ...]:
        """Attributes that its steps name, and the further ones, each once."""
        of_steps = (name for step in self.steps for name in step.named)
        return tuple(dict.fromkeys((*of_steps, *self.attributes)))


class PoolSection(Section):
    """A release that is made of others of its table: their records, one table."""

    table: str
    """Which table; the pooled release is one more release of it. Its records must not
    be of persons whom an identifier names, as someone who is in two of the releases
    would count twice."""

    releases: Annotated[tuple[Text, ...], Field(min_length=2), Different()]
    """Which releases of it, or protected ones; no two are made of the same release, as
    its records would count twice."""

    attribute: Attribute
    """Name of one more attribute that a record then has, the name of the release that
    it is of, as an adversary may know the state where files are by state. It may be a
    QID as any other; a column of that name in a delimited file is not read."""


def _as_list(given: object) -> object:
    return [given] if isinstance(given, str) else given


class TabulationSection(Section):
    """A table of counts of records that is made of protected releases, too."""

    name: Name
    """Name of the tabulation, unique among them; formed as that of the study."""

    table: str
    """Which table; the table of counts is made of each of its protected releases, and
    of the releases that they are made of."""

    attributes: Attributes
    """Attributes by whose values records are counted, a missing value being one; those
    of the first release, whatever becomes of them."""

    by: Annotated[
        AnyAttributes,
        BeforeValidator(_as_list, json_schema_input_type=str | AnyAttributes),
    ] = ()
    """One or several of them, but not all: the records of each of their values are a
    group, and of the group whose part of the table loses most is told how much."""

    outcome: Attribute | None = None
    """One of them, whose values are numbers, as 12 or 12.5: a line by least squares
    explains it by the others, and the largest change of a coefficient is told, too."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.outcome and {self.outcome} == {*self.attributes}:
            refuse("has no attribute beside its outcome. Add one to attributes.")
        if self.outcome and self.outcome not in self.attributes:
            refuse(
                f"has {self.outcome} in outcome, which is not among its attributes. "
                "Add it."
            )
        if {*self.by} == {*self.attributes}:
            refuse(
                "has all of its attributes in by, so that a group is one cell. Remove "
                "one from by."
            )
        for name in reversed(self.by):
            if name not in self.attributes:
                refuse(f"has {name} in by, which is not among its attributes. Add it.")
        return self


@dataclass(frozen=True)
class Recipe:
    """How a release is protected."""

    name: str  # The protection's name
    seed: int  # The study's seed
    steps: tuple[StepSection, ...]  # What is done, in this order
    hierarchies: Hierarchies = field(default_factory=dict)
    secret: str = ""  # What nobody else knows

    @property
    def touched(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(n for step in self.steps for n in step.named))

    def needed(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return attributes, and those by which or within whose theirs are swapped.

        These come last.
        """
        found = dict.fromkeys(names)
        for step in reversed(self.steps):
            if found.keys() & {*(step.swap or ())}:
                found |= dict.fromkeys((*step.within, *step.target))
        return tuple(found)
