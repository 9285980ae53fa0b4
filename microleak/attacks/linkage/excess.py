"""How much more often people of one block agree than the shares of values let expect.

Auxiliary records of a block are different persons. Where they agree too often, a value
depends on something that its share is not counted within, and equal values of a focal
and an auxiliary record say less than they seem to.
"""

import numpy as np

from microleak.attacks.linkage.blocks import Drifting
from microleak.attacks.linkage.shares import Shares
from microleak.kernels.matching import Floats, Integers, sums_of

BY_CHANCE = 4.0
"""Standard errors of a sum over blocks up to which it is taken for chance."""


def excess_of(rows: Drifting, shares: Shares) -> Floats:
    """Return the excess agreement of each drifting attribute, by `links.excess`.

    It is 0 where it may be by chance, and where no two records are in a block.
    """
    n_records, first = rows.blocks.n_auxiliary, rows.blocks.first_auxiliary
    block = np.repeat(np.arange(len(first) - 1), np.diff(first))
    codes = shares.drifting.codes(rows.auxiliary).astype(np.int64)
    excess = np.zeros(len(codes))
    for place, own in enumerate(codes):
        parent = shares.drifting_parents.get(place)
        group = block if parent is None else _numbered(block, codes[parent])
        n_block, n_group, n_alike = (
            np.bincount(kind, n_records)[kind] - 1
            for kind in (block, group, _numbered(group, own))
        )
        more = sums_of(n_records * (n_alike - n_group * rows.shares[place]), first)
        if more.sum() > BY_CHANCE * np.linalg.norm(more):
            excess[place] = more.sum() / (n_records @ n_block)
    return excess


def _numbered(first: Integers, second: Integers) -> Integers:
    """Return numbers of rows, from 0, by their values in two columns."""
    _, number = np.unique(
        first * (second.max(initial=0) + 1) + second, return_inverse=True
    )
    return number.reshape(-1)
