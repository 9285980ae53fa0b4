"""One count: which values it counts, of which records, with which noise."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import ceil, inf, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.mechanism.contingency import Contingency
from microleak.attacks.mechanism.definitions.absolute_error import (
    Bounded,
    local_error,
    oblivious_error,
)
from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    PrivacyAndUtility,
)
from microleak.attacks.mechanism.definitions.channels import (
    randomised_response,
    truncated_geometric,
)
from microleak.attacks.mechanism.definitions.local_mechanism import (
    Reports,
    of_reports,
    reports,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.attacks.mechanism.section import (
    LOCAL,
    OBLIVIOUS,
    Count,
    Mechanism,
    is_integer,
)
from microleak.base.errors import TableError, ordinal
from microleak.definitions.epsilon import Epsilon
from microleak.records.record_filter import GREATER, IN, ORDERED, Predicate

CountedValue = str | None  # A value; None is a missing one


@dataclass(frozen=True)
class UsefulValues:
    """Values that a useful attribute can have, from low to high, a missing one last."""

    values: tuple[
        CountedValue, ...
    ]  # Those of the given order, also where no record has them
    ranks: Mapping[str, int]

    def places(self, found: Sequence[CountedValue]) -> list[int]:
        place_of = {value: place for place, value in enumerate(self.values)}
        return [place_of[value] for value in found]

    def counted_by(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return which values a predicate is true of, shape (n_values,)."""
        # A missing value is neither greater than any nor between two.
        if predicate.kind not in ORDERED:
            return np.array([value in predicate.values for value in self.values])
        low, high = self._bounds(predicate)
        ranks = [None if v is None else self.ranks[v] for v in self.values]
        return np.array([rank is not None and low <= rank <= high for rank in ranks])

    def _bounds(self, predicate: Predicate) -> tuple[float, float]:
        """Return the least and greatest rank that is counted."""
        # A bound that is not among the values is an integer, whose rank is itself.
        given = [value for value in predicate.values if value is not None]
        ranks = [self.ranks[v] if v in self.ranks else int(v) for v in given]
        if predicate.kind == GREATER:
            return ranks[0] + 1, inf
        low, high = ranks
        return low, high


def useful_values(
    found: Sequence[CountedValue], n_records: Sequence[int], count: Count, where: str
) -> UsefulValues:
    present = [value for value in found if value is not None]
    last = (None,) if None in found else ()
    if count.order is not None:
        _refuse_unordered(found, n_records, count, where)
        ranks = {value: rank for rank, value in enumerate(count.order)}
        return UsefulValues((*count.order, *last), ranks)
    is_ordered = len(present) < 2 and count.predicate.kind not in ORDERED
    if is_ordered or not count.needs_order:
        return UsefulValues((*present, *last), {})
    if not all(map(is_integer, present)):
        needing = f"model {LOCAL}" if LOCAL in count.models else count.predicate.kind
        raise TableError(
            f"{where}: {count.useful} has values that are not integers, and {needing} "
            "needs their order. Give order, the values from low to high, in the study "
            "file."
        )
    ranks = {value: int(value) for value in present}
    return UsefulValues((*sorted(present, key=lambda v: (ranks[v], v)), *last), ranks)


def check_present(
    released: Collection[CountedValue], count: Count, release: str, where: str
) -> None:
    """Refuse a value of `equals` or `in` that no record has and no order names."""
    # A missing value can always be, and is never misspelt.
    known = {None, *released, *(count.order or ())}
    kind = count.predicate.kind
    for place, value in enumerate(count.predicate.values, 1):
        if kind not in ORDERED and value not in known:
            which = f"{ordinal(place)} value" if kind == IN else "value"
            raise TableError(
                f"{where}: the {which} of predicate {kind} is that of no record of "
                f"{release}, in {count.useful}. Correct it in the study file, or give "
                f"order, all values that {count.useful} can have."
            )


def _refuse_unordered(
    found: Sequence[CountedValue], n_records: Sequence[int], count: Count, where: str
) -> None:
    known = {None, *(count.order or ())}
    pairs = zip(found, n_records, strict=True)
    n_unordered = sum(n for value, n in pairs if value not in known)
    if n_unordered:
        raise TableError(
            f"{where}: {count.useful} has a value that is not in order, in "
            f"{n_unordered:,} of its records. Add it to order in the study file."
        )


MOST_CELLS = 1 << 26
"""Most pairs of a sensitive and a useful value that one count is measured with."""

MOST_LOCAL = 1000  # Most values of a useful attribute whose records each report a value


def context_of(contingency: Contingency, count: Count, where: str) -> AttackContext:
    """Return the records that count, by sensitive and useful value."""
    found = contingency.second_values.to_pylist()
    n_records = np.bincount(contingency.second, contingency.n_records, len(found))
    useful = useful_values(found, n_records.astype(np.int64).tolist(), count, where)
    shape = len(contingency.first_values), len(useful.values)
    _check_sizes(shape, count, where)
    counts = np.zeros(shape, dtype=np.int64)
    places = np.array(useful.places(found))
    counts[contingency.first, places[contingency.second]] = contingency.n_records
    context = AttackContext(counts, useful.counted_by(count.predicate))
    if not context.n_counted:
        raise TableError(
            f"{where}: no record has a value of {count.useful} that predicate "
            f"{count.predicate.kind} counts. Correct predicate, or filter, in the "
            "study file."
        )
    return context


def _check_sizes(shape: tuple[int, int], count: Count, where: str) -> None:
    n_sensitive, n_useful = shape
    if n_sensitive * n_useful > MOST_CELLS:
        raise TableError(
            f"{where}: {count.sensitive} has {n_sensitive:,} values and {count.useful} "
            f"{n_useful:,}, together more than {MOST_CELLS:,} pairs. Use attributes of "
            "fewer values."
        )
    if n_useful > MOST_LOCAL and set(count.models) != {OBLIVIOUS}:
        raise TableError(
            f"{where}: {count.useful} has {n_useful:,} values, more than the "
            f"{MOST_LOCAL:,} among which records can report one. Remove all models "
            f"but {OBLIVIOUS}."
        )


@dataclass(frozen=True)
class CountNoise:
    """One mechanism with one epsilon, on the count of some useful values."""

    # Mechanism, of `MODELS`, and how little noise it adds
    model: str
    epsilon: Epsilon
    # Which useful values are counted, shape (n_useful,)
    is_counted: NDArray[np.bool_] = field(compare=False)

    @cached_property
    def _told(self) -> Reports:
        """What the records report under a local mechanism, computed once."""
        alpha, n_values = self.epsilon.alpha, len(self.is_counted)
        if self.model == LOCAL:
            channel = truncated_geometric(alpha, n_values - 1)
        else:
            channel = randomised_response(alpha, n_values)
        return reports(channel, self.is_counted)

    def measure(self, context: AttackContext) -> PrivacyAndUtility:
        if self.model == OBLIVIOUS:
            return oblivious(context, self.epsilon.alpha)
        return of_reports(context, self._told)

    def absolute_error(self, context: AttackContext) -> Bounded:
        """Return the expected absolute error of its count, with a bound of its own."""
        if self.model == OBLIVIOUS:
            return oblivious_error(context, self.epsilon.alpha)
        return local_error(context, self._told)

    @property
    def columns(self) -> dict[str, Any]:
        return {"model": self.model, "epsilon": self.epsilon.text}


def noises_of(analysis: Mechanism, is_counted: NDArray[np.bool_]) -> list[CountNoise]:
    """Return all that an analysis of a count asks for: of each model the epsilons."""
    models = analysis.count.models if analysis.count else ()
    pairs = product(models, map(Epsilon.parse, analysis.epsilons))
    return [CountNoise(model, epsilon, is_counted) for model, epsilon in pairs]


def known(value: Fraction, error: Fraction) -> Fraction:
    """Return a measure to as many decimals as its error leaves; all if it has none.

    The digits after them may differ from one processor to another.

    >>> float(known(Fraction("0.123456"), Fraction("0.0002")))
    0.123
    """
    if not error:
        return value
    return round(value, max(0, -ceil(log10(2 * error))))
