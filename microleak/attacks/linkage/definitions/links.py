"""Chances that two records are one person, by Fellegi and Sunter and one to one.

Records i of a focal and j of an auxiliary release that agree in all stable attributes
are a block. A focal person is in the auxiliary release with the chance pi, and of
others there come so many to a block as a Poisson law of mean lambda gives. Which of the
auxiliary records is whose is a partial matching M of the block, of weight

    W(M) = product over pairs (i, j) of M of w(i, j)
    w(i, j) = pi / ((1 - pi) lambda) * r(i, j)
    r(i, j) = product over drifting q of P(y_q(j) | x_q(i)) / g_q(y_q(j) | x_q(i))

with x and y the values: the Poisson law's (m - |M|)! cancels with the orders in which
m - |M| newcomers may stand among the m records. A value stays with the chance stay_q,
or is drawn anew, from f_q(y), the share of the value y among the n auxiliary records:

    P(y | x) = stay_q [x = y] + (1 - stay_q) f_q(y)

Strangers are all auxiliary records but the partner, whom i has with the chance pi:

    g_q(y | x) = (n f_q(y) - pi P(y | x)) / (n - pi)

Where q depends on a parent, which is a stable attribute, a drifting one before q, or
two of these together, records are those with j's value s of the parent, and the share
of all counts as much as some of them, the weight w:

    f_q(y | s) = (n(s, y) + w f_q(y)) / (n(s) + w)

It stands for f_q(y), and n(s) + w for n. Where a parent drifts, the records that are
counted are those but j, which in a small parent would make its own value common; the
partner is then not among them, and g is f. There are two chances to stay, one of pairs
whose values of the parents are the same, and one of those where any has changed: who
moves changes both. Parent and weight are those that foretell each record's value best
by the other records (leave-one-out, Stone 1974): the gain is the logarithm of the
product over the records of f_q(y | s) / f_q(y), each counted without the record;
without any parent it is 0. Two attributes together may be the parent where people of
one block agree more often than the shares say. The excess is, over the auxiliary
records j of a block of m, who are different persons,

    e_q = sum over j of (n(j) - (m - 1) f_q(y_q(j) | s(j))) / sum over j of (m - 1)

with n(j) the others in the block who have y_q(j), and f of all records but j. Where a
parent is drifting, n(j) and the first m - 1 are of those others alone who have s(j).
The excess of all drifting attributes together has the others who agree in all of them,
and the product of their shares.

The chance of a link is that of all matchings that have it. Here all of them are walked
through, for tables of few records; `kernels.matching` has the same by counting.
"""

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from math import prod

LinkWeights = Sequence[Sequence[Fraction]]
"""w(i, j), a row a focal record."""

Matching = tuple[tuple[int, int], ...]
"""Pairs of a focal and an auxiliary record, each at most once."""


def likelihood(
    is_same: Sequence[bool],
    stay: Sequence[Fraction],
    share: Sequence[Fraction],
    of_partner: Sequence[Fraction],
) -> Fraction:
    """Return r(i, j) of two records.

    For each attribute's chance to stay, share, and the part pi / n that the partner is
    of the records.

    >>> likelihood([True, False], [Fraction(1, 2)] * 2, [Fraction(1, 4)] * 2, [0, 0])
    Fraction(5, 4)
    >>> likelihood([True], [Fraction(1, 2)], [Fraction(1, 4)], [Fraction(1, 8)])
    Fraction(35, 11)
    """
    found = Fraction(1)
    for same, s, f, e in zip(is_same, stay, share, of_partner, strict=True):
        chance = s * same + (1 - s) * f
        found *= chance * (1 - e) / (f - e * chance)
    return found


def share_within(
    n_both: int, n_parent: int, weight: Fraction | int, overall: Fraction
) -> Fraction:
    """Return f(y | s), by the records that have s and y, and those that have s.

    >>> share_within(2, 4, weight=1, overall=Fraction(1, 2))
    Fraction(1, 2)
    """
    return (n_both + weight * overall) / Fraction(n_parent + weight)


def excess(blocks: Sequence[Sequence[tuple[Hashable, Hashable, Fraction]]]) -> Fraction:
    """Return e_q of blocks of records, each given as s, y and its share; 0 of no pair.

    That of all attributes together has their values as y, and no s.

    >>> half = Fraction(1, 2)
    >>> excess([[("s", "a", half), ("s", "a", half), ("t", "a", half)]])
    Fraction(1, 6)
    """
    more, n_pairs = Fraction(0), 0
    for block in blocks:
        of_parent = Counter(s for s, _, _ in block)
        of_both = Counter((s, y) for s, y, _ in block)
        for s, y, share in block:
            more += of_both[s, y] - 1 - (of_parent[s] - 1) * share
            n_pairs += len(block) - 1
    return more / n_pairs if n_pairs else more


def odds(overlap: Fraction, newcomers: Fraction) -> Fraction:
    """Return pi / ((1 - pi) lambda), the weight of a pair that says nothing.

    >>> odds(Fraction(1, 2), Fraction(2))
    Fraction(1, 2)
    """
    return overlap / ((1 - overlap) * newcomers)


def newcomers(a_block: Fraction, a_record: Fraction, n_focal: int) -> Fraction:
    """Return lambda, the newcomers that a block of so many focal records expects."""
    return a_block + a_record * n_focal


def matchings(n_focal: int, n_auxiliary: int) -> Iterator[Matching]:
    """Yield all partial matchings of so many records.

    >>> len(list(matchings(2, 2)))
    7
    """
    if not n_focal:
        yield ()
        return
    for rest in matchings(n_focal - 1, n_auxiliary):
        yield rest
        taken = {j for _, j in rest}
        for j in range(n_auxiliary):
            if j not in taken:
                yield *rest, (n_focal - 1, j)


def chances(weights: LinkWeights) -> list[list[Fraction]]:
    """Return the chance of every link of a block.

    >>> chances([[Fraction(1), Fraction(2)]])
    [[Fraction(1, 4), Fraction(1, 2)]]
    """
    n_auxiliary = len(weights[0])
    found = [[Fraction(0)] * n_auxiliary for _ in weights]
    total = Fraction(0)
    for matching in matchings(len(weights), n_auxiliary):
        weight = prod((weights[i][j] for i, j in matching), start=Fraction(1))
        total += weight
        for i, j in matching:
            found[i][j] += weight
    return [[each / total for each in row] for row in found]
