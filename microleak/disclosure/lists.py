"""Lists: a value of each number of a book, with which all of its rows hold.

Parts of a list follow by a formula (`microleak.disclosure.guesses`), or are those of
the last list; HiGHS suggests the others. It counts if every row holds in whole numbers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from microleak.disclosure.book import Book, Claim, Row, Sum
from microleak.disclosure.exact import Narrowed
from microleak.disclosure.guesses import Guesses, Wanted, with_values
from microleak.disclosure.multipliers import most_of
from microleak.disclosure.program import (
    Bounds,
    CheckedRows,
    UndecidedError,
    numbers_of,
    solved,
)

RADIUS: Final = 2
"""Numbers so many rows away from those of a claim are looked for first."""

MOST_SOLVED: Final = 500
"""Numbers of a part that a program may have where the formula finds none."""

Numbers = tuple[int, ...]
"""A value of each number of a book."""

Aims = Sequence[tuple[Claim, int]]
"""Claims, and how near each is wanted."""


class Lists:
    """Looks for numbers that fit rows, and keeps those that fit all of a book.

    Attributes
    ----------
    witnesses
        Those that fit all rows, as they were found.
    """

    def __init__(self, book: Book, known: Narrowed) -> None:
        """Take a book, and its rows as they narrow bounds."""
        self._book = book
        self._by_cells = known
        self._every = CheckedRows([*book.rows, *_bounds(book)], book.most)
        self.witnesses: list[Numbers] = []
        self._part_of = {n: part for part in book.parts for n in part.inner}

    def is_of_another(self, claim: Claim) -> bool:
        """Say whether a claim is of another value than the most frequent one."""
        numbers = claim.distance.factors
        return any(n in p.another for n in numbers if (p := self._part_of.get(n)))

    def _kept(self, rows: Sequence[Row]) -> int | None:
        """Return the first of the witnesses found that fits some rows."""
        for place, values in enumerate(self.witnesses):
            if all(row.sum.of(values) >= 0 for row in rows):
                return place
        return None

    def anywhere(self, aims: Aims) -> int | None:
        """Return a new witness of claims, if one is found."""
        if (at := self.by_parts(asked_of(aims))) is not None:
            return at
        return self._tried([*self._book.rows, *asked_of(aims)])

    def near_last(self, aims: Aims) -> int | None:
        """Return a witness of claims that is there, or near the last one, if any is.

        In a new one all numbers are those of the last one, but those a few rows away
        from what is asked: a small program, where that of all numbers is a large one.
        """
        asked = asked_of(aims)
        if (at := self._kept(asked)) is not None or not self.witnesses:
            return at
        at = self.by_parts(asked, is_near=True)
        if at is not None or (self._book.parts and len(aims) > 1):
            return at
        rows = [*self._book.rows, *asked]
        return self._tried(rows, self._around(rows, asked))

    def _tried(self, rows: Sequence[Row], bounds: Bounds | None = None) -> int | None:
        """Return a new witness that keeps to rows, if the solver finds one."""
        try:
            found = self.numbers(rows, bounds=bounds)
        except UndecidedError:
            found = None
        return len(self.witnesses) - 1 if found else None

    def _around(self, rows: Iterable[Row], asked: Iterable[Row]) -> Bounds:
        """Return bounds in which numbers far from what is asked are the last ones."""
        near = {n for row in asked for n in row.sum.factors}
        for _ in range(RADIUS):
            of_rows = (row.sum.factors.keys() for row in rows)
            near.update(*(each for each in of_rows if not near.isdisjoint(each)))
        low, high = [*self.witnesses[-1]], [*self.witnesses[-1]]
        for n in near:
            low[n], high[n] = self._book.low[n], self._book.high[n]
        return low, high

    def by_parts(
        self,
        asked: Sequence[Row] = (),
        least: Sum | None = None,
        is_near: bool = False,
    ) -> int | None:
        """Return a new witness in which parts that nothing is asked of follow, if any.

        The program is of all other numbers, or of those near what is asked: a small one
        where a book has thousands of groups. Small parts are in it where the formula
        does not find them.
        """
        if not self._book.parts:
            return None
        own = {id(p) for n in numbers_of(asked) if (p := self._part_of.get(n))}
        followers = [part for part in self._book.parts if id(part) not in own]
        bounds = (
            self._around(self._book.rows, asked) if is_near else self._by_cells.ends
        )
        while True:
            rows = [*self._rows_without(followers), *asked]
            try:
                found = self.numbers(rows, least, bounds)
            except UndecidedError:
                return None
            if found is None:
                return None
            values, without = self._completed(found, followers)
            if not without:
                return self._found(values)
            if any(len(part.inner) > MOST_SOLVED for part in without):
                return None
            followers = [part for part in followers if part not in without]

    def _rows_without(self, followers: Sequence[Guesses]) -> Iterator[Row]:
        """Yield rows without numbers of some parts, and what these choose of others."""
        inner = frozenset().union(*(part.inner for part in followers))
        for row in self._book.rows:
            if inner.isdisjoint(row.sum.factors):
                yield row
        for part in followers:
            yield part.chosen(*self._by_cells.ends)

    def _completed(
        self, values: Numbers, followers: Iterable[Guesses]
    ) -> tuple[list[int], list[Guesses]]:
        """Return values with what follows from them, and parts of which none does."""
        found, without = [*values], list[Guesses]()
        for part in followers:
            follow = self._as_last(values, part) or part.filled(values)
            if follow is None:
                without.append(part)
            else:
                found = with_values(found, follow)
        return found, without

    def _as_last(self, values: Sequence[int], part: Guesses) -> Mapping[int, int]:
        """Return what followed last, if it was from the same numbers, else nothing."""
        if not self.witnesses:
            return {}
        last = self.witnesses[-1]
        is_same = all(last[n] == values[n] for n in part.outer)
        return {n: last[n] for n in part.inner} if is_same else {}

    def _found(self, values: Sequence[int]) -> int | None:
        """Return the place of numbers as a witness, if they fit all rows."""
        if not self._every.fit(values):
            return None
        if self.witnesses[-1:] != [(*values,)]:
            self.witnesses.append((*values,))
        return len(self.witnesses) - 1

    def placed(self, aims: Aims) -> dict[int, int]:
        """Return witnesses of claims about parts, by their places.

        In each list every part has as many as go together.
        """
        found: dict[int, int] = {}
        waiting: dict[int, dict[int, Wanted]] = {}
        for place, (claim, aim) in enumerate(aims):
            if wanted := self._wanted(claim, aim):
                part = self._book.parts.index(self._part_of[wanted.number])
                waiting.setdefault(part, {})[place] = wanted
        if not waiting:
            return found
        claim, _ = aims[0]
        if (base := self._base(claim)) is None:
            return found
        while True:
            values, taken = [*self.witnesses[base]], dict[int, Wanted]()
            for part, wanted_of in waiting.items():
                values, own = self._book.parts[part].packed(values, wanted_of)
                taken |= own
            at = self._found(values) if taken else None
            if at is None:
                return found
            n_found = len(found)
            for wanted_of in waiting.values():
                for place in [*wanted_of]:
                    if wanted_of[place].is_in(values):
                        found[place] = at
                        del wanted_of[place]
            if len(found) == n_found:
                return found
            base = at

    def _wanted(self, claim: Claim, aim: int) -> Wanted | None:
        """Return a claim as bounds of one number of a part; None if it is none such."""
        low, high = self._book.low, self._book.high
        row = row_near(claim, aim).sum
        free = [n for n in row.factors if low[n] < high[n]]
        if len(free) != 1:
            return None
        (n,) = free
        part = self._part_of.get(n)
        if part is None or n not in part.places or abs(row.factors[n]) != 1:
            return None
        fixed = most_of(low, high, Sum({**row.factors, n: 0}, row.constant))
        if row.factors[n] > 0:
            return Wanted(n, max(low[n], -fixed), high[n])
        return Wanted(n, low[n], min(high[n], fixed))

    def _base(self, claim: Claim) -> int | None:
        """Return a witness from which many claims of an end and value are near."""
        factors: dict[int, int] = {}
        is_frequent = claim.end in ("few", "all")
        for part in self._book.parts:
            wish = part.wish(is_frequent != self.is_of_another(claim))
            for n, factor in wish.items():
                factors[n] = factors.get(n, 0) + factor
        return self.by_parts(least=Sum(factors))

    def numbers(
        self,
        rows: Sequence[Row],
        least: Sum | None = None,
        bounds: Bounds | None = None,
    ) -> Numbers | None:
        """Return numbers that fit rows, and bring a sum to its least value.

        They are within the bounds of the book, or narrower ones. They are kept as a
        witness if they fit all rows of the book.

        Raises
        ------
        UndecidedError
            If the solver comes to no end, or its numbers do not fit exactly.
        """
        low, high = bounds or (self._book.low, self._book.high)
        if any(a > b for a, b in zip(low, high, strict=True)):
            return None
        least = least or Sum({})
        numbers = sorted({*numbers_of(rows), *least.factors})
        values = solved(rows, least, (low, high), numbers)
        if values is None:
            return None
        found = (*with_values(low, dict(zip(numbers, values, strict=True))),)
        if not fits(self._book, found, rows):
            raise UndecidedError
        self._found(found)
        return found


def row_near(claim: Claim, distance: int | None = None) -> Row:
    """Return the row that a claim is no farther off than it may be, or than that."""
    distance = claim.within if distance is None else distance
    factors = {n: -factor for n, factor in claim.distance.factors.items()}
    return Row(Sum(factors, distance - claim.distance.constant))


def asked_of(aims: Aims) -> list[Row]:
    """Return the rows that claims are as near as is aimed at."""
    return [row for claim, aim in aims for row in (*claim.given, row_near(claim, aim))]


def least_of(claim: Claim, bounds: Bounds) -> int:
    """Return how far off a claim is at least within bounds."""
    return -most_of(*bounds, row_near(claim, 0).sum)


def _bounds(book: Book) -> Iterator[Row]:
    """Yield the bounds of all numbers as rows."""
    for n, (low, high) in enumerate(zip(book.low, book.high, strict=True)):
        yield Row(Sum({n: 1}, -low))
        yield Row(Sum({n: -1}, high))


def fits(book: Book, values: Sequence[int], rows: Iterable[Row]) -> bool:
    """Say whether values are within the bounds of their numbers and fit rows."""
    bounds = zip(book.low, values, book.high, strict=True)
    return all(low <= value <= high for low, value, high in bounds) and all(
        row.sum.of(values) >= 0 for row in rows
    )
