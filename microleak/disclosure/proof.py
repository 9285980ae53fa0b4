"""Claims of a book proved by whole numbers that fit all its rows, or refuted.

What HiGHS finds is a suggestion: numbers count only if every row holds in whole
numbers. That a group has no members, that a count cannot be nearer, or that ten or more
are told openly, is shown without a solver (`microleak.disclosure.exact`). That a claim
is refuted rests on the solver, and keeps a page back.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from microleak.disclosure.book import FEW, Book, Cell, Claim, Row
from microleak.disclosure.exact import (
    Narrowed,
    Refutation,
    Rows,
    contradiction,
    refute,
)
from microleak.disclosure.laws import ENDS
from microleak.disclosure.lists import Aims, Lists, Numbers, least_of, row_near
from microleak.disclosure.program import UndecidedError

MOST_LEAKS: Final = 5
"""With so many leaks a page is set aside, and no further claim is looked at."""


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
        nearer can be, or the end is out of reach: by places of the book's rows, and
        then of `further`. None of an edge of rounding of a known whole.
    is_end_alone
        Whether it is the end alone, of a share of a known whole, that is out of reach.
    """

    claim: Claim
    distance: int
    witness: int | None
    refutation: Refutation | None = None
    is_end_alone: bool = False

    @property
    def further(self) -> tuple[Row, ...]:
        """What is presumed, and that what is claimed is nearer, or at its end."""
        nearer = self.claim.within if self.is_end_alone else self.distance - 1
        return (*self.claim.given, row_near(self.claim, nearer))


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
    is_narrow
        Whether fewer than ten counts are left between both ends of a share.
    """

    claim: Claim | None
    cells: tuple[Cell, ...] = ()
    is_open: bool = False
    is_narrow: bool = False


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


def tells(book: Book) -> bool:
    """Say whether a claim of a book does not hold, or is not proved."""
    return bool(prove(book, is_quick=True).leaks)


def prove(book: Book, is_quick: bool = False) -> Proof:
    """Prove every claim of a book, or say which cells refute it.

    If it is to be quick, nothing is looked at after the first that does not hold, and
    cells are not named.

    A claim holds if numbers that fit all rows are as far off what it claims as is
    allowed; or no farther than without the other cells, which then do not tell it. Of a
    share of a known whole it is enough that ten counts stay possible, and none and all
    if no other cell is needed to exclude them.
    """
    book.close()
    prover = _Prover(book, is_quick)
    try:
        lists = prover.lists
        if lists.by_parts() is None and lists.numbers(prover.laws) is None:
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
        if len(leaks) == (1 if is_quick else MOST_LEAKS):
            break
    n_left = len(book.claims) - len(proved) - len(leaks)
    witnesses = tuple(prover.lists.witnesses)
    leaks += prover.nearly_told(proved)
    return Proof(tuple(proved), tuple(leaks), witnesses, n_left)


class _Prover:
    """Finds what becomes of claims, by lists of numbers and by refutations."""

    def __init__(self, book: Book, is_quick: bool) -> None:
        self._book = book
        self._is_quick = is_quick
        rows = {i: row for i, row in enumerate(book.rows) if not row.is_chosen}
        self.laws = tuple(rows.values())
        self._of_cell: dict[Cell | str, list[int]] = {}
        for place, row in rows.items():
            if row.cell:
                self._of_cell.setdefault(row.cell, []).append(place)
        self._by_cells = Narrowed(book, rows)
        of_laws = {i: row for i, row in rows.items() if row.cell is None}
        self._by_laws = Narrowed(book, of_laws)
        self.lists = Lists(book, self._by_cells)

    def nearly_told(self, proved: Iterable[Proved]) -> Iterator[Leak]:
        """Yield shares of whose counts fewer than ten are left between both ends.

        An end may be out of reach by laws and the cell alone, and both together may
        leave next to nothing. Where laws alone leave no more the page tells nothing;
        and that all are in blocks of fewer than 100, as fewer are left than a larger
        block has, tells of nobody in small ones. Lists of two wholes have no counts to
        compare.
        """
        ends: dict[Cell | str, dict[str, Proved]] = {}
        for each in proved:
            ends.setdefault(each.claim.about, {})[each.claim.end] = each
        low, high = self._by_laws.ends
        for cell, (count, of) in self._book.shares.items():
            of_cell = ends.get(cell, {})
            if len(of_cell) < 2:
                continue
            least, largest = (of_cell[end].witness for end in ("least", "largest"))
            assert least is not None and largest is not None, "a share has no list"
            first, last = (self.lists.witnesses[at] for at in (least, largest))
            kind, size = self._book.names[count][0], self._book.names[count][-1]
            n_left = last[count] - first[count]
            is_few = n_left < min(FEW, high[count] - low[count])
            are_all = (kind, size, first[count]) == ("below", ENDS[-1], first[of])
            if is_few and not (are_all and n_left == 0) and first[of] == last[of]:
                yield Leak(of_cell["largest"].claim, is_narrow=True)

    def settled_by_ends(self, claims: Sequence[Claim]) -> Iterator[Proved | Leak]:
        """Yield what becomes of all claims, those of one end and value together."""
        alike: dict[tuple[str, bool], list[Claim]] = {}
        for claim in claims:
            key = claim.end, self.lists.is_of_another(claim)
            alike.setdefault(key, []).append(claim)
        for some in alike.values():
            yield from self.settled(some)

    def settled(self, claims: Iterable[Claim]) -> Iterator[Proved | Leak]:
        """Yield what becomes of claims.

        What bounds tell openly needs no witness. No claim can be nearer than bounds
        leave it by laws alone, and so it is looked for there first.
        """
        aims: list[tuple[Claim, int]] = []
        for claim in claims:
            if found := self._told_openly(claim):
                yield found
            else:
                aims.append(
                    (claim, max(claim.within, least_of(claim, self._by_laws.ends)))
                )
        at = self.lists.placed(aims)
        for place in at:
            each, aim = aims[place]
            yield self._nearest(each, aim, at[place]) or self._settled(each)
        left: list[tuple[Claim, int]] = []
        for claim, aim in (each for place, each in enumerate(aims) if place not in at):
            if claim.of is not None and (at_once := self._at_once(claim)):
                yield at_once
            else:
                left.append((claim, aim))
        if left and self.lists.near_last(left) is None:
            self.lists.anywhere(left)
        yield from self._together(left)

    def _together(self, aims: Aims) -> Iterator[Proved | Leak]:
        """Yield what becomes of claims; many that hold together need one witness."""
        if (at := self.lists.near_last(aims)) is not None:
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
        at = self.lists.anywhere([(claim, aim)])
        shown = None if at is None else self._nearest(claim, aim, at)
        return shown or self._settled(claim)

    def _settled(self, claim: Claim) -> Proved | Leak:
        """Return what becomes of a claim of which no witness was found."""
        try:
            if found := self._proved(claim):
                return found
            if self.lists.numbers([*self.laws, *claim.given, row_near(claim)]):
                return Leak(claim, is_open=True)
        except UndecidedError:
            return Leak(claim, is_open=True)
        return Leak(claim, self.cells_that_tell(claim))

    def _at_once(self, claim: Claim) -> Proved | Leak | None:
        """Return what becomes of a claim that bounds refute, if they do, by cells."""
        is_of_nobody = claim.of is not None and not self._book.low[claim.of]
        if is_of_nobody or self._is_edge(claim):
            return None
        near = dict(enumerate([row_near(claim)], len(self._book.rows)))
        shown = contradiction(self._by_cells, near)
        if shown is None:
            return None
        if claim.told_from:
            last = dict.fromkeys(near, row_near(claim, claim.told_from - 1))
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
        if self._is_edge(claim):
            return self._farther(claim)
        given, _ = self._further(claim)
        none = Proved(claim, claim.within, None)
        has_members = claim.of is None or self._book.low[claim.of]
        if not has_members and (found := self._refuted(none, self._by_cells, given)):
            return found
        own = [row for row in self.laws if row.cell in (None, claim.about)]
        best = self.lists.numbers(own, claim.distance)
        nearest = claim.distance.of(best) if best else claim.within
        if nearest > claim.within:
            rows = [*self._book.rows, *claim.given, row_near(claim, nearest)]
            far = self._nearest(claim, nearest, len(self.lists.witnesses))
            if far and self.lists.numbers(rows):
                return replace(far, witness=len(self.lists.witnesses) - 1)
            if farther := self._farther(claim):
                return farther
        return self._openly(claim)

    def _is_of_known_whole(self, claim: Claim) -> bool:
        """Say whether a claim is of a share, and it is known of how many."""
        if not isinstance(claim.about, Cell):
            return False
        _, whole = self._book.shares[claim.about]
        return self._book.low[whole] == self._book.high[whole]

    def _is_edge(self, claim: Claim) -> bool:
        """Say whether what is claimed is an edge of rounding, of a known whole."""
        return claim.within > 0 and self._is_of_known_whole(claim)

    def _farther(self, claim: Claim) -> Proved | None:
        """Return a claim as near as all cells leave it, of a known whole.

        That nothing else excludes none or all is refuted by no other cell.

        Raises
        ------
        UndecidedError
            If the solver comes to no end.
        """
        if not self._is_of_known_whole(claim):
            return None
        at = self.lists.by_parts(least=claim.distance)
        if at is None:
            best = self.lists.numbers(self._book.rows, claim.distance)
            if best is None:
                return None
            at = self.lists.witnesses.index(best)
        distance = claim.distance.of(self.lists.witnesses[at])
        far = Proved(claim, distance, at, is_end_alone=True)
        if self._is_edge(claim):
            return far
        _, near = self._further(claim)
        return self._refuted(far, self._by_laws, [*self._of_cell[claim.about], near])

    def _told_openly(self, claim: Claim) -> Proved | None:
        """Return a claim of which bounds alone say that ten or more are told."""
        if claim.told_from and least_of(claim, self._by_cells.ends) >= claim.told_from:
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
        """Return a claim with a witness, and that laws exclude what is nearer."""
        found = Proved(claim, distance, at)
        if distance <= claim.within or self._is_edge(claim):
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

    def cells_that_tell(self, claim: Claim | None) -> tuple[Cell, ...]:
        """Return cells whose rows refute a claim, or one another, none to spare."""
        if self._is_quick:
            return ()
        further = [] if claim is None else [*claim.given, row_near(claim)]
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
            return self.lists.numbers([*rows, *further]) is not None
        except UndecidedError:
            return True
