"""Mechanism analyses as the study file gives them: which noisy counts of whom."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StrictInt, model_serializer, model_validator

from microleak.base.errors import StudyError, did_you_mean, ordinal
from microleak.definitions.epsilon import Epsilon
from microleak.records.compared import Need
from microleak.records.record_filter import (
    BETWEEN,
    EQUALS,
    IN,
    ORDERED,
    FilterValues,
    Predicate,
)
from microleak.study_file.section import (
    Attribute,
    Attributes,
    Context,
    Different,
    Filter,
    OfRelease,
    Ordered,
    Positive,
    Section,
    Text,
    Value,
)

OBLIVIOUS, LOCAL = "oblivious", "local"
RANDOMISED_RESPONSE = "randomised_response"
MODELS = (OBLIVIOUS, LOCAL, RANDOMISED_RESPONSE)
"""Mechanisms; `local` moves a value to others near it in an order."""

Model = Annotated[
    Literal["oblivious", "local", "randomised_response"],
    Field(description="A mechanism is `oblivious`, `local` or `randomised_response`."),
]
EpsilonOrLogarithm = Annotated[
    Text, Field(description="An epsilon is `ln x` with x above 1, or a number above 0.")
]
TextOrMissing = Annotated[
    Value, Field(description="Values are texts in quotes, or null for a missing one.")
]

MOST_INTEGERS = 10_000  # Most integers that an order of integers can have

MOST_STEPS = 100_000_000
"""Most steps of the random noise of one epsilon, 1 / (1 - alpha) each draw."""

OF_COUNT = ("sensitive", "useful", "predicate", "models")
"""Keys that an analysis of one count has."""

MAY_HAVE = ("order", "samples", "simulated")  # Keys that it may have besides


_INTEGER = re.compile("-?[0-9]{1,18}")


def is_integer(value: str | None) -> bool:
    """Say whether a text is an integer of 18 digits at most; a missing one is not.

    >>> is_integer("-07"), is_integer("7.0"), is_integer(None)
    (True, False, False)
    """
    return value is not None and _INTEGER.fullmatch(value) is not None


class PredicateSection(Section):
    """Which records are counted, by their useful value."""

    equals: Value = None
    """Records with this value, a text in quotes, or null for a missing one."""

    in_: (
        Annotated[tuple[TextOrMissing, ...], Field(min_length=1), Different()] | None
    ) = Field(None, alias="in")
    """Records with one of these values. Each is that of some record of the release, or
    in `order`."""

    greater: str | None = None
    """Records with a value above this one, a text in quotes, in the order of the
    values. A missing value is not above any."""

    between: Annotated[tuple[str, ...], Field(min_length=2, max_length=2)] | None = None
    """Records with a value from the first to the second of these, both included."""

    @property
    def kind(self) -> str:
        (field,) = self.model_fields_set
        return field.rstrip("_")

    @property
    def predicate(self) -> Predicate:
        values = getattr(self, *self.model_fields_set)
        return Predicate(self.kind, values if isinstance(values, tuple) else (values,))

    @model_validator(mode="after")
    def _one_kind(self) -> Self:
        self.check_one("equals", "in_", "greater", "between")
        return self

    @model_serializer
    def _given(self) -> dict[str, Any]:
        """Give a job the one key, for null is a value."""
        return {self.kind: getattr(self, *self.model_fields_set)}


class IntegerOrder(Section):
    """All integers from one to another."""

    integers: Annotated[
        tuple[
            Annotated[
                StrictInt, Field(ge=-9999999, le=9999999, description="An integer.")
            ],
            ...,
        ],
        Field(min_length=2, max_length=2),
    ]
    """The first and the last of the integers."""


class Samples(Section):
    """Random samples of the records that are measured, too."""

    number: Annotated[StrictInt, Field(ge=2, le=100_000)]
    """How many samples are drawn."""

    size: Positive
    """Records of each sample; no more than there are."""


class Simulated(Section):
    """Draws of a record and its noisy count."""

    draws: Annotated[StrictInt, Field(ge=1000, le=1_000_000)]
    """How many are drawn with each epsilon."""


@dataclass(frozen=True)
class Count:
    """One count, published with noise."""

    sensitive: str  # What the adversary infers
    useful: str  # Attribute of which values are counted; it may be the sensitive one
    predicate: Predicate  # Which of them
    models: tuple[str, ...]  # Mechanisms that add the noise, of `MODELS`
    order: tuple[str, ...] | None = None
    """Values that the useful attribute can have, from low to high; None if the study
    file does not say."""
    samples: Samples | None = None  # Random samples to measure too, or None
    simulated: Simulated | None = None
    """Draws of the oblivious mechanism to guess from too, or None."""

    @property
    def needs_order(self) -> bool:
        """Whether it means something else in another order of the useful values."""
        return LOCAL in self.models or self.predicate.kind in ORDERED


@dataclass(frozen=True)
class Counted:
    """What is counted of the records, whatever is then measured."""

    name: str  # Of the analysis
    table: str
    release: str
    """Release that is counted."""
    attributes: tuple[str, ...]  # Of which values are counted together, two by two
    keep: FilterValues = field(default_factory=dict)
    """Values by attribute: only records with one of them, in each, are counted."""

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Places in `attributes`, ascending; each pairs with itself too."""
        return tuple(combinations_with_replacement(range(len(self.attributes)), 2))


class Mechanism(OfRelease):
    """What noise buys and costs where counts are published with it.

    How much does a noisy count tell of a record's sensitive value, and how well does it
    tell the real count? An analysis has either one count (`sensitive`, `useful`,
    `predicate` and `models`), or `attributes`, of which the counts of every value are
    measured, each pair of attributes in both directions.
    """

    filter: Filter = Field({})
    """Values to keep, by attribute, as `{CO_MUNICIPIO: ["3106200"], TP_DEPENDENCIA:
    ["1"]}`. Only persons who have one of them, in each attribute, count; `null` is a
    missing value. Any other is that of some record of the release."""

    sensitive: Attribute | None = None
    """Attribute that the adversary infers from the count; not an identifier of the
    person or record."""

    useful: Attribute | None = None
    """Attribute whose values are counted; it may be the sensitive one."""

    predicate: PredicateSection | None = None
    """Which records are counted, by their useful value, as `{equals: "3"}`; gives
    exactly one of its keys."""

    order: Ordered | IntegerOrder | None = None
    """All values that the useful attribute can have, from low to high, as `[low,
    medium, high]`, or as `{integers: [6, 82]}` for all integers from the first to the
    second. `greater`, `between` and the model `local` need an order; without it values
    that are all integers are ordered as such, and only those that occur count as
    possible. A missing value comes last."""

    models: Annotated[tuple[Model, ...], Field(min_length=1), Different()] | None = None
    """Mechanisms that add the noise - `oblivious`, truncated geometric noise on the
    count; `local`, the same law on each record's useful value before it is counted;
    `randomised_response`, each record reports its value or any other, all others as
    likely."""

    epsilons: Annotated[
        tuple[EpsilonOrLogarithm, ...], Field(min_length=1), Different()
    ]
    """How little noise there is, as `ln 3`, `ln 3/2`, `ln 10^5` or `0.5`, above 0. With
    `ln x` the results of the oblivious mechanism are exact fractions."""

    attributes: Attributes | None = None
    """Attributes of which every pair is measured in both directions, and each with
    itself - which counts of which attribute leak which other one."""

    samples: Samples | None = None
    """Random samples of the records, drawn without replacement from the study's seed,
    on which one count is measured too."""

    simulated: Simulated | None = None
    """Draws of a record and of its noisy count by the model `oblivious`, exactly at
    random from the study's seed. How often adversary and analyst guess right is
    measured too, beside the exact chances. An epsilon may be too small for many
    draws."""

    @property
    def count(self) -> Count | None:
        if not (self.sensitive and self.useful and self.predicate and self.models):
            return None
        order = self.order
        if isinstance(order, IntegerOrder):
            low, high = order.integers
            order = tuple(map(str, range(low, high + 1)))
        more = order, self.samples, self.simulated
        predicate = self.predicate.predicate
        return Count(self.sensitive, self.useful, predicate, self.models, *more)

    @property
    def counted(self) -> Counted:
        both = dict.fromkeys(filter(None, (self.sensitive, self.useful)))
        attributes = tuple(both) if self.attributes is None else self.attributes
        return Counted(self.name, self.table, self.focal, attributes, self.filter)

    def checked(self, where: str) -> Self:
        _check_kind(self, where)
        epsilons = _epsilons(self.epsilons, where)
        analysis = self.model_copy(update={"epsilons": epsilons})
        if isinstance(analysis.order, IntegerOrder):
            low, high = analysis.order.integers
            if not 0 <= high - low < MOST_INTEGERS:
                raise StudyError(
                    f"{where}: order has the integers from {low} to {high}. Give the "
                    f"lower first, and no more than {MOST_INTEGERS:,} in all."
                )
        if count := analysis.count:
            _check_predicate(count, where)
        _check_simulated(analysis, where)
        return analysis

    @property
    def needs(self) -> Iterator[Need]:
        attributes = dict.fromkeys((*self.counted.attributes, *self.filter))
        yield self.table, self.focal, tuple(attributes)


SECTION = Mechanism


def read_one(context: Context, section: Mechanism) -> Mechanism:
    release = context.focal(section)
    analysis = section.checked(release.where)
    attributes = (*analysis.counted.attributes, *analysis.filter)
    for attribute in attributes:
        if attribute in release.definition.identifiers:
            raise StudyError(
                f"{release.where}: {attribute} identifies persons or records, so "
                "nothing can be counted by it. Remove it."
            )
    release.check_released(attributes)
    for attribute, values in analysis.filter.items():
        release.check_possible(values, attribute, f"filter of {attribute}")
    if count := analysis.count:
        kind, values = count.predicate.kind, count.predicate.values
        if kind in (EQUALS, IN):
            release.check_possible(values, count.useful, f"predicate {kind}")
        release.check_possible(count.order or (), count.useful, "order")
    return analysis


def _check_kind(section: Mechanism, where: str) -> None:
    kinds = f"either {', '.join(OF_COUNT)}, or attributes"
    given = section.model_fields_set
    lacking = [key for key in OF_COUNT if key not in given]
    mixed = [key for key in (*OF_COUNT, *MAY_HAVE) if key in given]
    if "attributes" in given and mixed:
        raise StudyError(
            f"{where} has both attributes and {mixed[0]}. Give {kinds}: one count, or "
            "every pair."
        )
    if "attributes" not in given and lacking:
        raise StudyError(f"{where} lacks {', '.join(lacking)}. Give {kinds}.")


def _epsilons(texts: Sequence[str], where: str) -> tuple[str, ...]:
    found: list[Epsilon] = []
    for place, text in enumerate(texts, 1):
        try:
            found.append(Epsilon.parse(text))
        except StudyError as error:
            said = f"{where}: the {ordinal(place)} of epsilons: {error}"
            raise StudyError(said) from None
        alphas = [each.alpha for each in found]
        first = alphas.index(found[-1].alpha)
        if first < place - 1:
            raise StudyError(
                f"{where}: the {ordinal(first + 1)} and the {ordinal(place)} of "
                "epsilons are the same. Remove one of them."
            )
    return tuple(each.text for each in found)


def _check_predicate(count: Count, where: str) -> None:
    said = f"{where}: predicate {count.predicate.kind}"
    values = [value for value in count.predicate.values if value is not None]
    if count.order is not None:
        for value in values:
            if value not in count.order:
                hint = did_you_mean(value, count.order)
                raise StudyError(
                    f"{said} has {value!r}, which is not in order.{hint} Correct it, "
                    "or add it to order."
                )
    elif count.predicate.kind not in (EQUALS, IN) and not all(map(is_integer, values)):
        raise StudyError(
            f"{said} needs integers, or order. Give order, the values of "
            f"{count.useful} from low to high."
        )
    if count.predicate.kind == BETWEEN:
        low, high = values
        place = int if count.order is None else count.order.index
        if place(low) > place(high):
            raise StudyError(f"{said} has no value. Give the lower bound first.")


def _check_simulated(analysis: Mechanism, where: str) -> None:
    count = analysis.count
    if count is None or count.simulated is None:
        return
    if OBLIVIOUS not in count.models:
        raise StudyError(
            f"{where}: simulated draws from the model {OBLIVIOUS}, which is not among "
            "models. Add it, or remove simulated."
        )
    draws = count.simulated.draws
    for text in analysis.epsilons:
        most = int(MOST_STEPS * (1 - Epsilon.parse(text).alpha))
        if draws > most:
            raise StudyError(
                f"{where}: simulated.draws is {draws:,}, more than the {most:,} that "
                f"can be drawn with epsilon {text}. Give fewer draws, or remove this "
                "epsilon or simulated."
            )
