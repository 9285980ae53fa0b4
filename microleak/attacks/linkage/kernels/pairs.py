"""Passes over the pairs of rows of blocks, over records, and over groups who arrive.

Pairs are in the order of blocks, and row by focal row.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from microleak.attacks.linkage.kernels.matching import Blocks
from microleak.base.arrays import Codes, Floats, Integers

LEAST = 1e-12
"""Least arrivals expected of a group, and least chance, so that none is impossible."""


def multiply_if_same(
    blocks: Blocks,
    codes: tuple[Codes, Codes],
    either: tuple[Floats, Floats],
    products: Floats,
) -> None:
    """Multiply each pair's product by a factor of its auxiliary row, by its codes.

    `either` has factors where the codes of both rows are the same, and where not.
    """
    _multiply_if_same(_firsts(blocks), codes, either, products)


def multiply_if_both(
    blocks: Blocks,
    codes: tuple[tuple[Codes, Codes], tuple[Codes, Codes]],
    either: tuple[Floats, Floats],
    products: Floats,
) -> None:
    """Multiply as `multiply_if_same` does, where a second attribute decides, too.

    Factors are given where the second's codes are not the same, and where they are.
    """
    _multiply_if_both(_firsts(blocks), codes, either, products)


def factors_of(
    blocks: Blocks,
    codes: tuple[Codes, Codes],
    known: tuple[Integers, Codes, Floats],
    others: tuple[Floats, Floats],
) -> Floats:
    """Return a factor of each pair, 0 of codes that are not known together.

    `known` has where the auxiliary codes begin that go with each focal one, which
    these are, ascending, and their chances; these are divided by the share of the code
    among records but the partner. `others` has the share of each auxiliary row's code
    among all, and how much of all the partner is.
    """
    factors = np.zeros(int(blocks.first_pair[-1]))
    _fill_known(_firsts(blocks), codes, known, others, factors)
    return factors


def sum_if_same(
    blocks: Blocks, codes: tuple[Codes, Codes], weights: Floats, links: Floats
) -> float:
    """Return the sum of links of the same codes, by weights of auxiliary rows."""
    return float(_sum_if_same(_firsts(blocks), codes, weights, links))


def sum_if_both(
    blocks: Blocks,
    codes: tuple[tuple[Codes, Codes], tuple[Codes, Codes]],
    weights: Floats,
    links: Floats,
) -> Floats:
    """Return sums of links of the same codes, where a second's differ, or do not."""
    sums = np.zeros(2)
    _sum_if_both(_firsts(blocks), codes, weights, links, sums)
    return sums


def links_of(blocks: Blocks, chances: Floats) -> Floats:
    """Return how many links are expected of each pair of rows, by their chances."""
    links = np.empty(len(chances))
    _fill_links(_firsts(blocks), (blocks.n_focal, blocks.n_auxiliary), chances, links)
    return links


class ChanceBounds(NamedTuple):
    """By which whole numbers chances are sorted, of which those of two kinds are.

    `parts` has of either kind the parts of 1 that a chance is rounded to: one that is
    nearer to a bound than it is exact is on it.
    """

    parts: tuple[int, int]
    above: tuple[int, int]
    from_on: tuple[int, int]
    n_bins: int


Tallied = tuple[Integers, Floats, Integers]
"""Pairs of records by kind and bin, the sums of their chances, and pairs by kind above
the first chance, and of the second one or more."""


def tally_pairs(
    blocks: Blocks, chances: Floats, kind: Integers, bounds: ChanceBounds
) -> Tallied:
    """Count pairs of records by the chance of their rows; a kind is 0 or 1 a block.

    >>> one = Blocks(*(np.array(x) for x in ([0, 1], [0, 1], [2], [2])))
    >>> bounds = ChanceBounds((10**9, 10**4), (1, 2), (99, 100), 2)
    >>> each = np.array([0.5 + 1e-16]), np.zeros(1, int)
    >>> n, _, above = tally_pairs(one, *each, bounds)
    >>> n[0].tolist(), above[0].tolist()
    ([0, 4], [0, 0])
    """
    out = _nothing(bounds)
    counts = blocks.n_focal, blocks.n_auxiliary
    _tally_pairs(_firsts(blocks), counts, (chances, kind), bounds, out)
    return out


def tally_chances(chances: Floats, kind: Integers, bounds: ChanceBounds) -> Tallied:
    """Count pairs as `tally_pairs` does, each by a chance and a kind of its own."""
    out = _nothing(bounds)
    _tally_chances(chances, kind, bounds, out)
    return out


def _nothing(bounds: ChanceBounds) -> Tallied:
    n_pairs = np.zeros((2, bounds.n_bins), dtype=np.int64)
    return n_pairs, np.zeros(n_pairs.shape), np.zeros((2, 2), dtype=np.int64)


def _firsts(blocks: Blocks) -> tuple[Integers, Integers]:
    return blocks.first_focal, blocks.first_auxiliary


@njit(cache=True, nogil=True)
def _multiply_if_same(firsts, codes, either, products):
    first_focal, first_auxiliary = firsts
    focal, auxiliary = codes
    same, other = either
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                is_same = focal[a] == auxiliary[b]
                products[pair] *= same[b] if is_same else other[b]
                pair += 1


@njit(cache=True, nogil=True)
def _multiply_if_both(firsts, codes, either, products):
    first_focal, first_auxiliary = firsts
    (focal, auxiliary), (focal_second, auxiliary_second) = codes
    same, other = either
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                second = int(focal_second[a] == auxiliary_second[b])
                factor = (
                    same[second, b] if focal[a] == auxiliary[b] else other[second, b]
                )
                products[pair] *= factor
                pair += 1


@njit(cache=True, nogil=True)
def _fill_known(firsts, codes, known, others, factors):
    first_focal, first_auxiliary = firsts
    focal, auxiliary = codes
    begins, values, chance_of = known
    shares, of_partner = others
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            first, last = begins[focal[a]], begins[focal[a] + 1]
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                place = first + np.searchsorted(values[first:last], auxiliary[b])
                if place < last and values[place] == auxiliary[b]:
                    chance = chance_of[place]
                    share = max(shares[b] - of_partner[b] * chance, LEAST)
                    factors[pair] = chance * max(1 - of_partner[b], LEAST) / share
                pair += 1


@njit(cache=True, nogil=True)
def _sum_if_same(firsts, codes, weights, links):
    first_focal, first_auxiliary = firsts
    focal, auxiliary = codes
    total = 0.0
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                if focal[a] == auxiliary[b]:
                    total += links[pair] * weights[b]
                pair += 1
    return total


@njit(cache=True, nogil=True)
def _sum_if_both(firsts, codes, weights, links, sums):
    first_focal, first_auxiliary = firsts
    (focal, auxiliary), (focal_second, auxiliary_second) = codes
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                if focal[a] == auxiliary[b]:
                    second = int(focal_second[a] == auxiliary_second[b])
                    sums[second] += links[pair] * weights[second, b]
                pair += 1


@njit(cache=True, nogil=True)
def _fill_links(firsts, counts, chances, links):
    first_focal, first_auxiliary = firsts
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                links[pair] = chances[pair] * counts[0][a] * counts[1][b]
                pair += 1


@njit(cache=True, nogil=True)
def _tally_pairs(firsts, counts, weighed, bounds, out):
    first_focal, first_auxiliary = firsts
    chances, kind = weighed
    pair = 0
    for k in range(len(first_focal) - 1):
        for a in range(first_focal[k], first_focal[k + 1]):
            for b in range(first_auxiliary[k], first_auxiliary[k + 1]):
                n = counts[0][a] * counts[1][b]
                _tally(n, kind[k], chances[pair], bounds, out)
                pair += 1


@njit(cache=True, nogil=True)
def _tally_chances(chances, kind, bounds, out):
    for i in range(len(chances)):
        _tally(1, kind[i], chances[i], bounds, out)


@njit(cache=True, nogil=True)
def _tally(n, kind, chance, bounds, out):
    """Count pairs of one chance, which is compared as a whole number of parts."""
    parts, above, from_on, n_bins = bounds
    n_pairs, expected, called = out
    whole = parts[kind]
    part = np.int64(np.rint(chance * whole))
    place = min(part * n_bins // whole, n_bins - 1)
    n_pairs[kind, place] += n
    expected[kind, place] += n * chance
    called[kind, 0] += n * (part * above[1] > above[0] * whole)
    called[kind, 1] += n * (part * from_on[1] >= from_on[0] * whole)


@njit(cache=True, nogil=True)
def streams(
    n_groups: NDArray[np.int64],
    sizes: NDArray[np.int64],
    arrived: NDArray[np.number],
    n_rounds: int,
) -> tuple[float, float]:
    """Return arrivals a group and a record that are most likely, by rounds of EM.

    Arrivals are Poisson, of mean `a + b n` in a group of n records: a sum of two
    streams, of which each round says what part is of either (Dempster, Laird and Rubin
    1977).

    Groups of one and of three records, in which two and five arrive on average.

    >>> a, b = streams(np.array([5, 5]), np.array([1, 3]), np.array([10., 25.]), 1000)
    >>> round(a, 6), round(b, 6)
    (0.5, 1.5)
    """
    a_group = a_record = 1.0
    all_groups, all_records = n_groups.sum(), (n_groups * sizes).sum()
    for _ in range(n_rounds):
        of_groups = of_records = 0.0
        for place in range(len(sizes)):
            expected = max(a_group + a_record * sizes[place], LEAST)
            part = arrived[place] / expected
            of_groups += part
            of_records += part * sizes[place]
        a_group *= of_groups / all_groups
        a_record *= of_records / all_records
    return a_group, a_record


def count_together(first: Codes, second: Codes, counts: NDArray[np.int64]) -> None:
    """Add records to their cell of a table, a row a code of the first attribute.

    >>> counts = np.zeros((2, 2), dtype=np.int64)
    >>> codes = np.array([0, 1, 1], np.uint32), np.array([1, 0, 0], np.uint32)
    >>> count_together(*codes, counts)
    >>> counts.tolist()
    [[0, 1], [2, 0]]
    """
    _count_together(first, second, counts)


@njit(cache=True, nogil=True)
def _count_together(first, second, counts):
    for i in range(len(first)):
        counts[first[i], second[i]] += 1
