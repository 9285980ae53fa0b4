"""Which counts leak what: every pair of attributes, and the count of every value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.mechanism.contingency import Contingency
from microleak.attacks.mechanism.definitions.attack_context import PrivacyAndUtility
from microleak.attacks.mechanism.definitions.dependence import (
    Dependence,
    Inference,
    count_leakage,
)
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.definitions.epsilon import Epsilon

MOST_CELLS = 1 << 30
"""Most pairs of values of two attributes."""

CELLS_AT_ONCE = 1 << 20
"""Pairs of values that are measured at once, about."""


def check_sizes(pair: Contingency, names: tuple[str, str], where: str) -> None:
    """Refuse two attributes of too many values."""
    sizes = len(pair.first_values), len(pair.second_values)
    if sizes[0] * sizes[1] > MOST_CELLS:
        raise TableError(
            f"{where}: {names[0]} has {sizes[0]:,} values and {names[1]} {sizes[1]:,}, "
            f"together more than {MOST_CELLS:,} pairs. Remove one of them from "
            "attributes."
        )


def measured_pair(
    pair: Contingency, epsilons: Sequence[Epsilon]
) -> Iterator[dict[str, Any]]:
    """Yield the columns of `pairs` from `scenario` on, a row an epsilon."""
    both = dependence_in(pair)
    which = {
        "scenario": both.scenario(),
        "n_records": int(pair.n_records.sum()),
        "n_sensitive_values": len(pair.first_values),
        "n_useful_values": len(pair.second_values),
        "prior": float(both.sensitive.prior),
        "sensitive_from_useful": float(both.sensitive.normalised_leakage),
        "useful_from_sensitive": float(both.useful.normalised_leakage),
    }
    for epsilon in epsilons:
        found = _Leaking.of(pair, epsilon.alpha)
        noise = {"epsilon": epsilon.text, "alpha": float(epsilon.alpha)}
        yield which | noise | found.columns


def dependence_in(pair: Contingency) -> Dependence:
    """Return how well each attribute is inferred from the other.

    As `dependence.dependence` says, from the pairs that occur.
    """
    return Dependence(
        sensitive=_inference(pair.first, pair.second, pair.n_records),
        useful=_inference(pair.second, pair.first, pair.n_records),
    )


def _inference(wanted: Integers, known: Integers, n_records: Integers) -> Inference:
    n = int(n_records.sum())
    most = np.zeros(known.max() + 1, dtype=np.int64)
    np.maximum.at(most, known, n_records)
    return Inference(
        prior=Fraction(int(_totals(wanted, n_records).max()), n),
        posterior=Fraction(int(most.sum()), n),
    )


def _totals(places: Integers, n_records: Integers) -> Integers:
    totals = np.zeros(places.max() + 1, dtype=np.int64)
    np.add.at(totals, places, n_records)
    return totals


@dataclass(frozen=True)
class _Leaking:
    """The counts of all useful values with one noise."""

    n_counts: int  # Counts that tell anything of the sensitive attribute
    worst: PrivacyAndUtility  # The one that tells most
    limit: Fraction  # The most that any tells without noise

    @classmethod
    def of(cls, pair: Contingency, alpha: Fraction) -> "_Leaking":
        """Measure every count of one value of a pair, at one alpha."""
        parts = [count_leakage(part, alpha) for part in _parts(pair)]
        # The last column of each part is the other useful values together.
        noisy = [each for part in parts for each in part.noisy[:-1]]
        noise_free = [each for part in parts for each in part.noise_free[:-1]]
        return cls(
            n_counts=sum(each.privacy_loss > 1 for each in noisy),
            worst=max(noisy, key=lambda each: each.posterior),
            limit=max(each.privacy_loss for each in noise_free),
        )

    @property
    def columns(self) -> dict[str, Any]:
        """As columns."""
        return {
            "n_leaking_counts": self.n_counts,
            "posterior": float(self.worst.posterior),
            "privacy_loss": float(self.worst.privacy_loss),
            "privacy_loss_limit": float(self.limit),
        }


def _parts(pair: Contingency) -> Iterator[NDArray[np.int64]]:
    """Yield the table some useful values at a time, and all others as one column.

    The count of a value does not depend on how the others are told apart.
    """
    n_first, n_second = len(pair.first_values), len(pair.second_values)
    totals = _totals(pair.first, pair.n_records)
    order = np.argsort(pair.second, kind="stable")
    first, second, n = (a[order] for a in (pair.first, pair.second, pair.n_records))
    width = max(1, CELLS_AT_ONCE // n_first)
    for start in range(0, n_second, width):
        stop = min(start + width, n_second)
        inside = slice(*np.searchsorted(second, [start, stop]))
        part = np.zeros((n_first, stop - start + 1), dtype=np.int64)
        part[first[inside], second[inside] - start] = n[inside]
        part[:, -1] = totals - part.sum(axis=1)
        yield part
