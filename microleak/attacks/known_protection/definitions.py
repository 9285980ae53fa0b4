"""Success by Bayes in a protected release, where the protection is known.

A release has n records, and the protected one m. The target is one of the n records at
random, and the adversary knows its true QIDs t. It knows, too, by which chances a
record with t is published with z, P(z | t), and how many records have each t, so that
P(z) is the mean of P(z | t) over all records. Records are taken not to depend on one
another: of all of them together the posterior is another one, a ratio of permanents, of
which this is no bound (`tests/property/test_joint_belief.py`). That a published record
j, which has z(j), is the target's is then as likely as

    L(t, z(j)) = P(z(j) | t) / P(z(j))

and all together, of as many as have t, as is known to be so. So, with a the sum of
L(t, z(i)) over all i, or n where that is more and records were drawn into a sample,

    B(j) = L(t, z(j)) / a

is the adversary's belief (Bayes' rule), and what is left to 1 the belief that the
target is not there. Which cells are suppressed is not drawn, but follows from all
records: then P(z | t) is fitted to how many have each t and each z (`fitted`).
Re-identification is right with the largest B(j). A sensitive value y is taken not to
depend on the QIDs beforehand, so that of record j it is believed by P(y | y'(j)), in
proportion to P(y'(j) | y) P(y); of a target that is not there by P(y). Without a
protection all of this is that of Nunes' attacks (Eq. 4.2, 4.5, 4.8 and 4.12).

Where values do depend on the QIDs, this belief is too low: alike ones of a block are
known by one another. So a guess is scored by the truth besides, of the value that most
records with t have by the values published of them (`unmixed`). The success of
inference is the larger of both.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from microleak.base.arrays import Floats, Integers
from microleak.definitions.exact import SLACK, largest_by

ROUNDS = 200
"""How often sums are fitted."""

ALIKE = 1e-9
"""How far weights of guesses that are as good may lie apart, as a share."""


@dataclass(frozen=True)
class Success:
    """Success of one attack with one set of QIDs, of a target at random."""

    prior_prob: float
    """Chance to be right without any QID."""
    posterior_det: float
    posterior_prob: float
    """Chance that the adversary is certain, and that its best guess is right."""
    posterior_det_before: float
    posterior_prob_before: float
    """The same with the release as it was before."""
    claimed: float
    claimed_right: float
    """Chance that an adversary who takes the protected release at face value claims to
    be certain, and that it does so and is right."""

    @property
    def claims_that_hold(self) -> float | None:
        """Share of the claims at face value that are right; None without a claim."""
        return self.claimed_right / self.claimed if self.claimed else None


def likelihoods(expected: Floats, t: Integers, z: Integers, n_of_t: Integers) -> Floats:
    """Return L(t, z) of each pair of true and published values that is possible.

    Parameters
    ----------
    expected
        Records with t that are expected to be published with z, of each pair; of a
        pair with 0 it is 0.
    t, z
        Numbers of these values, from 0.
    n_of_t
        Records that have each t.

    Examples
    --------
    Of two records with 0 and two with 1 each is published as it is with chance 3/4.

    >>> each = np.array([1.5, 0.5, 0.5, 1.5])
    >>> pairs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> likelihoods(each, *pairs, np.array([2, 2]))
    array([1.5, 0.5, 0.5, 1.5])
    """
    of_z = np.bincount(z, expected)
    share = expected / n_of_t[t] * n_of_t.sum()
    found: Floats = np.divide(share, of_z[z], np.zeros(len(z)), where=expected > 0)
    return found


def fitted(
    expected: Floats, t: Integers, z: Integers, n_of_t: Integers, n_of_z: Integers
) -> Floats:
    """Return how many records with each t are published with each z, by both sums.

    What follows from the sums alone comes first: a z that one t can have is all of that
    t, and a t whose records are all placed is nowhere else. The others are scaled to
    both sums in turn (iterative proportional fitting), 200 times at most.

    Parameters
    ----------
    expected
        What each possible pair has beforehand, above 0.
    t, z
        Numbers of its values.
    n_of_t, n_of_z
        Records that have each t, and each z; as many in all.

    Examples
    --------
    Two records are published as 0, which nobody but those with t = 0 can be.

    >>> t, z = np.array([0, 0, 1]), np.array([0, 1, 1])
    >>> fitted(np.ones(3), t, z, np.array([2, 1]), np.array([2, 1]))
    array([2., 0., 1.])
    """
    found = np.zeros(len(t))
    left_t, left_z = n_of_t.astype(np.float64), n_of_z.astype(np.float64)
    is_open = np.ones(len(t), dtype=bool)
    while is_open.any():
        n_open = np.count_nonzero(is_open)
        for own, left, other, left_other in (
            (z, left_z, t, left_t),
            (t, left_t, z, left_z),
        ):
            alone = np.bincount(own[is_open], minlength=len(left)) == 1
            placed = np.flatnonzero(is_open & alone[own])
            found[placed] = np.minimum(left[own[placed]], left_other[other[placed]])
            np.subtract.at(left_other, other[placed], found[placed])
            left[own[placed]] -= found[placed]
            is_open[placed] = False
        is_open &= (left_t[t] > SLACK) & (left_z[z] > SLACK)
        if np.count_nonzero(is_open) == n_open:
            break
    rest = expected[is_open].copy()
    for _ in range(ROUNDS):
        if not len(rest):
            break
        for own, left in ((t[is_open], left_t), (z[is_open], left_z)):
            sums = np.bincount(own, rest, len(left))
            rest *= np.divide(left, sums, np.zeros(len(left)), where=sums > 0)[own]
    found[is_open] = rest
    return found


def unmixed(
    mixed: Integers, true: Integers, share: Floats, n_of_mixed: Floats, prior: Floats
) -> Floats:
    """Return how many records have each true value, by the published ones of a block.

    The likeliest numbers, by expectation and maximisation from the prior: what a
    published value says of the true one is weighed anew by the numbers found, 200
    times. The first time gives the beliefs by the prior.

    Parameters
    ----------
    mixed, true
        Numbers of a block's published and true values, of each possible pair.
    share
        Of each pair, P(true | published) by the prior.
    n_of_mixed
        Records of each published value.
    prior
        Share of each true value beforehand, above 0.

    Examples
    --------
    Of ten, seven say 1 and three 0; each tells the truth with chance 0.7.

    >>> pairs = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> says = np.array([0.7, 0.3, 0.3, 0.7])
    >>> found = unmixed(*pairs, says, np.array([3.0, 7.0]), np.array([0.5, 0.5]))
    >>> found.round()
    array([ 0., 10.])
    """
    found: Floats = prior
    is_mixed = len(mixed) > len(n_of_mixed)
    for _ in range(ROUNDS if is_mixed else 1):
        weights = share * (found / prior)[true]
        total = np.bincount(mixed, weights)[mixed]
        each = weights * n_of_mixed[mixed] / total
        found = np.bincount(true, each, len(prior)).astype(np.float64)
    return found


def guessed(t: Integers, weights: Floats, n_right: Integers, n_t: int) -> Floats:
    """Return of how many records of each t the guess with the largest weight is right.

    Of guesses with equal weights one is made at random.

    Parameters
    ----------
    t, weights
        Of each guess.
    n_right
        Records of which each guess is right.
    n_t
        How many t there are.

    Examples
    --------
    >>> each = np.array([0, 0, 1, 1]), np.array([0.3, 0.7, 0.5, 0.5])
    >>> guessed(*each, np.array([9, 4, 1, 2]), 2)
    array([4. , 1.5])
    """
    is_best = weights >= largest_by(t, weights, n_t)[t] * (1 - ALIKE)
    right = np.bincount(t[is_best], n_right[is_best], n_t).astype(np.float64)
    return right / np.maximum(np.bincount(t[is_best], minlength=n_t), 1)


def values_left(
    blocks: Sequence[Integers], sizes: Integers, own: int, k: int
) -> tuple[Integers, Integers]:
    """Return by which values a missing cell can have been, at most, by minimality.

    A cell that local suppression made missing had a value with which its record would
    be in a block below k. So it had none with which the others of its record are
    published: the record would have company there, also that of one who is exempt and
    stayed as it was. If its own block has just k records, none can leave it, unless to
    one who is exempt: then another can be in its place.

    Parameters
    ----------
    blocks
        Codes of each block by attribute; 0 is a missing value.
    sizes
        Records of each block.
    own
        Which attribute's cells these are.
    k
        Records that each block has at least, but for those exempt, of which there are
        some only if k is 2.

    Returns
    -------
    tuple
        Blocks in which the attribute is missing, and how many values are ruled out.

    Examples
    --------
    The six of block (missing, 1) can be neither 1 nor 2: these are published with 1.

    >>> a, b = np.array([0, 1, 2, 3]), np.array([1, 1, 1, 2])
    >>> values_left([a, b], np.array([6, 3, 3, 3]), 0, 3)
    (array([0]), array([2]))

    Nor can they if one record with 1 and one with 2 stayed alone, or one of them did.

    >>> values_left([a, b], np.array([6, 1, 1, 3]), 0, 2)
    (array([0]), array([2]))
    >>> values_left([a, b], np.array([2, 1, 3, 3]), 0, 2)
    (array([0]), array([1]))
    """
    rest = np.zeros(len(sizes), dtype=np.int64)
    for at, codes in enumerate(blocks):
        if at != own:
            both = rest * (int(codes.max(initial=0)) + 1) + codes
            rest = np.unique(both, return_inverse=True)[1]
    is_missing = blocks[own] == 0
    n_rests = int(rest.max(initial=0)) + 1
    n_published = np.bincount(rest[~is_missing], minlength=n_rests)
    n_exempt = np.bincount(rest[~is_missing & (sizes < k)], minlength=n_rests)
    found = np.flatnonzero(is_missing)
    ruled_out = np.where(
        sizes[found] == k, n_exempt[rest[found]], n_published[rest[found]]
    )
    return found, ruled_out
