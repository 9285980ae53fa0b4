"""Inference that a target's value is one of a group: not which, but of which kind.

The harm that Gonze fears most (section 1): all candidates of an attack have some
procedure of the graver ones, so that the adversary is certain of a grave
procedure without knowing which. Gonze counts nothing of it; the definitions here
are ours. *Members* are the records with one of the group's values; the target is
a random member, whose block the adversary finds by its QIDs.

Functions take the profile of a group: in the place of the modal count it has the
number of members of the blocks, from 0 to their size.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from microleak.definitions.exact import LOW_BITS, sum_of_ratios, upper_and_lower
from microleak.definitions.profile import BlockProfile


@dataclass(frozen=True)
class GroupInference:
    """What an adversary learns of the members of a group, exactly.

    Attributes
    ----------
    n_records, n_blocks, n_members, n_certain, n_likely, n_above_90
        Counts, from 0.
    prior_prob
        In [0, 1].
    posterior_det, posterior_prob
        In [0, 1]; None, a missing value, if no record is a member.
    """

    n_records: int
    n_blocks: int
    n_members: int
    n_certain: int
    n_likely: int
    n_above_90: int
    prior_prob: Fraction
    posterior_det: Fraction | None
    posterior_prob: Fraction | None

    @property
    def additive_leakage(self) -> Fraction | None:
        """Difference of the mean beliefs, at least 0; None without members."""
        if self.posterior_prob is None:
            return None
        return self.posterior_prob - self.prior_prob

    @property
    def multiplicative_leakage(self) -> Fraction | None:
        """Ratio of the mean beliefs, at least 1; None without members."""
        if self.posterior_prob is None:
            return None
        return self.posterior_prob / self.prior_prob


def n_members(profile: BlockProfile) -> int:
    """Members of the group, in the whole table."""
    return int(profile.modal_count @ profile.n_blocks)


def n_certain(profile: BlockProfile) -> int:
    """Members in blocks that have only members."""
    return _members_where(profile, profile.modal_count == profile.block_size)


def n_likely(profile: BlockProfile) -> int:
    """Members in blocks of which more than half are; a tie does not count."""
    return _members_where(profile, 2 * profile.modal_count > profile.block_size)


def n_above_90(profile: BlockProfile) -> int:
    """Members in blocks of which more than nine tenths are; no less, no tie."""
    return _members_where(profile, 10 * profile.modal_count > 9 * profile.block_size)


def prior_prob(profile: BlockProfile) -> Fraction:
    """Belief that a record is a member without knowing its QIDs."""
    return Fraction(n_members(profile), profile.n_records)


def posterior_det(profile: BlockProfile) -> Fraction | None:
    """Share of the members of which the adversary is certain; None without any."""
    if n_members(profile) == 0:
        return None
    return Fraction(n_certain(profile), n_members(profile))


def posterior_prob(profile: BlockProfile) -> Fraction | None:
    """Mean belief in a member knowing its QIDs; None without members.

    The belief is the share of members in its block: the sum of c * c / s over
    blocks of s records and c members, divided by the members.
    """
    if n_members(profile) == 0:
        return None
    high, low = (
        sum_of_ratios(half * profile.modal_count, profile.block_size)
        for half in upper_and_lower(profile.modal_count * profile.n_blocks)
    )
    return (high * (1 << LOW_BITS) + low) / n_members(profile)


def group_inference(profile: BlockProfile) -> GroupInference:
    """Success of inferring, of a random member, that it is one.

    Examples
    --------
    Three candidates who all had one of the grave procedures, in a table where one
    of four others did, and one of two: the adversary is certain of three of the
    five members, and believes in a member with (3 + 1/4 + 1/2) / 5.

    >>> blocks = np.array([[3, 4, 2], [3, 1, 1], [1, 2, 2], [1, 1, 1], [0, 0, 0]])
    >>> grave = group_inference(BlockProfile(*blocks))
    >>> grave.n_members, grave.n_certain, grave.n_likely, grave.posterior_det
    (5, 3, 3, Fraction(3, 5))
    >>> grave.prior_prob, grave.posterior_prob
    (Fraction(5, 9), Fraction(3, 4))
    >>> grave.additive_leakage, grave.multiplicative_leakage
    (Fraction(7, 36), Fraction(27, 20))
    """
    return GroupInference(
        n_records=profile.n_records,
        n_blocks=profile.total_blocks,
        n_members=n_members(profile),
        n_certain=n_certain(profile),
        n_likely=n_likely(profile),
        n_above_90=n_above_90(profile),
        prior_prob=prior_prob(profile),
        posterior_det=posterior_det(profile),
        posterior_prob=posterior_prob(profile),
    )


def _members_where(profile: BlockProfile, is_counted: NDArray[np.bool_]) -> int:
    return int(profile.modal_count[is_counted] @ profile.n_blocks[is_counted])
