"""How much each minimal sample unique counts: SUDA scores by Elliot and by IHSN.

A minimal sample unique (MSU) of a record is a set of QIDs with whose values it is alone
in the table, and with no proper subset of them (Elliot, Manning and Ford, A
computational algorithm for handling the special uniques problem, 2002). The fewer QIDs
it has, the more sets of QIDs contain it: with those, too, the record is alone. A
record's score adds up what its MSUs count; what the MSUs of all records count that
contain a QID, or a value, is its contribution.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import comb, factorial, lcm


def elliot_score(size: int, n_qids: int) -> int:
    """Return what an MSU of so many QIDs counts, of `n_qids` in all.

    It is the product of n_qids - i for i from `size` to n_qids - 1, which is how often
    the lattice of sets leads from the MSU to all QIDs (Elliot, Manning, Mayes, Gurd and
    Bane, SUDA: a program for detecting special uniques, 2005).

    >>> [elliot_score(size, 4) for size in (1, 2, 3, 4)]
    [6, 2, 1, 1]
    """
    return factorial(n_qids - size)


def ihsn_score(size: int, n_qids: int) -> Fraction:
    """Return what an MSU of so many QIDs counts by IHSN's program, as sdcMicro has it.

    It is the number of larger sets that contain the MSU, divided by the number of sets
    of its size (`original_scores = FALSE` of sdcMicro's `suda2`).

    >>> [str(ihsn_score(size, 4)) for size in (1, 2, 3, 4)]
    ['7/4', '1/2', '1/4', '0']
    """
    return Fraction(2 ** (n_qids - size) - 1, comb(n_qids, size))


SCORES: Mapping[str, Callable[[int, int], Fraction | int]] = {
    "elliot": elliot_score,
    "ihsn": ihsn_score,
}


def denominator(n_qids: int) -> int:
    """Return by what IHSN's scores are whole numbers."""
    return lcm(*(comb(n_qids, size) for size in range(1, n_qids + 1)))


def contribution(of_part: Sequence[int], of_all: Sequence[int], score: str) -> Fraction:
    """Return which share of all scores comes from some MSUs; 0 where all are 0.

    Parameters
    ----------
    of_part, of_all
        Numbers of MSUs of 0, 1, ... QIDs.
    score
        `elliot` or `ihsn`.
    """
    n_qids = len(of_all) - 1
    counts = [Fraction(SCORES[score](size, n_qids)) for size in range(1, n_qids + 1)]
    part, whole = (
        sum((n * count for n, count in zip(of[1:], counts, strict=True)), Fraction(0))
        for of in (of_part, of_all)
    )
    return part / whole if whole else Fraction(0)
