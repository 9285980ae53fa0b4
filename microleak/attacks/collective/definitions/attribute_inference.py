"""Collective-target attribute inference on a single release: CAS.

Nunes' Definition 17 and, with the same prior and posterior, the attack of Gonze
(section 3). The prior is that of the table's only block when no QID is known.
"""

from fractions import Fraction

from microleak.definitions.profile import BlockProfile, Vulnerability, largest_success


def prior_det(whole: BlockProfile) -> Fraction:
    """1 if all records have the same sensitive value, else 0 (Nunes, Eq. 4.7)."""
    return Fraction(int((whole.n_distinct == 1).all()))


def posterior_det(profile: BlockProfile) -> Fraction:
    """Share of the records in blocks with one sensitive value (Eqs. 4.8, 4.9)."""
    return Fraction(profile.n_certain, profile.n_records)


def prior_prob(whole: BlockProfile) -> Fraction:
    """Share of the most frequent sensitive value (Nunes 4.11, Gonze 1)."""
    return Fraction(whole.total_modal, whole.n_records)


def posterior_prob(profile: BlockProfile) -> Fraction:
    """Sum of the blocks' modal counts over the records (Nunes 4.12, Gonze 3).

    Gonze's Eq. 2 gives each record of a block's k most frequent values the
    success 1/k and the others 0; over the block that sums to the modal count.
    """
    return Fraction(profile.total_modal, profile.n_records)


def attribute_inference(whole: BlockProfile, profile: BlockProfile) -> Vulnerability:
    """Success of a CAS attack.

    Parameters
    ----------
    whole
        Profile of the same sensitive attribute for the empty QID set: one
        block that holds all records.
    profile
        Profile for the QIDs that the adversary knows.

    Examples
    --------
    Nunes' Example 50: of five people aged 25 three are ill, of four aged 49
    two, the one aged 60 is not; five of the ten are ill.

    >>> import numpy as np
    >>> one = np.array([1])
    >>> whole = BlockProfile(10 * one, 5 * one, 2 * one, one, 0 * one)
    >>> size, modal, distinct = np.array([[5, 4, 1], [3, 2, 1], [2, 2, 1]])
    >>> ages = BlockProfile(size, modal, distinct, 0 * size + 1, np.array([2, 0, 0]))
    >>> cas = attribute_inference(whole, ages)
    >>> cas.posterior_det, cas.posterior_prob, cas.degradation_prob
    (Fraction(1, 10), Fraction(3, 5), Fraction(6, 5))
    """
    largest, n_largest = largest_success(profile)
    return Vulnerability(
        n_records=profile.n_records,
        n_blocks=profile.total_blocks,
        n_certain=profile.n_certain,
        n_modal=profile.total_modal,
        n_largest=n_largest,
        prior_det=prior_det(whole),
        posterior_det=posterior_det(profile),
        prior_prob=prior_prob(whole),
        posterior_prob=posterior_prob(profile),
        largest_success=largest,
    )
