"""Counts, shares and other numbers as they may be published.

A count is first made a *shown* one, rounded or missing; shares and ratios are made
from shown counts, so that they say nothing that these do not.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pandas as pd

SMALLEST_COUNT = 10
"""Every smaller count but zero is suppressed."""

ROUNDING_BASE = 10
"""Shown counts are multiples of it; with 5, a shown 10 would be one of three counts."""


def is_small(counts: pd.Series) -> pd.Series:
    """Say which exact counts are suppressed."""
    return (counts > 0) & (counts < SMALLEST_COUNT)


def count_of(share: pd.Series, n_records: pd.Series) -> pd.Series:
    """Give back the count that a share in full precision was made from."""
    return (share * n_records).round().astype("int64")


def shown(counts: pd.Series) -> pd.Series:
    """Round exact counts to `ROUNDING_BASE`, half to even; a small one is missing."""
    rounded = ROUNDING_BASE * half_even(counts, ROUNDING_BASE)
    return rounded.astype("Int64").mask(is_small(counts))


def shown_counts(table: pd.DataFrame, names: Iterable[str]) -> dict[str, pd.Series]:
    """Return some counts of a table as they are shown."""
    return {name: shown(table[name]) for name in names}


def half_even(numerator: pd.Series, denominator: pd.Series | int) -> pd.Series:
    """Integer quotient, rounded half to even in integer arithmetic."""
    quotient, rest = numerator // denominator, numerator % denominator
    above = (2 * rest > denominator) | ((2 * rest == denominator) & (quotient % 2 == 1))
    return quotient + above.astype("int64")


def digits_of(n_records: pd.Series) -> pd.Series:
    """Digits of a share whose last one is worth ten records or more, at most 3.

    None of a missing count.
    """
    known = n_records.fillna(0).astype("int64")
    wide_enough = [known >= 10 ** (k + 1) for k in (1, 2, 3)]
    return pd.concat(wide_enough, axis="columns").sum(axis="columns")


def shares(counts: pd.Series, n_records: pd.Series) -> pd.Series:
    """Return what share of some records shown counts are, rounded half to even.

    Parameters
    ----------
    counts, n_records
        As they are shown: rounded, and missing where they are suppressed.

    Returns
    -------
    pandas.Series
        Shares in [0, 1] to as many digits as `n_records` has (`digits_of`); missing
        where a count is, and where there is no digit.
    """
    digits = digits_of(n_records)
    scale = 10**digits
    top = counts.fillna(0).astype("int64") * scale
    bottom = n_records.fillna(0).astype("int64").clip(lower=1)
    quotients = (half_even(top, bottom) / scale).astype("float64")
    return quotients.mask(counts.isna() | (digits == 0))


def ratios(tops: pd.Series, bottoms: pd.Series, digits: pd.Series) -> pd.Series:
    """Divide shown integers, each to so many significant digits, half to even.

    Missing where one of them is, for division by zero, and for no digits.
    """
    has_none = tops.isna() | bottoms.isna() | (bottoms == 0).fillna(False)
    found = [
        float("nan") if none else significant(Fraction(int(top), int(bottom)), int(n))
        for none, top, bottom, n in zip(has_none, tops, bottoms, digits, strict=True)
    ]
    return pd.Series(found, index=tops.index, dtype="float64")


def rounded_numbers(numbers: pd.Series, decimals: pd.Series) -> pd.Series:
    """Round numbers half to even, each to so many decimals.

    What is missing, or has missing decimals, is missing.
    """
    return _each(lambda number, n: float(round(number, n)), numbers, decimals)


def significant_numbers(numbers: pd.Series, digits: pd.Series) -> pd.Series:
    """Round numbers half to even, each to so many significant digits; as above."""
    return _each(significant, numbers, digits)


def _each(
    rounded: Callable[[Fraction, int], float], numbers: pd.Series, places: pd.Series
) -> pd.Series:
    """Round each number, as the exact fraction it is, to its places."""
    found = [
        float("nan")
        if pd.isna(number) or pd.isna(n)
        else rounded(Fraction(number), int(n))
        for number, n in zip(numbers, places, strict=True)
    ]
    return pd.Series(found, index=numbers.index, dtype="float64")


def differences(minuends: pd.Series, subtrahends: pd.Series) -> pd.Series:
    """Subtract rounded shares as the decimals they are; missing where either is.

    The difference of 0.3 and 0.1 is 0.2, not 0.19999999999999998.
    """
    return (thousandths(minuends) - thousandths(subtrahends)) / 1_000


def thousandths(shown_shares: pd.Series) -> pd.Series:
    """Return the whole number of thousandths that each rounded share is."""
    return (1_000 * shown_shares).round()


def significant(ratio: Fraction, digits: int) -> float:
    """Round half to even to so many significant digits; missing for none."""
    if digits == 0:
        return float("nan")
    if ratio == 0:
        return 0.0
    exponent = len(str(int(ratio))) if ratio >= 1 else 0
    return float(round(ratio, digits - exponent))


def cover(public: pd.DataFrame, hidden: pd.DataFrame) -> pd.DataFrame:
    """Empty the hidden cells, and name them in the column `suppressed`.

    Parameters
    ----------
    public
        Rounded cells; columns whose names begin with `n_` are counts.
    hidden
        Whether a cell is suppressed, for each column that may be.
    """
    for name in hidden.columns:
        is_count = name.startswith("n_")
        column = public[name].astype("Int64" if is_count else "float64")
        public[name] = column.mask(hidden[name])
    names = np.array(hidden.columns)
    marks = ["|".join(names[row]) for row in hidden.to_numpy(dtype=bool)]
    public["suppressed"] = pd.Series(marks, index=public.index, dtype="str")
    return public
