"""Collective-target re-identification on a single release: CRS (Nunes, Def. 16)."""

from fractions import Fraction

from microleak.definitions.profile import BlockProfile, Vulnerability


def prior_det(n_records: int) -> Fraction:
    """1 if the table has one record only, else 0 (Nunes, Eq. 4.1)."""
    return Fraction(int(n_records == 1))


def posterior_det(profile: BlockProfile) -> Fraction:
    """Share of the records that are alone in their block (Nunes, Eq. 4.2)."""
    return Fraction(profile.n_alone, profile.n_records)


def prior_prob(n_records: int) -> Fraction:
    """Chance to pick the target's record blindly (Nunes, Eq. 4.4)."""
    return Fraction(1, n_records)


def posterior_prob(profile: BlockProfile) -> Fraction:
    """Blocks over records, the mean of 1 over the block size (Nunes, Eq. 4.5)."""
    return Fraction(profile.total_blocks, profile.n_records)


def reidentification(profile: BlockProfile) -> Vulnerability:
    """Success of a CRS attack, whatever sensitive attribute was profiled.

    The probabilistic degradation is the number of blocks (Nunes, Eq. 4.6).

    Examples
    --------
    Nunes' Example 48: ten people of whom five are 25, four 49 and one 60.

    >>> import numpy as np
    >>> ages = np.array([5, 4, 1])
    >>> one = np.ones(3, dtype=int)
    >>> crs = reidentification(BlockProfile(ages, ages, one, one, one))
    >>> crs.posterior_det, crs.posterior_prob, crs.degradation_prob
    (Fraction(1, 10), Fraction(3, 10), Fraction(3, 1))
    """
    smallest = int(profile.block_size.min())
    n_smallest = int(profile.n_blocks[profile.block_size == smallest].sum())
    return Vulnerability(
        n_records=profile.n_records,
        n_blocks=profile.total_blocks,
        n_certain=profile.n_alone,
        n_modal=profile.total_blocks,
        n_largest=smallest * n_smallest,
        prior_det=prior_det(profile.n_records),
        posterior_det=posterior_det(profile),
        prior_prob=prior_prob(profile.n_records),
        posterior_prob=posterior_prob(profile),
        largest_success=Fraction(1, smallest),
    )
