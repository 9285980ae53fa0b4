"""How much more often people of one block agree than the shares of values let expect.

Auxiliary records of a block are different persons. Where they agree too often, a value
depends on something that its share is not counted within, and equal values of a focal
and an auxiliary record say less than they seem to.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np

from microleak.attacks.linkage.blocks import Bucket, Drifting, is_new
from microleak.attacks.linkage.definitions.quality import BY_CHANCE
from microleak.attacks.linkage.kernels.arrivals import LEAST
from microleak.attacks.linkage.shares import Shares, with_pairs
from microleak.attacks.linkage.words import Both
from microleak.base.arrays import BitWords, Floats, Integers

FEWEST = 6
"""Others who agree that an excess takes at least; a pair of people has two of them."""

HARMLESS = 1e-4
"""Others who agree unexpectedly, a record, that are not looked into."""


def refined(
    both: Both, bucket: Bucket, shares: Shares, transition: str
) -> tuple[Shares, str, float]:
    """Try pairs of parents of attributes in which people of a block agree too often.

    Return shares, the attributes of the largest excess that is left, and this excess.
    """
    names = both.drifting.names
    untried = set(range(len(names)))
    while True:
        excess = excess_of(bucket.drifting, shares)
        places = untried.intersection(chain.from_iterable(excess))
        if not places:
            break
        shares = with_pairs(both, shares, sorted(places), transition)
        bucket = bucket.with_shares(shares)
        untried -= places
    most = max(excess, key=lambda each: float(f"{excess[each]:.9g}"), default=())
    return shares, "|".join(names[place] for place in most), excess.get(most, 0.0)


def excess_of(rows: Drifting, shares: Shares) -> dict[tuple[int, ...], float]:
    """Return the excess agreement by the places of the attributes that it is in.

    By `links.excess`: in each attribute, in all but one together, and in all, where it
    is neither harmless nor what may be chance. The one is nobody's parent.
    """
    word, n_records = shares.drifting, rows.blocks.n_auxiliary
    codes = word.codes(rows.auxiliary)
    of_others = np.maximum(rows.shares - rows.of_one, 0) / np.maximum(
        1 - rows.of_one, LEAST
    )
    block = rows.block
    n_others = float(n_records @ (np.bincount(block, n_records)[block] - 1))

    def together(places: Sequence[int]) -> BitWords:
        """Return what rows have in some attributes, as a number."""
        if not places:
            return np.zeros_like(rows.auxiliary)
        return word.only(places).packed([codes[place] for place in places])

    found: dict[tuple[int, ...], float] = {}
    for places, parents in _asked(len(codes), shares.drifting_parents).items():
        group = _numbered(block, together(parents))
        share: Floats = of_others[[*places]].prod(axis=0)
        if more := _more(n_records, group, together(places), share):
            found[places] = more / n_others
    return found


def _asked(
    n: int, parents: Mapping[int, tuple[int, ...]]
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Return in which attributes agreement is counted, and among whom alike in what."""
    every = tuple(range(n))
    needed = {*chain.from_iterable(parents.values())}
    but_one = (tuple(p for p in every if p != one) for one in {*every} - needed)
    each = {(place,): parents.get(place, ()) for place in every}
    return each | {places: () for places in (*but_one, every) if len(places) > 1}


def _more(n_records: Integers, group: Integers, own: BitWords, share: Floats) -> float:
    """Return how many others of their groups agree with records beyond their share.

    0 is what may be chance. Its variance has two parts: of a pair who agree or do not,
    which counts for both, and of how common the values of the others are.
    """
    n_group, n_alike = (
        np.bincount(kind, n_records)[kind] for kind in (group, _numbered(group, own))
    )
    n_likely = (n_group - 1) * share
    found = float((n_records * (n_alike - 1 - n_likely)).sum())
    mean = np.bincount(group, n_records * n_likely)[group] / n_group
    variance = 2 * n_likely * (1 - share) + (n_likely - mean) ** 2
    error = float((n_records * variance).sum()) ** 0.5
    n_harmless = HARMLESS * float(n_records.sum())
    is_so = found > max(BY_CHANCE * error, n_harmless) and round(found) >= FEWEST
    return found if is_so else 0.0


def _numbered(first: Integers, second: BitWords) -> Integers:
    """Return numbers of rows, from 0, by their values in two columns."""
    order = np.lexsort((second, first))
    found = np.empty(len(order), dtype=np.int64)
    found[order] = np.cumsum(is_new(first[order], second[order])) - 1
    return found
