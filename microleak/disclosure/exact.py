"""That whole numbers fit no rows, shown by their bounds alone and without a solver.

Each row narrows the bounds of its numbers to what the others leave it, in whole
numbers, until nothing changes or one is left no value. Where that is not enough, rows
may fail together, as a sum of them does; or each value is tried of a number that has
two. Which rows did it, in which order, is written down, so that a few lines of code can
follow it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from microleak.disclosure.book import Book, Row
from microleak.disclosure.multipliers import most_of, multipliers

MOST_CASES: Final = 64
"""Cases that are tried, so that it ends."""

MOST_PASSES: Final = 20
FURTHER: Final = 20_000
"""Rows are read so often in each case, all of them; and so many more."""


@dataclass(frozen=True)
class Refutation:
    """How rows contradict one another.

    Attributes
    ----------
    rows
        Places of rows, in the order in which they narrow bounds. Without a sum and
        cases, the last one cannot hold.
    sum
        Multipliers of rows whose sum cannot hold then; none if it needs none.
    number
        A number of which both values, 0 and 1, are tried then.
    cases
        A refutation for each of them; none if there are no cases.
    """

    rows: Sequence[int]
    sum: Mapping[int, int] = field(default_factory=dict)
    number: int | None = None
    cases: tuple["Refutation", ...] = ()


@dataclass
class _Bounds:
    """Least and largest value of each number."""

    low: list[int]
    high: list[int]

    def with_value(self, number: int, value: int) -> "_Bounds":
        """Return bounds in which a number has one value."""
        found = _Bounds([*self.low], [*self.high])
        found.low[number] = found.high[number] = value
        return found


@dataclass
class _Budget:
    """Cases that may still be tried."""

    left: int = field(default=MOST_CASES)


Rows = Mapping[int, Row]
"""Rows by their places."""


def refute(book: Book, rows: Rows) -> Refutation | None:
    """Return how rows surely contradict one another; if None, they may all the same.

    Parameters
    ----------
    book
        Its numbers and their bounds hold.
    rows
        Rows of which it is asked whether no whole numbers fit all of them, some.
    """
    *_, last = rows.values()
    asked = last.sum.factors.keys()
    near = (row for row in rows.values() if asked & row.sum.factors.keys())
    numbers = dict.fromkeys(n for row in near for n in row.sum.factors)
    return _refuted(_Bounds(book.low, book.high), rows, numbers, _Budget())


def narrowed(book: Book, rows: Iterable[Row]) -> tuple[list[int], list[int]]:
    """Return the least and the largest value that rows leave each number."""
    bounds = _Bounds([*book.low], [*book.high])
    _narrowed(bounds, dict(enumerate(rows)))
    return bounds.low, bounds.high


def _refuted(
    bounds: _Bounds, rows: Rows, numbers: Iterable[int], budget: _Budget
) -> Refutation | None:
    """Return how rows contradict one another within some bounds, if it is found."""
    budget.left -= 1
    bounds = _Bounds([*bounds.low], [*bounds.high])
    steps, is_none = _narrowed(bounds, rows)
    if is_none:
        last = steps.pop()
        return Refutation((*_needed(rows, steps, _numbers(rows, [last])), last))
    if len(rows) > 1 and (by := multipliers(bounds.low, bounds.high, rows)):
        return Refutation(_needed(rows, steps, _numbers(rows, by)), by)
    two = (n for n in numbers if (bounds.low[n], bounds.high[n]) == (0, 1))
    if (number := next(two, None)) is None:
        return None
    cases: list[Refutation] = []
    for value in (0, 1):
        if budget.left <= 0:
            return None
        case = _refuted(bounds.with_value(number, value), rows, numbers, budget)
        if case is None:
            return None
        cases.append(case)
    used = {number, *(n for case in cases for n in _of_case(rows, case))}
    return Refutation(_needed(rows, steps, used), {}, number, tuple(cases))


def _narrowed(bounds: _Bounds, rows: Rows) -> tuple[list[int], bool]:
    """Narrow bounds; return the rows that did, and whether the last cannot hold."""
    of_number: dict[int, list[int]] = {}
    for place, row in rows.items():
        for n in row.sum.factors:
            of_number.setdefault(n, []).append(place)
    waiting: dict[int, None] = dict.fromkeys(rows)
    steps: list[int] = []
    for _ in range(MOST_PASSES * len(rows) + FURTHER):
        if not waiting:
            break
        place = next(iter(waiting))
        del waiting[place]
        changed = _narrow(bounds, rows[place])
        if changed != []:
            steps.append(place)
        if changed is None:
            return steps, True
        waiting.update(dict.fromkeys(p for n in changed for p in of_number[n]))
    return steps, False


def _narrow(bounds: _Bounds, row: Row) -> list[int] | None:
    """Narrow bounds by one row; return whose changed, None if no values fit it."""
    low, high = bounds.low, bounds.high
    if (most := most_of(low, high, row.sum)) < 0:
        return None
    changed = []
    for n, factor in row.sum.factors.items():
        if factor > 0 and high[n] - most // factor > low[n]:
            low[n] = high[n] - most // factor
            changed.append(n)
        if factor < 0 and low[n] + most // -factor < high[n]:
            high[n] = low[n] + most // -factor
            changed.append(n)
    return changed


def _needed(rows: Rows, steps: Sequence[int], numbers: Iterable[int]) -> list[int]:
    """Return steps without those that narrow none of the numbers used later."""
    used, found = {*numbers}, list[int]()
    for place in reversed(steps):
        if used & rows[place].sum.factors.keys():
            found.insert(0, place)
            used.update(rows[place].sum.factors)
    return found


def _numbers(rows: Rows, places: Iterable[int]) -> Iterator[int]:
    """Yield the numbers of some rows."""
    for place in places:
        yield from rows[place].sum.factors


def _of_case(rows: Rows, case: Refutation) -> Iterator[int]:
    """Yield the numbers that a refutation uses."""
    yield from _numbers(rows, [*case.rows, *case.sum])
    if case.number is not None:
        yield case.number
    for each in case.cases:
        yield from _of_case(rows, each)
