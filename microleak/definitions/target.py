"""Attacks on one target: IRS, IAS, IRL and IAL (Nunes, Defs. 39, 40, 43 and 44).

What is known of the target selects a block: of the table (IRS, IAS), or of the
panel that aggregates its releases (IRL, IAL). The panel has the records of the
focal release, so one set of functions serves both; C.20 to C.22 are printed with
D and mean the focal release and the panel. The definitions assume that the target
is in the table. Where no record matches, it is not: then C.5, C.11 and C.19 would
divide by zero and C.8 and C.24 hold of any value, so no posterior is defined.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.base.arrays import Integers

MATCH, NO_MATCH = "match", "no match"


@dataclass(frozen=True)
class ValueSpread:
    """How the values of an attribute are spread over some records.

    A missing value is a value like any other. The records of a block of 0 have
    no values, so that all three numbers are 0.
    """

    # How many records there are.
    n_records: int
    # How many of them have the most frequent value or, where records weigh differently,
    # the one of most weight.
    n_modal: int
    # How many values there are.
    n_distinct: int
    # Share of that value in the weight of all; None if all records weigh the same.
    modal_share: Fraction | None = None


@dataclass(frozen=True)
class TargetSuccess:
    """Success of an attack on one target before and after, exactly.

    `posterior_det` and `posterior_prob` are None if no record matches.
    """

    n_records: int
    block_size: int
    n_modal: int
    n_distinct: int
    prior_det: bool
    posterior_det: bool | None
    prior_prob: Fraction
    posterior_prob: Fraction | None

    @property
    def outcome(self) -> str:
        """`match`, or `no match` if no record has the known values."""
        return MATCH if self.block_size else NO_MATCH

    @property
    def degradation_det(self) -> bool | None:
        """Whether only the attack made it certain (C.3, C.9, C.16-C.17, C.25)."""
        if self.posterior_det is None:
            return None
        return not self.prior_det and self.posterior_det

    @property
    def degradation_prob(self) -> Fraction | None:
        """Ratio of the probabilistic successes (C.6, C.13, C.20-C.22, C.28)."""
        if self.posterior_prob is None:
            return None
        return self.posterior_prob / self.prior_prob


def reidentification_prior_det(n_records: int) -> bool:
    """Whether the table has one record only (C.1, C.14)."""
    return n_records == 1


def reidentification_posterior_det(block_size: int) -> bool | None:
    """Whether exactly one record has the known values (C.2, C.15)."""
    return block_size == 1 if block_size else None


def reidentification_prior_prob(n_records: int) -> Fraction:
    """Chance to pick the target's record blindly (C.4, C.18)."""
    return Fraction(1, n_records)


def reidentification_posterior_prob(
    block_size: int, largest_share: Fraction | None = None
) -> Fraction | None:
    """Chance to pick it among the records with the known values (C.5, C.19).

    Where records weigh differently, it is the largest share of one in all their weight.
    """
    if largest_share is not None:
        return largest_share
    return Fraction(1, block_size) if block_size else None


def inference_prior_det(whole: ValueSpread) -> bool:
    """Whether all records have the same sensitive value (C.7, C.23)."""
    return whole.n_distinct == 1


def inference_posterior_det(block: ValueSpread) -> bool | None:
    """Whether the block's records have the same sensitive value (C.8, C.24)."""
    return block.n_distinct == 1 if block.n_records else None


def inference_prior_prob(whole: ValueSpread) -> Fraction:
    """Share of the most frequent sensitive value (C.10, C.26)."""
    return Fraction(whole.n_modal, whole.n_records)


def inference_posterior_prob(block: ValueSpread) -> Fraction | None:
    """Share of the most frequent sensitive value in the block (C.11-C.12, C.27)."""
    if block.modal_share is not None:
        return block.modal_share
    return Fraction(block.n_modal, block.n_records) if block.n_records else None


def reidentification(
    n_records: int, block_size: int, largest_share: Fraction | None = None
) -> TargetSuccess:
    """Success of an IRS or IRL attack.

    Parameters
    ----------
    n_records
        Size of the table or focal release, from 1 on.
    block_size
        Records that have the known values, or may have them.
    largest_share
        Largest share of one of them in all their weight; None if all weigh the same.

    Examples
    --------
    Nunes' Example 47: Bia is one of two among ten people.

    >>> bia = reidentification(n_records=10, block_size=2)
    >>> bia.posterior_det, bia.posterior_prob, bia.degradation_prob
    (False, Fraction(1, 2), Fraction(5, 1))
    """
    return TargetSuccess(
        n_records=n_records,
        block_size=block_size,
        n_modal=min(block_size, 1),
        n_distinct=block_size,
        prior_det=reidentification_prior_det(n_records),
        posterior_det=reidentification_posterior_det(block_size),
        prior_prob=reidentification_prior_prob(n_records),
        posterior_prob=reidentification_posterior_prob(block_size, largest_share),
    )


def attribute_inference(whole: ValueSpread, block: ValueSpread) -> TargetSuccess:
    """Success of an IAS or IAL attack.

    Parameters
    ----------
    whole
        The sensitive attribute in the table or focal release, not empty.
    block
        The same attribute in the records that have the known values.

    Examples
    --------
    Nunes' Example 49: five of ten people are ill, of Dora's three two.

    >>> dora = attribute_inference(ValueSpread(10, 5, 2), ValueSpread(3, 2, 2))
    >>> dora.posterior_det, dora.posterior_prob, dora.degradation_prob
    (False, Fraction(2, 3), Fraction(4, 3))
    """
    return TargetSuccess(
        n_records=whole.n_records,
        block_size=block.n_records,
        n_modal=block.n_modal,
        n_distinct=block.n_distinct,
        prior_det=inference_prior_det(whole),
        posterior_det=inference_posterior_det(block),
        prior_prob=inference_prior_prob(whole),
        posterior_prob=inference_posterior_prob(block),
    )


@dataclass(frozen=True)
class Narrowing:
    """What it does to the target's block to learn one more attribute.

    All but the first two are means over the records of the block, any of which
    may be the target's; None if there are none.
    """

    # Records of the block before.
    block_size: int
    # Values of the attribute in it, the blocks that it falls into.
    n_distinct: int
    # Probabilistic success of re-identification (C.5, C.19) after it.
    expected_success: Fraction | None
    # Share of the records that are alone after it (C.2, C.15).
    certain: Fraction | None
    # Size of the block after it, from 1 on.
    expected_block_size: Fraction | None


def narrowing(
    counts: Integers, weights: Integers | None = None, largest: Integers | None = None
) -> Narrowing:
    """Return what one more attribute would do, from its values in the block.

    It is a CRS attack on the block: `expected_success` is Eq. 4.5 and `certain`
    Eq. 4.2 of Nunes.

    Parameters
    ----------
    counts
        Records of each value of the attribute in the block, all from 1 on; a
        missing value counts as one.
    weights, largest
        Weight of all records of each value, and of the one that weighs most, where
        records weigh differently; given both or neither.

    Examples
    --------
    >>> narrowing(np.array([3, 1]))  # doctest: +NORMALIZE_WHITESPACE
    Narrowing(block_size=4, n_distinct=2, expected_success=Fraction(1, 2),
              certain=Fraction(1, 4), expected_block_size=Fraction(5, 2))
    """
    block_size = int(counts.sum())
    if not block_size:
        return Narrowing(0, 0, None, None, None)
    weights = counts if weights is None else weights
    largest = np.ones_like(counts) if largest is None else largest
    whole = int(weights.sum())
    sizes = map(int.__mul__, counts.tolist(), weights.tolist())
    return Narrowing(
        block_size=block_size,
        n_distinct=len(counts),
        expected_success=Fraction(int(largest.sum()), whole),
        certain=Fraction(int(weights[counts == 1].sum()), whole),
        expected_block_size=Fraction(sum(sizes), whole),
    )
