"""How much of an attack's success each quasi-identifier brings."""

from collections.abc import Mapping
from fractions import Fraction
from math import factorial

import numpy as np

from microleak.definitions.exact import kind_sums


def shapley_values(successes: Mapping[int, int], n_qids: int) -> list[Fraction]:
    """Return the Shapley value of each QID: its mean gain over all orders of knowing.

    The QIDs become known one after the other; a QID gains the successes it adds to
    those of the QIDs before it. All n! orders count alike (Shapley 1953). Values add
    up to the successes with all QIDs less those with none.

    Parameters
    ----------
    successes
        Integer successes of every subset, the empty one among them, by bit mask:
        `n_modal` or `n_certain`, or the prior's count.
    n_qids
        Number of QIDs, from 1.

    Returns
    -------
    list of Fraction
        In the unit of the successes, in the order of the bits.

    Examples
    --------
    Two QIDs that are copies of each other share what they bring:

    >>> shapley_values({0b00: 2, 0b01: 6, 0b10: 6, 0b11: 6}, 2)
    [Fraction(2, 1), Fraction(2, 1)]
    """
    subsets = np.arange(1 << n_qids)
    values = np.array([successes[int(subset)] for subset in subsets], dtype=np.int64)
    sizes = np.bitwise_count(subsets).astype(np.int64)
    shares = [
        Fraction(factorial(size) * factorial(n_qids - 1 - size), factorial(n_qids))
        for size in range(n_qids)
    ]
    found = []
    for qid in range(n_qids):
        without = subsets[subsets >> qid & 1 == 0]
        added = values[without | 1 << qid] - values[without]
        gains = kind_sums(sizes[without], added, n_qids)
        of_sizes = zip(shares, gains.tolist(), strict=True)
        found.append(sum((share * gain for share, gain in of_sizes), Fraction(0)))
    return found
