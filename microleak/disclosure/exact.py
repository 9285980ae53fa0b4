"""That whole numbers fit no rows, shown by their bounds alone and without a solver.

Each row narrows the bounds of its numbers to what the others leave it, in whole
numbers, until nothing changes or one is left no value. Where that is not enough, rows
may fail together, as a sum of them does; or each value is tried of a number that has
two. Which rows did it, in which order, is written down, so that a few lines of code can
follow it.
"""

from collections import deque
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

    def copy(self) -> "_Bounds":
        """Return the same bounds."""
        return _Bounds([*self.low], [*self.high])

    def with_value(self, number: int, value: int) -> "_Bounds":
        """Return bounds in which a number has one value."""
        found = self.copy()
        found.low[number] = found.high[number] = value
        return found


Rows = Mapping[int, Row]
"""Rows by their places."""


class Narrowed:
    """Rows, and the bounds that they leave each number.

    Attributes
    ----------
    rows
        Rows by their places.
    bounds
        Least and largest value of each number.
    steps
        Places of the rows that narrowed bounds, in order.
    """

    def __init__(self, book: Book, rows: Rows) -> None:
        self.rows = rows
        self.bounds = _Bounds([*book.low], [*book.high])
        self._of_number = _places(rows)
        self.steps, _ = _narrow_all(self.bounds, rows, self._of_number, rows)

    @property
    def ends(self) -> tuple[Sequence[int], Sequence[int]]:
        """Least and largest value of each number."""
        return self.bounds.low, self.bounds.high

    def places(self, further: Rows) -> Mapping[int, Sequence[int]]:
        """Return the places of rows by number, of further ones too."""
        own = self._of_number
        of = _places(further)
        return {**own, **{n: [*own.get(n, ()), *each] for n, each in of.items()}}


def contradiction(known: Narrowed, further: Rows) -> Refutation | None:
    """Return how bounds alone show that rows contradict one another, if they do.

    Parameters are those of `refute`.
    """
    rows = {**known.rows, **further}
    places = known.places(further)
    return _of_bounds(rows, places, known.bounds.copy(), known.steps, further)[0]


def refute(known: Narrowed, further: Rows) -> Refutation | None:
    """Return how rows surely contradict one another; if None, they may all the same.

    Parameters
    ----------
    known
        Rows that do not contradict one another.
    further
        Rows of which it is asked whether no whole numbers fit all of them, some.
    """
    rows = {**known.rows, **further}
    places = known.places(further)
    *_, last = further.values()
    near = (rows[place] for n in last.sum.factors for place in places[n])
    numbers = dict.fromkeys(n for row in near for n in row.sum.factors)
    search = _Search(rows, places, numbers)
    return search.refuted(known.bounds, known.steps, further)


@dataclass
class _Search:
    """A search for how rows contradict one another.

    Attributes
    ----------
    rows, places
        Rows by their places, and the places by number.
    numbers
        Numbers of which both values are tried, in this order.
    left
        Cases that may still be tried.
    """

    rows: Rows
    places: Mapping[int, Sequence[int]]
    numbers: Iterable[int]
    left: int = MOST_CASES

    def refuted(
        self, bounds: _Bounds, before: Sequence[int], waiting: Iterable[int]
    ) -> Refutation | None:
        """Return how rows contradict one another within some bounds, if it is found.

        Parameters
        ----------
        bounds
            As the rows leave them that do not wait. They are not changed.
        before
            Places of rows that narrowed them.
        waiting
            Places of rows that may narrow them further.
        """
        self.left -= 1
        rows, bounds = self.rows, bounds.copy()
        shown, steps = _of_bounds(rows, self.places, bounds, before, waiting)
        if shown:
            return shown
        if len(rows) > 1 and (by := multipliers(bounds.low, bounds.high, rows)):
            return Refutation(_needed(rows, steps, _numbers(rows, by)), by)
        two = (n for n in self.numbers if (bounds.low[n], bounds.high[n]) == (0, 1))
        if (number := next(two, None)) is None:
            return None
        cases: list[Refutation] = []
        for value in (0, 1):
            if self.left <= 0:
                return None
            one = bounds.with_value(number, value)
            case = self.refuted(one, [], self.places[number])
            if case is None:
                return None
            cases.append(case)
        used = {number, *(n for case in cases for n in _of_case(rows, case))}
        return Refutation(_needed(rows, steps, used), {}, number, tuple(cases))


def _places(rows: Rows) -> dict[int, list[int]]:
    """Return the places of rows by number."""
    found: dict[int, list[int]] = {}
    for place, row in rows.items():
        for n in row.sum.factors:
            found.setdefault(n, []).append(place)
    return found


def _of_bounds(
    rows: Rows,
    places: Mapping[int, Sequence[int]],
    bounds: _Bounds,
    before: Sequence[int],
    waiting: Iterable[int],
) -> tuple[Refutation | None, list[int]]:
    """Narrow bounds; return how that leaves a number no value, if so, and the steps."""
    found, is_none = _narrow_all(bounds, rows, places, waiting)
    steps = [*before, *found]
    if not is_none:
        return None, steps
    last = steps.pop()
    needed = _needed(rows, steps, _numbers(rows, [last]))
    return Refutation((*needed, last)), steps


def _narrow_all(
    bounds: _Bounds,
    rows: Rows,
    places: Mapping[int, Sequence[int]],
    waiting: Iterable[int],
) -> tuple[list[int], bool]:
    """Narrow bounds; return the rows that did, and whether the last cannot hold."""
    queue = deque(dict.fromkeys(waiting))
    queued, steps = {*queue}, list[int]()
    for _ in range(MOST_PASSES * len(rows) + FURTHER):
        if not queue:
            break
        place = queue.popleft()
        queued.remove(place)
        changed = _narrow(bounds, rows[place])
        if changed != []:
            steps.append(place)
        if changed is None:
            return steps, True
        more = dict.fromkeys(p for n in changed for p in places[n] if p not in queued)
        queue.extend(more)
        queued.update(more)
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
        if not used.isdisjoint(rows[place].sum.factors):
            found.append(place)
            used.update(rows[place].sum.factors)
    return found[::-1]


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
