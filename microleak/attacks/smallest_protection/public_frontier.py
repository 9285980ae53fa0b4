"""Which nodes the public sees between a release and its coarsest form.

Loss is counted in levels, which tells nothing of the records; which nodes are shown
then follows from shares as they are rounded (docs/decisions/0027-public-proof.md).
"""

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

from microleak.disclosure.rounding import members_of, percent

MONOTONE = ("information", "cells")
"""Losses that are no less at a coarser node: one finer than the answer fails."""

Levels = tuple[int, ...]
"""The level of each QID, 0 as it is."""


def given_up(levels: Levels, lasts: Levels) -> Fraction:
    """Return the mean share of its levels that each QID gives up.

    It is 1 less precision (Sweeney 2002, Prec), of the QIDs in place of the cells.

    >>> given_up((1, 2), (1, 4))
    Fraction(3, 4)
    """
    shares = [Fraction(*each) for each in zip(levels, lasts, strict=True)]
    return sum(shares, Fraction()) / len(shares)


def hidden_shares(bounds: Mapping[str, str], step: int) -> frozenset[int]:
    """Return the shares of which no node is shown but the release and the answer.

    With one of them a reader who knows that the node fails could tell counts from
    others that round to it; there is none if failing the target tells nothing of who is
    alone. They are two where it depends on the number of records which one it is.

    >>> [*hidden_shares({"alone": "1/10"}, 1)], [*hidden_shares({"k": "2"}, 1)]
    ([10], [0])
    >>> hidden_shares({"k": "2", "l": "2"}, 1)
    frozenset()
    """
    forced = [_surely_more(name, bound, step) for name, bound in bounds.items()]
    known = [each for each in forced if each is not None]
    if len(known) < len(forced):
        return frozenset()
    ends = (min(each) for each in zip(*known, strict=True))
    return frozenset(step * int((200 * end + step) // (2 * step)) for end in ends)


def _surely_more(name: str, bound: str, step: int) -> tuple[Fraction, Fraction] | None:
    """Return between which shares of the records the fewest alone are who fail a bound.

    Who fails `alone` at the end of a step is in the next one, whose counts are all
    possible. Blocks are whole: who fails `reidentified` has up to two records more.
    """
    if name == "k" and bound == "2":
        return Fraction(), Fraction()
    if name == "alone":
        return Fraction(bound), Fraction(bound)
    if name == "reidentified" and Fraction(bound) * 2 >= 1:
        share = 2 * Fraction(bound) - 1
        return share, share + Fraction(2, members_of(step)[0])
    return None


def shown_nodes(
    n_alone: NDArray[np.int64], n_records: int, step: int, hidden: Collection[int]
) -> list[Levels]:
    """Return the nodes whose share is lower than that of any that gives up no more.

    Shares are rounded. Of nodes that are alike in both the first is returned, by the
    levels of their QIDs; the release is one.

    Parameters
    ----------
    n_alone
        Records alone by node, an axis a QID, its levels ascending.
    n_records, step
        Of the release, and of its shares in percent.
    hidden
        The shares that no other node may have.
    """
    shape = n_alone.shape
    lasts = [length - 1 for length in shape]
    whole = lcm(*lasts)
    levels = np.indices(shape).reshape(len(shape), -1)
    lost = sum(
        level * (whole // last) for level, last in zip(levels, lasts, strict=True)
    )
    shares = percent(n_alone.ravel(), n_records, step)
    order = np.lexsort((shares, lost))
    order = order[(order == 0) | ~np.isin(shares[order], [*hidden])]
    least = np.minimum.accumulate(shares[order])
    is_lower = np.append(True, shares[order][1:] < least[:-1])
    return [tuple(map(int, levels[:, node])) for node in order[is_lower]]


def least_share(
    levels: Levels, lasts: Levels, shown: Sequence[tuple[Levels, int]], step: int
) -> int:
    """Return the least share that a node can have by which nodes are shown.

    Unless it has a share that is hidden.

    Parameters
    ----------
    levels, lasts
        Of the node, and the last ones.
    shown
        The nodes shown with their shares, in order.
    step
        Of shares.
    """
    lost = given_up(levels, lasts)
    before = [each for each in shown if given_up(each[0], lasts) <= lost]
    last, share = before[-1]
    is_first = given_up(last, lasts) == lost and levels < last
    return share + step if is_first else share
