"""What an adversary infers of a person whose own record it lacks: leave one out.

Inference succeeds for two reasons: the release teaches what holds for anybody with the
same QIDs, and it has the target's own record. To tell them apart, the target is one of
the records at random, and is guessed from all the others.

In a block of others the adversary names their most frequent value, one at random of
several (as Gonze's equation 3 counts ties). Where nobody else is in the block, it names
the most frequent value of all others. It may ignore what it knows: success with some
QIDs is the best with any subset of them that the analysis measures, and is never below
the prior. Where it does not measure all subsets, others may teach more than is found,
and the own record add less.

    posterior = prior + what statistics teach + what the own record adds

The middle is `posterior_loo` minus prior, the last `own_record`; neither is negative.
That is of inference. A record is never re-identified among others: for
re-identification `posterior_loo` is 0, and all of the posterior, with what is the
prior, is the own record's.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import groupby

import numpy as np

from microleak.base.arrays import QidMask
from microleak.definitions.exact import sum_of_ratios
from microleak.definitions.profile import BlockProfile

SuccessBySubset = Mapping[QidMask, Fraction]
"""Success on a random target by the QIDs known; with none, 0, it is the prior."""


def success_of_others(
    whole: BlockProfile, profile: BlockProfile, n_alone_modal: int
) -> Fraction:
    """Return the success on a random target, guessed from the others of its block.

    Parameters
    ----------
    whole
        Profile of the same sensitive attribute for the empty QID set.
    profile
        Profile for the QIDs known.
    n_alone_modal
        Records that are alone in their block and have the most frequent value of all,
        where one value is that.

    Examples
    --------
    Nunes' Example 50: of five people aged 25 three are ill, of four aged 49 two, the
    one aged 60 is not; five of the ten are ill. Without one of the three who are ill,
    two and two are left; without one of the two who are not, the guess is wrong; and
    whoever is left out at 49, its value is not the most frequent of the others.

    >>> one = np.array([1])
    >>> whole = BlockProfile(10 * one, 5 * one, 2 * one, one, 0 * one)
    >>> size, modal, distinct = np.array([[5, 4, 1], [3, 2, 1], [2, 2, 1]])
    >>> ages = BlockProfile(size, modal, distinct, 0 * size + 1, np.array([2, 0, 0]))
    >>> success_of_others(whole, ages, n_alone_modal=0)
    Fraction(3, 20)
    """
    # Of several most frequent values their share.
    is_known = profile.n_choices > 0
    modal = profile.modal_count * profile.n_blocks
    right = sum_of_ratios(modal[is_known], profile.n_choices[is_known])
    if whole.n_choices[0]:
        right += Fraction(n_alone_modal, int(whole.n_choices[0]))
    return right / profile.n_records


def coarser(subsets: Sequence[QidMask]) -> dict[QidMask, list[QidMask]]:
    """Return the next smaller subsets of each; the empty one, 0, has none.

    `subsets` are all of some sizes, 0 among them, so that all others that a subset
    contains are in turn in those.

    >>> coarser([0, 0b011, 0b101, 0b110, 0b111])
    {0: [], 3: [0], 5: [0], 6: [0], 7: [6, 5, 3]}
    """
    found: dict[QidMask, list[QidMask]] = {}
    smaller, size_below = np.array([], dtype=np.int64), 0
    for size, level in groupby(sorted(subsets, key=int.bit_count), key=int.bit_count):
        of_size = list(level)
        for subset in of_size:
            if size == size_below + 1:
                bits = (1 << q for q in range(subset.bit_length()))
                found[subset] = [subset ^ bit for bit in bits if subset & bit]
            else:
                found[subset] = smaller[smaller & ~subset == 0].tolist()
        smaller, size_below = np.array(of_size), size
    return found


def posterior_loo(
    found: SuccessBySubset,
    fewer: Mapping[QidMask, Sequence[QidMask]],
    earlier: SuccessBySubset,
) -> dict[QidMask, Fraction]:
    """Return the best success with the QIDs of each subset, or with some of them.

    Parameters
    ----------
    found
        `success_of_others` of each subset, and the prior of the empty one.
    fewer
        The `coarser` ones of each subset, in ascending order of size.
    earlier
        What this returned with fewer auxiliary releases; empty if there are none.
    """
    best: dict[QidMask, Fraction] = {}
    for subset, smaller in fewer.items():
        known = [found[subset], *(best[each] for each in smaller)]
        best[subset] = max([*known, earlier[subset]] if earlier else known)
    return best
