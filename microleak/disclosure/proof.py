"""Claims of a book proved by whole numbers that fit all its rows, or refuted.

What HiGHS finds is a suggestion: numbers count only if every row holds in whole
numbers. That a group has no members, that a count cannot be nearer, or that ten or more
are told openly, is shown without a solver (`microleak.disclosure.exact`). That a claim
is refuted rests on the solver, and keeps a page back.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from microleak.disclosure.book import (
    Book,
    Cell,
    Claim,
    Row,
    Sum,
)
from microleak.disclosure.exact import (
    Narrowed,
    Refutation,
    Rows,
    contradiction,
    refute,
)
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

MOST_LEAKS: Final = 5
"""With so many leaks a page is set aside, and no further claim is looked at."""

Numbers = tuple[int, ...]
"""A value of each number of a book."""


Aims = Sequence[tuple[Claim, int]]
"""Claims, and how near each is wanted."""


@dataclass(frozen=True)
class Proved:
    """A claim that holds.

    Attributes
    ----------
    claim
        The claim.
    distance
        How far off what it claims is, at most; more than `claim.within` if no other
        cell is to blame.
    witness
        Which of the numbers of the proof show it; None if nothing can be told of it,
        or ten or more are told openly.
    refutation
        Without a witness, or if the distance is more than `claim.within`, how nothing
        nearer can be: by places of the book's rows, and then of `further`.
    """

    claim: Claim
    distance: int
    witness: int | None
    refutation: Refutation | None = None

    @property
    def further(self) -> tuple[Row, ...]:
        """What is presumed, and that what is claimed is nearer."""
        return (*self.claim.given, _near(self.claim, self.distance - 1))


@dataclass(frozen=True)
class Leak:
    """A claim that does not hold, and the cells that together tell it.

    Attributes
    ----------
    claim
        None if the cells contradict one another.
    cells
        None of them can be left out.
    is_open
        Whether it is only not proved.
    """

    claim: Claim | None
    cells: tuple[Cell, ...] = ()
    is_open: bool = False


@dataclass(frozen=True)
class Proof:
    """What became of the claims of a book.

    Attributes
    ----------
    proved, leaks
        Claims that hold, and those that do not.
    witnesses
        Values of all numbers with which every row holds.
    n_left
        Claims that were not looked at, as enough do not hold.
    """

    proved: tuple[Proved, ...]
    leaks: tuple[Leak, ...]
    witnesses: tuple[Numbers, ...]
    n_left: int = 0


def prove(book: Book) -> Proof:
    """Prove every claim of a book, or say which cells refute it.

    A claim holds if numbers that fit all rows are as far off what it claims as is
    allowed; or no farther than without the other cells, which then do not tell it.
    """
    book.close()
    prover = _Prover(book)
    try:
        if prover.by_parts() is None and prover.numbers(prover.laws) is None:
            return Proof((), (Leak(None, prover.cells_that_tell(None)),), ())
    except UndecidedError:
        return Proof((), (Leak(None, is_open=True),), ())
    proved: list[Proved] = []
    leaks: list[Leak] = []
    for each in prover.settled_by_ends(book.claims):
        if isinstance(each, Proved):
            proved.append(each)
        else:
            leaks.append(each)
        if len(leaks) == MOST_LEAKS:
            break
    n_left = len(book.claims) - len(proved) - len(leaks)
    return Proof(tuple(proved), tuple(leaks), tuple(prover.witnesses), n_left)


class _Prover:
    """Looks for numbers that fit rows, and keeps those that fit all of a book."""

    def __init__(self, book: Book) -> None:
        self._book = book
        rows = {i: row for i, row in enumerate(book.rows) if not row.is_chosen}
        self.laws = tuple(rows.values())
        self._of_cell: dict[Cell | str, list[int]] = {}
        for place, row in rows.items():
            if row.cell:
                self._of_cell.setdefault(row.cell, []).append(place)
        self._by_cells = Narrowed(book, rows)
        of_laws = {i: row for i, row in rows.items() if row.cell is None}
        self._by_laws = Narrowed(book, of_laws)
        self._every = CheckedRows([*book.rows, *_bounds(book)], book.most)
        self.witnesses: list[Numbers] = []
        self._part_of = {n: part for part in book.parts for n in part.inner}

    def settled_by_ends(self, claims: Sequence[Claim]) -> Iterator[Proved | Leak]:
        """Yield what becomes of all claims, those of one end and value together."""
        alike: dict[tuple[str, bool], list[Claim]] = {}
        for claim in claims:
            alike.setdefault((claim.end, self._is_of_another(claim)), []).append(claim)
        for some in alike.values():
            yield from self.settled(some)

    def _is_of_another(self, claim: Claim) -> bool:
        """Say whether a claim is of another value than the most frequent one."""
        numbers = claim.distance.factors
        return any(n in p.another for n in numbers if (p := self._part_of.get(n)))

    def settled(self, claims: Iterable[Claim]) -> Iterator[Proved | Leak]:
        """Yield what becomes of claims.

        What bounds tell openly needs no witness. No claim can be nearer than bounds
        leave it by laws alone, and so it is looked for there.
        """
        aims: list[tuple[Claim, int]] = []
        for claim in claims:
            if found := self._told_openly(claim):
                yield found
            else:
                aims.append(
                    (claim, max(claim.within, _least(claim, self._by_laws.ends)))
                )
        at = self._placed(aims)
        for place in at:
            each, aim = aims[place]
            yield self._nearest(each, aim, at[place]) or self._settled(each)
        left: list[tuple[Claim, int]] = []
        for claim, aim in (each for place, each in enumerate(aims) if place not in at):
            if claim.of is not None and (at_once := self._at_once(claim)):
                yield at_once
            else:
                left.append((claim, aim))
        if left and self._near_last(left) is None:
            self._anywhere(left)
        yield from self._together(left)

    def _together(self, aims: Aims) -> Iterator[Proved | Leak]:
        """Yield what becomes of claims; many that hold together need one witness."""
        if (at := self._near_last(aims)) is not None:
            for each, aim in aims:
                yield self._nearest(each, aim, at) or self._settled(each)
        elif len(aims) > 1:
            half = len(aims) // 2
            yield from self._together(aims[:half])
            yield from self._together(aims[half:])
        else:
            yield from (self._alone(each, aim) for each, aim in aims)

    def _alone(self, claim: Claim, aim: int) -> Proved | Leak:
        """Return what becomes of a claim of which no witness is near the last one."""
        if found_at_once := self._at_once(claim):
            return found_at_once
        has_members = claim.of is None or self._book.low[claim.of]
        if has_members and (found := self._openly(claim)):
            return found
        at = self._anywhere([(claim, aim)])
        shown = None if at is None else self._nearest(claim, aim, at)
        return shown or self._settled(claim)

    def _settled(self, claim: Claim) -> Proved | Leak:
        """Return what becomes of a claim of which no witness was found."""
        try:
            if found := self._proved(claim):
                return found
            if self.numbers([*self.laws, *claim.given, _near(claim)]):
                return Leak(claim, is_open=True)
        except UndecidedError:
            return Leak(claim, is_open=True)
        return Leak(claim, self.cells_that_tell(claim))

    def _at_once(self, claim: Claim) -> Proved | Leak | None:
        """Return what becomes of a claim that bounds refute, if they do, by cells."""
        if claim.of is not None and not self._book.low[claim.of]:
            return None
        near = dict(enumerate([_near(claim)], len(self._book.rows)))
        shown = contradiction(self._by_cells, near)
        if shown is None:
            return None
        if claim.told_from:
            last = dict.fromkeys(near, _near(claim, claim.told_from - 1))
            if contradiction(self._by_cells, last):
                return self._openly(claim)
        rows = self._book.rows
        own = {i: row for i, row in enumerate(rows) if row.cell == claim.about}
        if contradiction(self._by_laws, {**own, **near}):
            return None
        cells = [rows[i].cell for i in shown.rows if i < len(rows)]
        return Leak(claim, self._needed(cells, near))

    def _needed(self, cells: Iterable[Cell | None], near: Rows) -> tuple[Cell, ...]:
        """Return cells by which bounds refute what is near, none to spare."""
        left = dict.fromkeys(cell for cell in cells if cell)
        of_cells = self._by_cells.rows.items()
        for cell in [*left]:
            fewer = left.keys() - {cell}
            some = {i: row for i, row in of_cells if row.cell and row.cell in fewer}
            if contradiction(self._by_laws, {**some, **near}):
                del left[cell]
        return (*left,)

    def _proved(self, claim: Claim) -> Proved | None:
        """Return a claim that holds although no numbers are as near as was wanted.

        Raises
        ------
        UndecidedError
            If the solver comes to no end.
        """
        given, _ = self._further(claim)
        none = Proved(claim, claim.within, None)
        has_members = claim.of is None or self._book.low[claim.of]
        if not has_members and (found := self._refuted(none, self._by_cells, given)):
            return found
        own = [row for row in self.laws if row.cell in (None, claim.about)]
        best = self.numbers(own, claim.distance)
        nearest = claim.distance.of(best) if best else claim.within
        if nearest > claim.within:
            rows = [*self._book.rows, *claim.given, _near(claim, nearest)]
            far = self._nearest(claim, nearest, len(self.witnesses))
            if far and self.numbers(rows):
                return replace(far, witness=len(self.witnesses) - 1)
        return self._openly(claim)

    def _told_openly(self, claim: Claim) -> Proved | None:
        """Return a claim of which bounds alone say that ten or more are told."""
        if claim.told_from and _least(claim, self._by_cells.ends) >= claim.told_from:
            return self._openly(claim)
        return None

    def _openly(self, claim: Claim) -> Proved | None:
        """Return a claim of which ten or more are told and may be, if that is found."""
        if claim.told_from is None:
            return None
        given, near = self._further(claim)
        openly = Proved(claim, claim.told_from, None)
        return self._refuted(openly, self._by_cells, [*given, near])

    def _nearest(self, claim: Claim, distance: int, at: int) -> Proved | None:
        """Return a claim with a witness, and that no nearer one is possible by laws."""
        found = Proved(claim, distance, at)
        if distance <= claim.within:
            return found
        _, near = self._further(claim)
        own = self._of_cell.get(claim.about, ())
        return self._refuted(found, self._by_laws, [*own, near])

    def _further(self, claim: Claim) -> tuple[range, int]:
        """Return the places of what is presumed, and of that a claim is nearer."""
        n, n_given = len(self._book.rows), len(claim.given)
        return range(n, n + n_given), n + n_given

    def _refuted(
        self, proved: Proved, known: Narrowed, places: Iterable[int]
    ) -> Proved | None:
        """Return a claim with how some rows refute what is nearer, if it is found.

        Places are those of the book's rows, and then of `further`.
        """
        n, own, further = len(self._book.rows), self._book.rows, proved.further
        rows = {p: own[p] if p < n else further[p - n] for p in places}
        found = refute(known, rows)
        return replace(proved, refutation=found) if found else None

    def _kept(self, rows: Sequence[Row]) -> int | None:
        """Return the first of the witnesses found that fits some rows."""
        for place, values in enumerate(self.witnesses):
            if all(row.sum.of(values) >= 0 for row in rows):
                return place
        return None

    def _anywhere(self, aims: Aims) -> int | None:
        """Return a new witness of claims, if one is found."""
        if (at := self.by_parts(_asked(aims))) is not None:
            return at
        return self._tried([*self._book.rows, *_asked(aims)])

    def _near_last(self, aims: Aims) -> int | None:
        """Return a witness of claims that is there, or near the last one, if any is.

        In a new one all numbers are those of the last one, but those a few rows away
        from what is asked: a small program, where that of all numbers is a large one.
        """
        asked = _asked(aims)
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

    def _placed(self, aims: Aims) -> dict[int, int]:
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
        row = _near(claim, aim).sum
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
            wish = part.wish(is_frequent != self._is_of_another(claim))
            for n, factor in wish.items():
                factors[n] = factors.get(n, 0) + factor
        return self.by_parts(least=Sum(factors))

    def cells_that_tell(self, claim: Claim | None) -> tuple[Cell, ...]:
        """Return cells whose rows refute a claim, or one another, none to spare."""
        further = [] if claim is None else [*claim.given, _near(claim)]
        cells = {row.cell: None for row in self._book.rows if row.cell}
        left = list(cells)
        size = max(1, len(left) // 4)
        while size:
            for start in range(0, len(left), size):
                fewer = [*left[:start], *left[start + size :]]
                if not self._fits(fewer, further):
                    left = fewer
                    break
            else:
                size //= 2
        return tuple(left)

    def _fits(self, cells: Collection[Cell], further: Iterable[Row]) -> bool:
        """Say whether numbers fit what some cells say; also if that is not known."""
        rows = [row for row in self.laws if row.cell is None or row.cell in cells]
        try:
            return self.numbers([*rows, *further]) is not None
        except UndecidedError:
            return True

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


def _near(claim: Claim, distance: int | None = None) -> Row:
    """Return the row that a claim is no farther off than it may be, or than that."""
    distance = claim.within if distance is None else distance
    factors = {n: -factor for n, factor in claim.distance.factors.items()}
    return Row(Sum(factors, distance - claim.distance.constant))


def _asked(aims: Aims) -> list[Row]:
    """Return the rows that claims are as near as is aimed at."""
    return [row for claim, aim in aims for row in (*claim.given, _near(claim, aim))]


def _least(claim: Claim, bounds: Bounds) -> int:
    """Return how far off a claim is at least within bounds."""
    return -most_of(*bounds, _near(claim, 0).sum)


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
