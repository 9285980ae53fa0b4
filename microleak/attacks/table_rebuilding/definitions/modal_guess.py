"""What is guessed without tables, to compare what is rebuilt from them with."""

from collections.abc import Collection

import numpy as np

from microleak.base.arrays import Integers


def modal_guess(truth: Integers, known: Collection[int]) -> Integers:
    """Return the database in which all records have what is most frequent.

    So does the modal guesser of the US Census, which knows sex and age of everybody in
    a block, and gives all of them its most frequent race and ethnicity (`prep_simul.py`
    of the replication package of Abowd et al. 2023).

    Parameters
    ----------
    truth
        Count of each combination of values in a region, an axis an attribute.
    known
        Axes of the attributes that are known of everybody: they are right. Of the
        others all records have the most frequent combination; of several the one that
        most of those have who are alone with what is known.

    Examples
    --------
    Sex is known. Of four persons three are white:

    >>> modal_guess(np.array([[1, 0], [2, 1]]), known=[0])
    array([[1, 0],
           [3, 0]])
    """
    others = tuple(axis for axis in range(truth.ndim) if axis not in known)
    is_alone = truth.sum(axis=others, keepdims=True) == 1
    by_others, of_alone = (n.sum(axis=tuple(known)) for n in (truth, truth * is_alone))
    best = (by_others * (1 + truth.sum()) + of_alone).argmax()
    most = np.unravel_index(best, by_others.shape)
    where = dict(zip(others, most, strict=True))
    found = np.zeros_like(truth)
    found[tuple(where.get(axis, slice(None)) for axis in range(truth.ndim))] = (
        truth.sum(axis=others)
    )
    return found
