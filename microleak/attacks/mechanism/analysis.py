"""Analyses of noisy counts: of which records, which counts, and how noisy."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from microleak.records.compared import Need
from microleak.records.predicate import ORDERED, Predicate
from microleak.records.record_filter import Values

OBLIVIOUS, LOCAL = "oblivious", "local"
RANDOMISED_RESPONSE = "randomised_response"
MODELS = (OBLIVIOUS, LOCAL, RANDOMISED_RESPONSE)
"""Mechanisms; `local` moves a value to others near it in an order."""


@dataclass(frozen=True)
class Samples:
    """How many random samples of the records are measured, and records of each."""

    number: int
    size: int


@dataclass(frozen=True)
class Simulated:
    """How many times a record and its noisy count are drawn."""

    draws: int


@dataclass(frozen=True)
class Count:
    """One count, published with noise.

    Attributes
    ----------
    sensitive
        What the adversary infers.
    useful
        Attribute of which values are counted; it may be the sensitive one.
    predicate
        Which of them.
    models
        Mechanisms that add the noise, of `MODELS`.
    order
        Values that the useful attribute can have, from low to high; None if the
        study file does not say.
    samples
        Random samples to measure too, or None.
    simulated
        Draws of the oblivious mechanism to guess from too, or None.
    """

    sensitive: str
    useful: str
    predicate: Predicate
    models: tuple[str, ...]
    order: tuple[str, ...] | None = None
    samples: Samples | None = None
    simulated: Simulated | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Count":
        """Return the count of which `dataclasses.asdict` made these fields."""
        samples, simulated = given["samples"], given["simulated"]
        return cls(
            **{
                **given,
                "predicate": Predicate(**given["predicate"]),
                "samples": samples and Samples(**samples),
                "simulated": simulated and Simulated(**simulated),
            }
        )

    @property
    def needs_order(self) -> bool:
        """Whether it means something else in another order of the useful values."""
        return LOCAL in self.models or self.predicate.kind in ORDERED


@dataclass(frozen=True)
class Counted:
    """What is counted of the records, whatever is then measured.

    Attributes
    ----------
    name
        Of the analysis.
    table, release
        Release that is counted.
    attributes
        Of which values are counted together, two by two.
    keep
        Values by attribute: only records with one of them, in each, are counted.
    """

    name: str
    table: str
    release: str
    attributes: tuple[str, ...]
    keep: Values = field(default_factory=dict)

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """Places in `attributes`, ascending; each pairs with itself too."""
        places = range(len(self.attributes))
        return tuple(combinations_with_replacement(places, 2))


@dataclass(frozen=True)
class Mechanism:
    """An analysis of noisy counts.

    Attributes
    ----------
    name, table, focal
        As of a collective analysis.
    epsilons
        As the study file writes them (`microleak.definitions.epsilon.Epsilon`).
    keep
        As of `Counted`.
    count
        The count that is measured; None if all pairs are.
    attributes
        Attributes of which every pair is measured; none if one count is.
    """

    name: str
    table: str
    focal: str
    epsilons: tuple[str, ...]
    keep: Values = field(default_factory=dict)
    count: Count | None = None
    attributes: tuple[str, ...] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Mechanism":
        """Return the analysis of which `dataclasses.asdict` made these fields."""
        count = given["count"]
        return cls(**{**given, "count": count and Count.of(count)})

    @property
    def counted(self) -> Counted:
        """What of the records it needs."""
        attributes = self.attributes
        if self.count:
            both = (self.count.sensitive, self.count.useful)
            attributes = tuple(dict.fromkeys(both))
        return Counted(self.name, self.table, self.focal, attributes, self.keep)

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of its release."""
        attributes = dict.fromkeys((*self.counted.attributes, *self.keep))
        yield self.table, self.focal, tuple(attributes)
