"""Passes over the pairs of rows of blocks, block by block and row by focal row."""

from typing import NamedTuple

import numpy as np
from numba import njit

from microleak.attacks.linkage.kernels.arrivals import LEAST
from microleak.attacks.linkage.kernels.matching import Blocks
from microleak.base.arrays import Codes, Floats, Integers


def multiply_if_same(
    blocks: Blocks,
    codes: tuple[Codes, Codes],
    either: tuple[Floats, Floats],
    products: Floats,
) -> None:
    """Multiply the product of each pair by one more factor.

    `codes` are an attribute of the focal and of the auxiliary rows, `either` the
    factors of each auxiliary row where the codes are the same, and where they are not.
    """
    _multiply_if_same(_firsts(blocks), codes, either, products)


def multiply_if_both(
    blocks: Blocks,
    codes: tuple[tuple[Codes, Codes], tuple[Codes, Codes]],
    either: tuple[Floats, Floats],
    products: Floats,
) -> None:
    """Multiply the product of each pair by a factor that a second attribute decides on.

    As `multiply_if_same` does, with the codes of both attributes. Factors are given
    where the second's codes are not the same, and where they are.
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
    """Return the sums of links of the same codes of an attribute, by those of another.

    The first is that where the second attribute's codes are not the same; weights of
    auxiliary rows are given for either.
    """
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
    nearer to a bound than it is exact is on it. Chances are counted above one bound and
    from another one on, each as numerator and denominator, and in bins of equal width,
    where one at an edge is in the upper one.
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
