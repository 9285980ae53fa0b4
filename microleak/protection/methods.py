"""Methods of statistical disclosure control, on columns of codes.

A column has the code of each record's value, from 0 up; code 0 is a missing value. What
is random is drawn from a generator of its own in the order of the records, a fixed
number at a time: it depends on nothing else.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers, Mask
from microleak.base.decimals import exact_number
from microleak.base.errors import TableError
from microleak.records.coding import missing_first

AT_ONCE = 1 << 20
"""Records for which is drawn, or that are counted, at once."""

MOST_COUNTED = 1 << 26
"""Numbers up to which the used ones are marked rather than sorted."""


@dataclass(frozen=True)
class DataColumn:
    """An attribute of all records."""

    values: tuple[str | None, ...]  # Different texts, sorted
    codes: Codes  # Place in `values` of each record's value, shape (n_records,)

    @cached_property
    def counts(self) -> Integers:
        return count_codes(self.codes, len(self.values))


def record_slices(n: int) -> Iterator[slice]:
    for start in range(0, n, AT_ONCE):
        yield slice(start, min(n, start + AT_ONCE))


def count_codes(codes: Codes, n_codes: int) -> Integers:
    found = np.zeros(n_codes, dtype=np.int64)
    for part in record_slices(len(codes)):
        found += np.bincount(codes[part], minlength=n_codes)
    return found


def generator_of(seed: int, *place: object) -> np.random.Generator:
    text = ";".join(map(str, (seed, *place)))
    key = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "little")
    return np.random.Generator(np.random.Philox(key=key))


def column_of(values: Sequence[str | None], codes: Codes) -> DataColumn:
    known = tuple(sorted({None, *values}, key=missing_first))
    code_of = {value: code for code, value in enumerate(known)}
    kind = np.min_scalar_type(len(known) - 1)
    new = np.array([code_of[value] for value in values], dtype=kind)
    return DataColumn(known, new[codes] if len(new) else codes.astype(kind))


def relabelled_column(
    column: DataColumn, labels: Callable[[Sequence[str | None]], Sequence[str | None]]
) -> DataColumn:
    """Return a column with labels for values; labels are asked of values in use."""
    used = np.flatnonzero(column.counts)
    found = labels([column.values[code] for code in used])
    new: list[str | None] = [None] * len(column.values)
    for code, label in zip(used.tolist(), found, strict=True):
        new[code] = label
    return column_of(new, column.codes)


def rounded_text(text: str | None, multiple: int, where: str) -> str | None:
    """Return the multiple nearest to a number, of two the upper one.

    >>> [rounded_text(text, 10, "age") for text in ("14.9", "15", "-15", None)]
    ['10', '20', '-10', None]
    """
    if text is None:
        return None
    number = exact_number(text)
    if number is None:
        raise TableError(
            f"{where} has values that are no numbers as 12 or 12.5, so they cannot be "
            "rounded. Remove it from round, or give it a hierarchy and generalise it."
        )
    return str((number / multiple + Fraction(1, 2)).__floor__() * multiple)


def kept_or_other(
    column: DataColumn, keep: Fraction, rng: np.random.Generator, where: str
) -> DataColumn:
    """Return a column in which a value stays with a chance, or becomes another one.

    k-ary randomised response: the chance of each other value that the column has, a
    missing one among them, is (1 - keep) / (k - 1).
    """
    present = np.flatnonzero(column.counts)
    n_others = len(present) - 1
    if n_others < 1 or keep == 1:
        return column
    stay, each = keep.numerator * n_others, keep.denominator - keep.numerator
    total = _drawable_bound(keep.denominator * n_others, where)
    rank = np.zeros(len(column.values), dtype=np.int64)
    rank[present] = np.arange(len(present))
    codes = np.empty_like(column.codes)
    for part in record_slices(len(codes)):
        own = rank[column.codes[part]]
        drawn = rng.integers(total, size=len(own), dtype=np.int64)
        other = (drawn - stay) // each
        other += other >= own
        codes[part] = present[np.where(drawn < stay, own, other)]
    return DataColumn(column.values, codes)


def randomised_column(
    column: DataColumn,
    chances: Mapping[str | None, Mapping[str | None, Fraction]],
    rng: np.random.Generator,
    where: str,
) -> DataColumn:
    present = {column.values[code] for code in np.flatnonzero(column.counts)}
    if present and present.isdisjoint(chances):
        raise TableError(
            f"{where}: no line of its matrix is of a value that records have at this "
            "step, so that nothing would change. Write values as they are then (01 is "
            "not 1), or remove it from randomise."
        )
    rows = [chances.get(value, {value: Fraction(1)}) for value in column.values]
    total = lcm(*(chance.denominator for row in rows for chance in row.values()))
    _drawable_bound(total * len(rows), where)
    outcomes: list[str | None] = []
    ends: list[int] = []
    for i, row in enumerate(rows):
        reached = i * total
        for value in sorted(row, key=missing_first):
            reached += int(row[value] * total)
            outcomes.append(value)
            ends.append(reached)
    bounds = np.array(ends, dtype=np.int64)
    found = np.empty(len(column.codes), dtype=np.min_scalar_type(len(outcomes)))
    for part in record_slices(len(found)):
        own = column.codes[part].astype(np.int64)
        drawn = rng.integers(total, size=len(own), dtype=np.int64) + own * total
        found[part] = np.searchsorted(bounds, drawn, side="right")
    return column_of(outcomes, found)


def _drawable_bound(denominator: int, where: str) -> int:
    if denominator >= 1 << 63:
        raise TableError(
            f"{where}: its chances have too many digits to draw by them exactly. Give "
            "them with fewer digits."
        )
    return denominator


def rounded_share(rate: Fraction, n: int) -> int:
    """Return the share of a number, rounded, a half upwards.

    >>> rounded_share(Fraction(1, 2), 5)
    3
    """
    return (rate * n + Fraction(1, 2)).__floor__()


def sampled_records(n: int, rate: Fraction, rng: np.random.Generator) -> Mask:
    return _smallest_keys(_random_keys(n, rng), rounded_share(rate, n))


def _random_keys(n: int, rng: np.random.Generator) -> NDArray[np.uint64]:
    return rng.bit_generator.random_raw(n)


def _smallest_keys(keys: NDArray[np.uint64], m: int) -> Mask:
    if not m:
        return np.zeros(len(keys), dtype=bool)
    last = np.partition(keys, m - 1)[m - 1]
    is_chosen: Mask = keys < last
    ties = np.flatnonzero(keys == last)
    is_chosen[ties[: m - int(is_chosen.sum())]] = True
    return is_chosen


@dataclass(frozen=True)
class Swapping:
    """Between which records values are exchanged."""

    rate: Fraction  # Share of the records that are in a pair
    within: Sequence[Codes] = ()  # Columns in which both records of a pair are alike
    target: Sequence[Codes] = ()


def drawn_pairs(
    n: int, swapping: Swapping, rng: np.random.Generator
) -> tuple[Integers, Integers]:
    """Return the records of each pair, both of shape (n_pairs,), each record once.

    Those that nobody is like are chosen first, others at random. The chosen of a group
    are paired; one left over with one that was not chosen, or with nobody.
    """
    keys = _random_keys(n, rng)
    priority = keys
    if swapping.target:
        ids, sizes = blocks_and_sizes(swapping.target)
        is_alone = sizes[ids] == 1
        priority = keys >> np.uint64(1) | ~is_alone * np.uint64(1 << 63)
    is_chosen = _smallest_keys(priority, rounded_share(swapping.rate, n))
    groups, sizes = np.zeros(n, dtype=np.int64), np.array([n])
    if swapping.within:
        groups, sizes = blocks_and_sizes(swapping.within)
    n_chosen = np.bincount(groups[is_chosen], minlength=len(sizes))
    n_paired = np.minimum(n_chosen + n_chosen % 2, sizes - sizes % 2)
    # Who is not chosen counts only where somebody is left over.
    is_asked = is_chosen | (n_chosen % 2 > 0)[groups]
    rows = np.flatnonzero(is_asked)
    # Who is chosen first has another key than others: pairs are drawn by themselves.
    places = _random_keys(n, rng) if swapping.target else keys
    order = np.lexsort((places[rows], ~is_chosen[rows], groups[rows]))
    rows, of_group = rows[order], groups[rows[order]]
    starts = np.searchsorted(of_group, of_group)
    rows = rows[np.arange(len(rows)) - starts < n_paired[of_group]]
    return rows[::2], rows[1::2]


def swapped_column(column: DataColumn, first: Integers, second: Integers) -> DataColumn:
    codes = column.codes.copy()
    codes[first], codes[second] = column.codes[second], column.codes[first]
    return DataColumn(column.values, codes)


def blocks_and_sizes(columns: Sequence[Codes]) -> tuple[Integers, Integers]:
    """Return the number of each record's block, in order, and the records of each."""
    ids, n_ids = np.zeros(len(columns[0]), dtype=np.int64), 1
    for codes in columns:
        size = int(codes.max(initial=0)) + 1
        if n_ids * size >= 1 << 62:
            ids, n_ids = _without_gaps(ids, n_ids)
        ids, n_ids = ids * size + codes, n_ids * size
    ids, n_ids = _without_gaps(ids, n_ids)
    return ids, count_codes(ids, n_ids)


def _without_gaps(ids: Integers, n_ids: int) -> tuple[Integers, int]:
    """Return numbers without gaps, in the same order, and how many there are."""
    if n_ids <= MOST_COUNTED:
        is_used = np.zeros(n_ids, dtype=np.int64)
        is_used[ids] = 1
        return (np.cumsum(is_used) - 1)[ids], int(is_used.sum())
    used, found = np.unique(ids, return_inverse=True)
    return found, len(used)
