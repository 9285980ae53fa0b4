"""Counts and shares as they may be published: suppressed, or rounded."""

from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pandas as pd

SMALLEST_COUNT = 10
"""Every smaller count but zero is suppressed."""


def is_small(counts: pd.Series) -> pd.Series:
    """Say which counts are suppressed."""
    return (counts > 0) & (counts < SMALLEST_COUNT)


def count_of(share: pd.Series, n_records: pd.Series) -> pd.Series:
    """Give back the count that a share in full precision was made from."""
    return (share * n_records).round().astype("int64")


def rounded_counts(table: pd.DataFrame, names: Iterable[str]) -> dict[str, pd.Series]:
    """Round some counts of a table to the nearest 10, half to even."""
    return {name: 10 * half_even(table[name], 10) for name in names}


def half_even(numerator: pd.Series, denominator: pd.Series | int) -> pd.Series:
    """Integer quotient, rounded half to even in integer arithmetic."""
    quotient, rest = numerator // denominator, numerator % denominator
    above = (2 * rest > denominator) | ((2 * rest == denominator) & (quotient % 2 == 1))
    return quotient + above.astype("int64")


def digits_of(n_records: pd.Series) -> pd.Series:
    """Digits of a share whose last one is worth ten records or more, at most 3."""
    wide_enough = [n_records >= 10 ** (k + 1) for k in (1, 2, 3)]
    return pd.concat(wide_enough, axis="columns").sum(axis="columns")


def rounded_shares(numerator: pd.Series, n_records: pd.Series) -> pd.Series:
    """Round shares of a table half to even, to as many digits as it has.

    Missing where `n_records` is so low that there is no digit.
    """
    digits = digits_of(n_records)
    scale = 10**digits
    quotients = half_even(numerator * scale, n_records.clip(lower=1)) / scale
    return quotients.astype("float64").where(digits > 0)


def rounded_numbers(numbers: pd.Series, digits: pd.Series) -> pd.Series:
    """Round numbers half to even, each to so many decimals; missing for none.

    What is missing stays missing.
    """
    return _each(lambda number, n: float(round(number, n)), numbers, digits)


def significant_numbers(numbers: pd.Series, digits: pd.Series) -> pd.Series:
    """Round numbers half to even, each to so many significant digits; as above."""
    return _each(significant, numbers, digits)


def _each(
    rounded: Callable[[Fraction, int], float], numbers: pd.Series, digits: pd.Series
) -> pd.Series:
    """Round each number, as the exact fraction it is, where it has any digit."""
    found = [
        float("nan") if pd.isna(number) or not n else rounded(Fraction(number), int(n))
        for number, n in zip(numbers, digits, strict=True)
    ]
    return pd.Series(found, index=numbers.index, dtype="float64")


def differences(shares: pd.Series, others: pd.Series) -> pd.Series:
    """Subtract rounded shares as the decimals they are; missing where either is.

    The difference of 0.3 and 0.1 is 0.2, not 0.19999999999999998.
    """
    thousandths = (1_000 * shares).round() - (1_000 * others).round()
    return thousandths / 1_000


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
