"""Attributes in chains, and sets of them as the levels of a lattice.

Where each of many sets of attributes that has one has some other, too, these are a
*chain*: the increments of a hierarchy, coarsest first. A set says how many attributes
of each chain it has; all numbers of them that occur are the chain's levels, the one
with most attributes first, and sets are numbered as in an array of the levels of all
chains.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers
from microleak.kernels.keys import BitField

MOST_BITS: Final = 16  # Bits of the values of a chain, of which there is a table
MOST_SPANNED: Final = 2  # Sets that chains may span for each one that is wanted


class Chains(NamedTuple):
    """Some chains of attributes, and which sets of them are wanted."""

    shifts: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    """Of each attribute, chain after chain; a value is `key >> shift & mask`."""
    first: Integers
    """Of each chain the place of its first attribute, and at last their number."""
    lengths: Integers
    """Attributes by chain and level, descending; 0 behind the last level."""
    n_levels: Integers  # Levels of each chain
    places: Integers  # Row of each set among those wanted, or -1


def chains_of(fields: Sequence[BitField], subsets: Integers) -> Chains | None:
    """Return the chains of attributes that some sets have, from that with most values.

    None if the sets have no attribute, a chain has too many values, or the chains span
    too many sets.
    """
    has = subsets[:, None] >> np.array([f.qid for f in fields], dtype=np.int64) & 1 == 1
    chains = _chained(has)
    widths = [(f.mask >> f.shift).bit_length() for f in fields]
    n_bits = [sum(widths[i] for i in chain) for chain in chains]
    order = sorted(range(len(chains)), key=lambda c: (-n_bits[c], c))
    chains = [chains[c] for c in order]
    told = [has[:, chain].sum(axis=1) for chain in chains]
    lengths = [np.unique(each)[::-1] for each in told]
    n_levels = np.array([len(each) for each in lengths])
    n_sets = int(np.prod(n_levels, dtype=object))
    if not chains or max(n_bits) > MOST_BITS or n_sets > MOST_SPANNED * len(subsets):
        return None
    levels = [
        np.searchsorted(-length, -each)
        for length, each in zip(lengths, told, strict=True)
    ]
    places = np.full(n_sets, -1)
    places[np.ravel_multi_index(levels, tuple(n_levels))] = np.arange(len(subsets))
    by_level = np.zeros((len(chains), max(n_levels)), dtype=np.int64)
    for c, each in enumerate(lengths):
        by_level[c, : len(each)] = each
    parts = [fields[i] for chain in chains for i in chain]
    return Chains(
        np.array([f.shift for f in parts], dtype=np.uint64),
        np.array([f.mask >> f.shift for f in parts], dtype=np.uint64),
        np.cumsum([0, *map(len, chains)]),
        by_level,
        n_levels,
        places,
    )


def _chained(has: NDArray[np.bool_]) -> list[list[int]]:
    """Return chains of attributes, given which of them each set has."""
    n_with = has.sum(axis=0)
    chains: list[list[int]] = []
    for i in sorted(np.flatnonzero(n_with).tolist(), key=lambda i: (-n_with[i], i)):
        behind = (c for c in chains if not (has[:, i] & ~has[:, c[-1]]).any())
        chain = next(behind, None)
        if chain is None:
            chains.append([i])
        else:
            chain.append(i)
    return chains
