"""Shares rounded so coarsely that none is not told from few, nor all from nearly all.

docs/decisions/0014-public-form.md says what stands on this.
"""

from typing import TypeVar

import pandas as pd

FEWEST_RECORDS = 1_000
"""No share of fewer records is published."""

HUNDRED = 100
"""Records are published to the nearest hundred."""

RECORDS_A_STEP = 100
"""A step of a share is at least so many records."""

STEPS = (1, 2, 5, 10, 20, 50)
"""Steps of a share, in percent; the last two are never those of a size alone."""

Number = TypeVar("Number", int, pd.Series)


def rounded_records(n: Number) -> Number:
    """Round records to the nearest hundred, half up.

    >>> rounded_records(1_050), rounded_records(1_049)
    (1100, 1000)
    """
    return (n + HUNDRED // 2) // HUNDRED * HUNDRED


def records_of(rounded: int) -> tuple[int, int]:
    """Return the fewest and the most records that round to a number.

    >>> records_of(1_100)
    (1050, 1149)
    """
    return rounded - HUNDRED // 2, rounded + HUNDRED // 2 - 1


def step_of(n_records: int, finest: int = 1) -> int | None:
    """Return the step, in percent, of the shares of a table; None if there are none.

    None is finer than `finest`.

    >>> [step_of(n) for n in (999, 1_000, 5_000, 9_999, 10_000)]
    [None, 10, 2, 2, 1]
    >>> [step_of(n, finest=5) for n in (1_000, 5_000, 10_000)]
    [10, 5, 5]
    """
    if n_records < FEWEST_RECORDS:
        return None
    least = -(-100 * RECORDS_A_STEP // n_records)
    return next(step for step in STEPS if step >= max(least, finest))


def members_of(step: int) -> tuple[int, int | None]:
    """Return how few and how many records shares of a step may be of; None: any.

    >>> members_of(10), members_of(1)
    ((1000, 1999), (10000, None))
    """
    firsts = {s: max(FEWEST_RECORDS, -(-100 * RECORDS_A_STEP // s)) for s in STEPS}
    finer = [firsts[each] for each in STEPS if each < step]
    return firsts[step], min(finer) - 1 if finer else None


def counts_of(share: int, n_records: int, step: int) -> tuple[int, int]:
    """Return the least and the largest count that round to a share.

    >>> counts_of(0, 10_000, 1), counts_of(100, 10_000, 1)
    ((0, 49), (9950, 10000))
    """
    least = -((step - 2 * share) * n_records // 200)
    most = -(-(2 * share + step) * n_records // 200) - 1
    return max(least, 0), min(most, n_records)


def percent(counts: pd.Series, n_records: Number, step: Number) -> pd.Series:
    """Round shares to steps of so many percent, half up, in integers.

    At least 50 counts round to 0 and to 100, 100 or so to any other: 0 may be none.
    Records and steps are those of all counts, or of each.

    >>> percent(pd.Series([0, 49, 50, 149, 9_949, 10_000]), 10_000, 1).tolist()
    [0, 0, 1, 1, 99, 100]
    """
    whole = 2 * step * n_records
    return step * ((200 * counts + step * n_records) // whole)
