"""How far labels in the place of values move a regression's coefficients.

A reader who has labels alone puts in the place of a number the mean of the different
values for which its label stands, and in that of a category equal shares of them: as
evenly as counts are spread over values (`microleak.definitions.tabulated`). What is
fitted is a line by least squares, of several solutions the shortest, with all
attributes in standard deviations of the release as it is. So a coefficient says by how
many standard deviations of the outcome it rises with one of the attribute.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Floats, Integers
from microleak.base.decimals import exact_number, with_points
from microleak.base.errors import TableError

DIGITS = 8
"""Digits after the point of a change; those beyond are rounding of floats, which the
instructions of another processor do otherwise."""

SMALL = 1e-9
"""Singular values below this share of the largest are taken for 0."""

MOST_CONDITION = 10_000
"""Largest singular value by the smallest that is not 0, up to which it is fitted.

Of attributes that follow from one another more nearly, rounding decides on the
coefficients.
"""


class Regressed:
    """A regression of the first of some attributes on the others.

    An attribute whose values are all numbers, as 12 or 12.5, is one number; of another
    one each value but the first by its text is an indicator. Records in which a number
    is missing are left out.

    Parameters
    ----------
    values
        Values of each attribute by code; None is a missing one.
    codes
        Codes of each row, by attribute; shape (n_rows,).
    n_records
        Records of each row.
    where
        Begins what is said.

    Raises
    ------
    TableError
        If the outcome's values are no numbers, or those of another one are numbers
        written otherwise, or it or all others do not vary; of a fit, if the condition
        number is above `MOST_CONDITION`.
    """

    def __init__(
        self,
        values: Mapping[str, Sequence[str | None]],
        codes: Mapping[str, Integers],
        n_records: Integers,
        where: str,
    ) -> None:
        self._where = where
        outcome, *_ = codes
        if _code_numbers(values[outcome], np.unique(codes[outcome])) is None:
            raise TableError(
                f"{where}: {outcome}, the outcome of a regression, has values that are "
                "no numbers as 12 or 12.5, which only the records tell. Name an "
                "attribute with numbers as outcome."
            )
        self._features = [
            _code_features(values[name], np.unique(own), f"{where}: {name}")
            for name, own in codes.items()
        ]
        is_whole = np.ones(len(n_records), dtype=np.bool_)
        for each, own in zip(self._features, codes.values(), strict=True):
            is_whole &= ~np.isnan(each[own]).any(axis=1)
        self._codes = [own[is_whole] for own in codes.values()]
        self._n = n_records[is_whole].astype(np.float64)
        if not self._varies[0] or not self._varies[1:].any():
            raise TableError(
                f"{where}: where no number is missing, the outcome of a regression has "
                "one value, or each other attribute of it has. Name others."
            )

    def largest_change(self, labels: Sequence[Integers]) -> float:
        """Return the largest change of a coefficient, in standard deviations.

        Parameters
        ----------
        labels
            Numbers of the labels of each attribute's values, by code; negative where
            no record has the value.
        """
        told = [label[own] for label, own in zip(labels, self._codes, strict=True)]
        return self._change(labels, told, self._n)

    def largest_change_of(
        self,
        labels: Sequence[Integers],
        protected: Sequence[Integers],
        n_records: Integers,
    ) -> float:
        """Return the same of another release, fitted to its own records.

        Those that lack a number, or have a label that stands for no value, are left
        out.

        Parameters
        ----------
        labels
            As of `largest_change`.
        protected
            Numbers of the labels of the other release's rows, by attribute.
        n_records
            Records of each of these rows.
        """
        return self._change(labels, protected, n_records.astype(np.float64))

    def _change(
        self, labels: Sequence[Integers], told: Sequence[Integers], n: Floats
    ) -> float:
        columns = np.concatenate(
            [
                _label_means(each, label, int(own.max(initial=0)) + 1)[own]
                for each, label, own in zip(self._features, labels, told, strict=True)
            ],
            axis=1,
        )
        is_whole = ~np.isnan(columns).any(axis=1)
        fitted = self._fitted(columns[is_whole], n[is_whole])
        change = np.abs(fitted - self._as_it_is).max(initial=0.0)
        return round(float(change), DIGITS)

    @cached_property
    def _rows(self) -> Floats:
        pairs = zip(self._features, self._codes, strict=True)
        return np.concatenate([each[own] for each, own in pairs], axis=1)

    @cached_property
    def _varies(self) -> NDArray[np.bool_]:
        return np.asarray((self._rows != self._rows[:1]).any(axis=0))

    @cached_property
    def _scale(self) -> Floats:
        squares = self._n @ _centred_columns(self._rows, self._n) ** 2 / self._n.sum()
        return np.where(self._varies, np.sqrt(squares), 1.0)

    @cached_property
    def _as_it_is(self) -> Floats:
        return self._fitted(self._rows, self._n)

    def _fitted(self, columns: Floats, n: Floats) -> Floats:
        """Return the coefficients of columns, the first of which is the outcome."""
        if not len(n):
            return np.zeros(columns.shape[1] - 1)
        own = _centred_columns(columns, n) / self._scale * np.sqrt(n)[:, None]
        # What is left of a column that does not vary is rounding.
        own[:, np.sqrt((own**2).sum(axis=0) / n.sum()) < SMALL] = 0.0
        solved, _, rank, singular = np.linalg.lstsq(own[:, 1:], own[:, 0], rcond=SMALL)
        if rank and singular[0] > MOST_CONDITION * singular[rank - 1]:
            raise TableError(
                f"{self._where}: attributes of a regression nearly follow from one "
                f"another: a condition number is above {MOST_CONDITION:,}. Name fewer "
                "of them."
            )
        return np.asarray(solved, dtype=np.float64)


def _code_features(values: Sequence[str | None], used: Integers, where: str) -> Floats:
    """Return the numbers of each code, NaN of a missing number; a row a code."""
    numbers = _code_numbers(values, used)
    texts = [text for code in used.tolist() if (text := values[code])]
    if numbers is not None:
        with_points(texts, f"{where} is in a regression, and")
        return numbers
    if texts and all(map(_is_like_number, texts)):
        raise TableError(
            f"{where} is in a regression, and some of its numbers are not written as "
            "12 or 12.5. Correct them, or name another attribute."
        )
    indicators: Floats = np.zeros((len(values), len(used) - 1))
    indicators[used[1:], np.arange(len(used) - 1)] = 1.0
    return indicators


def _code_numbers(values: Sequence[str | None], used: Integers) -> Floats | None:
    """Return the number of each code, shape (n_codes, 1); None if a text is none."""
    found: Floats = np.full((len(values), 1), np.nan)
    for code in used.tolist():
        text = values[code]
        if text is not None:
            number = exact_number(text)
            if number is None:
                return None
            found[code] = float(number)
    return None if np.isnan(found).all() else found


def _is_like_number(text: str) -> bool:
    """Whether a text may be meant as a number, as "12,5", " 5" or "1e3"."""
    try:
        return bool(np.isfinite(float(text.replace(",", "."))))
    except ValueError:
        return False


def _label_means(features: Floats, label: Integers, n_labels: int) -> Floats:
    """Return the mean of the numbers of all codes of each label, NaN of none."""
    is_used = (label >= 0) & (label < n_labels) & ~np.isnan(features).any(axis=1)
    own = label[is_used]
    n = np.bincount(own, minlength=n_labels).astype(np.float64)
    n[n == 0] = np.nan
    sums = [np.bincount(own, each, n_labels) for each in features[is_used].T]
    return (np.array(sums).reshape(-1, n_labels) / n).T


def _centred_columns(columns: Floats, n: Floats) -> Floats:
    found: Floats = columns - n @ columns / n.sum()
    return found
