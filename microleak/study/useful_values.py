"""Values of a useful attribute: their order, and which of them a count counts."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from microleak.errors import TableError, ordinal
from microleak.study.mechanism_model import (
    GREATER,
    IN,
    LOCAL,
    ORDERED,
    Count,
    Predicate,
)

Value = str | None
"""A value; None is a missing one."""

_INTEGER = re.compile("-?[0-9]{1,18}")


@dataclass(frozen=True)
class UsefulValues:
    """Values that a useful attribute can have, from low to high, a missing one last.

    Attributes
    ----------
    values
        Those of the given order, also where no record has them; without an order,
        those that occur.
    ranks
        Of each value but a missing one, equal for two texts of one integer; empty
        where no order is needed.
    """

    values: tuple[Value, ...]
    ranks: Mapping[str, int]

    def places(self, found: Sequence[Value]) -> list[int]:
        """Return where some of the values stand."""
        place_of = {value: place for place, value in enumerate(self.values)}
        return [place_of[value] for value in found]

    def counted_by(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return which values a predicate is true of, shape (n_values,).

        A missing value is neither greater than any nor between two.
        """
        if predicate.kind not in ORDERED:
            return np.array([value in predicate.values for value in self.values])
        low, high = self._bounds(predicate)
        ranks = [None if v is None else self.ranks[v] for v in self.values]
        return np.array([rank is not None and low <= rank <= high for rank in ranks])

    def _bounds(self, predicate: Predicate) -> tuple[float, float]:
        """Return the least and greatest rank that is counted.

        A bound that is not among the values is an integer, whose rank is itself.
        """
        given = [value for value in predicate.values if value is not None]
        ranks = [self.ranks[v] if v in self.ranks else int(v) for v in given]
        if predicate.kind == GREATER:
            return ranks[0] + 1, inf
        low, high = ranks
        return low, high


def is_integer(value: Value) -> bool:
    """Say whether a text is an integer of 18 digits at most; a missing one is not.

    >>> is_integer("-07"), is_integer("7.0"), is_integer(None)
    (True, False, False)
    """
    return value is not None and _INTEGER.fullmatch(value) is not None


def useful_values(
    found: Sequence[Value], n_records: Sequence[int], count: Count, where: str
) -> UsefulValues:
    """Return the values of the useful attribute of a count.

    Parameters
    ----------
    found
        Those that occur, each once, in any stated order.
    n_records
        That have each of them.
    count
        Its order counts, if it has one; else integers are in their own order.
    where
        Beginning of messages.

    Raises
    ------
    TableError
        If a value that occurs is not in the order, or there is neither an order nor
        are all values integers, and the count needs an order. Where there is only
        one value, and perhaps a missing one, the model `local` needs none.
    """
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
        raise TableError(
            f"{where}: {count.useful} has values that are not integers, and "
            f"{_needing(count)} needs their order. Give order, the values from low to "
            "high, in the study file."
        )
    ranks = {value: int(value) for value in present}
    return UsefulValues((*sorted(present, key=lambda v: (ranks[v], v)), *last), ranks)


def check_present(
    released: Collection[Value], count: Count, release: str, where: str
) -> None:
    """Refuse a value of `equals` or `in` that no record has and no order names.

    A missing value can always be, and is never misspelt.

    Parameters
    ----------
    released
        Values of the useful attribute of all records, also of those that a filter
        leaves out.
    count
        Whose predicate is checked.
    release
        As messages call it.
    where
        Beginning of messages.

    Raises
    ------
    TableError
        The value's place in the predicate.
    """
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
    found: Sequence[Value], n_records: Sequence[int], count: Count, where: str
) -> None:
    known = {None, *(count.order or ())}
    pairs = zip(found, n_records, strict=True)
    n_unordered = sum(n for value, n in pairs if value not in known)
    if n_unordered:
        raise TableError(
            f"{where}: {count.useful} has a value that is not in order, in "
            f"{n_unordered:,} of its records. Add it to order in the study file."
        )


def _needing(count: Count) -> str:
    """Say what of a count needs an order."""
    return f"model {LOCAL}" if LOCAL in count.models else count.predicate.kind
