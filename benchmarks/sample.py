"""Which subsets a peer runs, and what all of them would have taken."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, inf, sqrt
from statistics import fmean, variance

from microleak.base.arrays import QidMask

LEAST_OF_A_SIZE = 2
"""Subsets of a size that are drawn at least, so that their spread is known."""


def stratified(n_qids: int, n_subsets: int, seed: int) -> tuple[QidMask, ...]:
    """Draw subsets of every size, in proportion to how many there are.

    Of each size at least two are drawn, or the only one; so a little more or
    less than `n_subsets` come back, sorted by size and then by bit mask. A larger
    draw with the same seed holds the smaller one.

    Examples
    --------
    >>> [f"{subset:03b}" for subset in stratified(3, 7, seed=1)]
    ['001', '010', '100', '011', '101', '110', '111']
    """
    share = min(1.0, n_subsets / (2**n_qids - 1))
    drawn: list[QidMask] = []
    for size in range(1, n_qids + 1):
        stratum = [sum(1 << q for q in s) for s in combinations(range(n_qids), size)]
        random.Random(f"{seed}/{n_qids}/{size}").shuffle(stratum)
        wanted = max(LEAST_OF_A_SIZE, round(share * len(stratum)))
        drawn += sorted(stratum[:wanted])
    return tuple(drawn)


@dataclass(frozen=True)
class Estimate:
    """Seconds that all subsets take, and the standard error of that, in seconds."""

    total_s: float
    error_s: float


def all_subsets(seconds: Sequence[Sequence[float]]) -> Estimate:
    """Extrapolate from the subsets drawn, of sizes 1, 2, … in turn, to all of them.

    The total is the sum over the sizes of the mean times the number of subsets of
    that size. Its error is that of a stratified draw without replacement: 0 where
    all were drawn, infinite where one of several was.

    Examples
    --------
    >>> all_subsets([[1.0, 3.0], [5.0]])
    Estimate(total_s=9.0, error_s=0.0)
    """
    total = squared = 0.0
    for size, drawn in enumerate(seconds, start=1):
        n_all = comb(len(seconds), size)
        total += n_all * fmean(drawn)
        if len(drawn) < n_all:
            spread = variance(drawn) if len(drawn) > 1 else inf
            squared += n_all * (n_all - len(drawn)) * spread / len(drawn)
    return Estimate(total, sqrt(squared))
