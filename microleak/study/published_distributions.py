"""What of the distributions of individual success may be published.

The rules are those of `microleak.study.disclosure`, which calls this module.
Records come in whole blocks: where a bin has blocks of one size only, its count is a
multiple of that size, and is told by a count that is rounded to 10. So a bin is
rounded, and suppressed, as if it counted blocks of the smallest size that it can have.
"""

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pandas as pd

from microleak.columns import WHICH
from microleak.study.rounding import (
    SMALLEST_COUNT,
    cover,
    half_even,
    shares,
    shown,
)

CERTAIN = 100
"""The bin of a success of exactly 1."""


def size_of_found(number: int) -> int:
    """Return the smallest size of block whose records are found with a bin's success.

    That of `n` records is 1 / n. A bin without such a size has that of the next
    lower one that has.

    Examples
    --------
    >>> [size_of_found(number) for number in (0, 12, 33, 50, 100)]
    [101, 8, 3, 2, 1]
    """
    return 1 if number == CERTAIN else 100 // (number + 1) + 1


def size_of_inferred(number: int) -> int:
    """Return the smallest size of block whose values are inferred with a bin's success.

    The smallest denominator of a positive fraction in the bin.

    Examples
    --------
    >>> [size_of_inferred(number) for number in (0, 33, 66, 67, 99, 100)]
    [101, 3, 3, 28, 100, 1]
    """
    if number == CERTAIN:
        return 1
    return next(
        size
        for size in range(1, 102)
        if 100 * max(1, -(-number * size // 100)) < (number + 1) * size
    )


_FOUND = {number: size_of_found(number) for number in range(CERTAIN + 1)}
_INFERRED = {number: size_of_inferred(number) for number in range(CERTAIN + 1)}


def publish_distribution(table: pd.DataFrame) -> pd.DataFrame:
    """Return distributions with rounded counts, and each bin's share of the records.

    Where nothing less keeps the total from telling a suppressed bin, every bin below
    that of certain success is a row, and suppressed, also one without records.
    """
    groups = table.groupby([*WHICH], dropna=False, sort=False)
    none = table.iloc[:0].assign(total=0, unit=1, is_hidden=False)
    listed = pd.concat([none, *(_listed(part) for _, part in groups)])
    return _rounded(listed.reset_index(drop=True), list(table.columns))


def hidden_bins(bins: Mapping[int, int], sizes: Mapping[int, int]) -> set[int]:
    """Return which bins of a distribution are suppressed.

    The records of all small bins together lie between two ends, which follow from the
    rounded total and bins. They are suppressed alone if, anywhere between the ends,
    each of them can hold anything from one to nine blocks. Else further bins are, the
    highest first, until the lower end, less ten blocks of each of these, leaves room
    for that. What is decided, and in which order, depends on rounded numbers only. The
    bin of certain success hides nothing, as `n_certain` of the measures has its count.

    Parameters
    ----------
    bins
        Records of each bin that has any.
    sizes
        Smallest size of block in each bin.

    Returns
    -------
    set of int
        Numbers of bins; all below that of certain success, also such as have no
        records, where there is no other way.
    """
    unit = {number: SMALLEST_COUNT * sizes[number] for number in bins}
    hidden = {number for number, count in bins.items() if count < unit[number]}
    if not hidden:
        return hidden
    one_each = sum(sizes[number] for number in hidden)
    wanted = one_each + (SMALLEST_COUNT - 2) * max(sizes[number] for number in hidden)
    known = {number: _to_nearest(unit[number], bins[number]) for number in bins}
    seen = bins.keys() - hidden
    left = _to_nearest(10, sum(bins.values())) - sum(known[number] for number in seen)
    slack = 5 + sum(unit[number] // 2 for number in seen)
    if wanted < left - slack and left + slack < SMALLEST_COUNT * one_each - wanted:
        return hidden
    for number in sorted(seen - {CERTAIN}, reverse=True):
        hidden.add(number)
        left += known[number] - unit[number]
        slack -= unit[number] // 2
        if wanted < left - slack:
            return hidden
    return hidden | set(range(CERTAIN))


def _to_nearest(unit: int, count: int) -> int:
    return unit * round(Fraction(count, unit))


def _listed(part: pd.DataFrame) -> pd.DataFrame:
    """Return one distribution with its total, units and which bins are suppressed."""
    is_inference = part["sensitive"].fillna("").iloc[0] != ""
    sizes = _INFERRED if is_inference else _FOUND
    bins = dict(zip(part["bin"].tolist(), part["n_records"].tolist(), strict=True))
    hidden = hidden_bins(bins, sizes)
    without = sorted(hidden - bins.keys())
    numbers = np.array(without, dtype="int64")
    empty = part.iloc[[0] * len(without)].assign(bin=numbers, n_records=0)
    listed = pd.concat([part, empty]).sort_values("bin", kind="stable")
    return listed.assign(
        total=sum(bins.values()),
        unit=SMALLEST_COUNT * listed["bin"].map(sizes),
        is_hidden=listed["bin"].isin(hidden),
    )


def _rounded(listed: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the bins to the nearest of their units, but never more than the total."""
    unit, total = listed["unit"], shown(listed["total"])
    counts = (unit * half_even(listed["n_records"], unit)).astype("Int64")
    # A suppressed total bounds nothing; all bins are suppressed then.
    counts = counts.where((counts <= total).fillna(True), total)
    counts = counts.mask(listed["is_hidden"])
    public = listed[columns].assign(n_records=counts, share=shares(counts, total))
    hidden = {name: public[name].isna() for name in ("n_records", "share")}
    return cover(public, pd.DataFrame(hidden))
