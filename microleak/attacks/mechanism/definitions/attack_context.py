"""What an adversary and an analyst know of a noisy count (Nunes, 6.1.1).

The adversary knows all records of D and wants the sensitive value of one more, x*,
which is drawn as if it were one of them. Both see the mechanism's count over D and
x*. The analyst wants the real count. All of this follows from how many records
have each sensitive with each useful value.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.base.errors import StudyError


@dataclass(frozen=True)
class AttackContext:
    """Nunes' attack context less its mechanism (Definition 26).

    Attributes
    ----------
    counts
        Records of D with each sensitive value (row) and useful value (column),
        shape (n_sensitive, n_useful); a missing value has a row or column of its
        own. For the local mechanism columns are in the order of the domain.
    is_counted
        Which useful values satisfy the counting query's predicate, shape
        (n_useful,).

    Raises
    ------
    StudyError
        If there is no record.
    """

    counts: Integers
    is_counted: NDArray[np.bool_]

    def __post_init__(self) -> None:
        assert self.counts.ndim == 2
        assert self.is_counted.shape == self.counts.shape[1:]
        assert np.issubdtype(self.counts.dtype, np.integer)
        assert self.is_counted.dtype == np.bool_
        assert self.counts.min(initial=0) >= 0
        check_records(self.counts)

    @property
    def n_records(self) -> int:
        """Records of D, without x*."""
        return int(self.counts.sum())

    @property
    def n_counted(self) -> int:
        """The real count of D, without x*; with x* it may be one more."""
        return sum(self.counted)

    @property
    def counted(self) -> list[int]:
        """Records of each sensitive value that satisfy the predicate."""
        found: list[int] = self.counts[:, self.is_counted].sum(axis=1).tolist()
        return found

    @property
    def others(self) -> list[int]:
        """Records of each sensitive value that do not."""
        found: list[int] = self.counts[:, ~self.is_counted].sum(axis=1).tolist()
        return found

    @property
    def n_modal(self) -> int:
        """Records with the most frequent sensitive value."""
        return int(self.counts.sum(axis=1).max())

    @property
    def prior(self) -> Fraction:
        """Chance to guess x*'s sensitive value without a count (Eq. 6.5)."""
        return Fraction(self.n_modal, self.n_records)


@dataclass(frozen=True)
class PrivacyAndUtility:
    """What a noisy count gives the adversary and the analyst (Eqs. 6.3 to 6.6)."""

    prior: Fraction
    posterior: Fraction
    """Chance to guess x*'s sensitive value without and with the count (Eqs. 6.5, 6.4),
    in ]0, 1]."""
    utility: Fraction
    """Chance to guess the real count from the reported one (Eq. 6.6), in ]0, 1]."""
    error: Fraction
    """At least how far `posterior` and `utility` are from the exact ones; 0 if they are
    exact."""

    @property
    def privacy_loss(self) -> Fraction:
        """Multiplicative Bayes leakage (Eq. 6.3), from 1 to 1/prior."""
        return self.posterior / self.prior

    @property
    def privacy_loss_error(self) -> Fraction:
        """At least how far the privacy loss is from the exact one."""
        return self.error / self.prior

    @property
    def additive_leakage(self) -> Fraction:
        """Difference of the chances to guess, from 0 to 1 - prior."""
        return self.posterior - self.prior


def check_records(counts: Integers) -> None:
    """Refuse counts that add up to no record.

    Raises
    ------
    StudyError
        If all are 0, or there are none.
    """
    if not counts.any():
        raise StudyError(
            "There is no record with a sensitive and a useful value: a mechanism "
            "needs one or more. Correct the filter or the focal release of the "
            "mechanism analysis in the study file."
        )
