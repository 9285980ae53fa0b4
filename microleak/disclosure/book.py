"""What a reader of published shares knows: whole numbers, and rows that bound them.

Everything is an integer program whose points are what the reader holds possible. Each
published share is two of its rows, and what must stay possible is a claim about it
(docs/decisions/0027-public-proof.md).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from microleak.disclosure.rounding import STEPS, members_of

if TYPE_CHECKING:
    from microleak.disclosure.guesses import Guesses

FEW: Final = 9
"""Counts up to it are small: none of them is told from another, nor from 0."""

Key = tuple[Any, ...]
"""What a number counts; numbers of the same key are the same."""


class Cell(NamedTuple):
    """A published number: its table, its line (1 is the header) and its column."""

    table: str
    line: int
    column: str

    def __str__(self) -> str:
        """Write it as a message does."""
        return f"{self.table}, line {self.line}, {self.column}"


class Sum(NamedTuple):
    """A constant and a sum of numbers, each times a whole factor."""

    factors: Mapping[int, int]
    constant: int = 0

    def of(self, values: Sequence[int]) -> int:
        """Return what it comes to."""
        terms = (factor * values[n] for n, factor in self.factors.items())
        return self.constant + sum(terms)


class Row(NamedTuple):
    """A sum that is 0 or more.

    Attributes
    ----------
    sum
        The sum.
    cell
        The cell that says so; None if it is a law.
    is_chosen
        Whether it need not hold: what stays possible is shown by numbers for which it
        does, and nothing is refuted by it.
    """

    sum: Sum
    cell: Cell | None = None
    is_chosen: bool = False


@dataclass(frozen=True)
class Claim:
    """That something stays possible.

    Attributes
    ----------
    about
        The cell, or words for a number that no cell shows, without a value of it.
    end
        What stays possible: `least`, `largest`, `none`, `few`, `all` or `nearly all`.
    distance
        How far off it is, 0 or more by the rows of the cell itself.
    within
        The largest distance at which the claim holds.
    told_from
        Smallest distance that may be told openly: who knows that ten persons or more
        have something knows nothing of few. None if no distance may be.
    of
        The members of the group that it is about, which are presumed to be some; None
        if it is about no group.
    """

    about: Cell | str
    end: str
    distance: Sum
    within: int = 0
    told_from: int | None = None
    of: int | None = None

    @property
    def given(self) -> tuple[Row, ...]:
        """What is presumed: that its group has members."""
        return () if self.of is None else (Row(Sum({self.of: 1}, -1)),)


@dataclass
class Book:
    """Numbers, rows and claims, in the order in which they were written.

    Attributes
    ----------
    most
        No number is larger.
    names
        Key of each number.
    low, high
        Bounds of each number.
    rows, claims
        Rows and claims.
    faults
        What is not in the public form, by where it is.
    sizes
        Members of groups that the reader knows, by release, grouping and value.
    where
        What stands before the names of tables, to tell two reports apart.
    finest
        The finest step of the report that is being written: its shares may be of any
        more records.
    later
        What writes rows when all tables are written, and what it needs of each.
    parts
        Numbers of right guesses that follow from others.
    shares
        Of each cell with a share the number that it counts, and of how many.
    """

    most: int
    names: list[Key] = field(default_factory=list)
    low: list[int] = field(default_factory=list)
    high: list[int] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    sizes: Mapping[Key, Mapping[str, Mapping[str, int]]] = field(default_factory=dict)
    where: str = ""
    finest: int = 0
    later: dict[Callable[["Book", Sequence[Any]], None], list[Any]] = field(
        default_factory=dict
    )
    parts: list["Guesses"] = field(default_factory=list)
    shares: dict[Cell, tuple[int, int]] = field(default_factory=dict)
    _places: dict[Key, int] = field(default_factory=dict)
    _of_kind: dict[object, list[int]] = field(default_factory=dict)

    def __contains__(self, key: Key) -> bool:
        """Say whether there is a number of a key."""
        return key in self._places

    def number(self, *key: object, low: int = 0, high: int | None = None) -> int:
        """Return the number of a key, which is new if there is none yet."""
        if key not in self._places:
            self._places[key] = len(self.names)
            self._of_kind.setdefault(key[0], []).append(len(self.names))
            self.names.append(key)
            self.low.append(low)
            self.high.append(self.most if high is None else min(high, self.most))
        return self._places[key]

    def cell(self, table: str, line: int, column: str) -> Cell:
        """Return a cell of the report that is being written."""
        return Cell(f"{self.where}{table}", line, column)

    def fault(self, table: str, said: str) -> None:
        """Note what is not in the public form."""
        self.faults.append(f"{self.where}{table}{said}")

    def close(self) -> None:
        """Write what is only known with all tables."""
        while self.later:
            write, told = self.later.popitem()
            write(self, told)

    def fix(self, number: int, low: int, high: int) -> None:
        """Narrow the bounds of a number to what the reader knows."""
        self.low[number] = max(low, self.low[number])
        self.high[number] = min(high, self.high[number])

    def of_kind(self, *beginning: object) -> Iterator[tuple[Key, int]]:
        """Yield the numbers whose key begins so."""
        n = len(beginning)
        for number in self._of_kind.get(beginning[0], ()):
            if (key := self.names[number])[:n] == beginning:
                yield key, number

    def hold(
        self, factors: Mapping[int, int], constant: int = 0, cell: Cell | None = None
    ) -> None:
        """Hold a sum at 0 or more."""
        self.rows.append(Row(Sum(factors, constant), cell))

    def choose(self, factors: Mapping[int, int], constant: int = 0) -> None:
        """Look only for numbers for which a sum is 0 or more, as surely possible."""
        self.rows.append(Row(Sum(factors, constant), is_chosen=True))

    def equal(self, parts: Iterable[int], whole: int) -> None:
        """Hold numbers to add up to another one."""
        factors = dict.fromkeys(parts, 1)
        factors[whole] = factors.get(whole, 0) - 1
        self.hold(factors)
        self.hold({number: -factor for number, factor in factors.items()})

    def none_or(self, factors: Mapping[int, int], least: int, *key: object) -> int:
        """Hold a sum of numbers to be 0, or at least so many; return which it is."""
        some = self.number(*key, high=1)
        self.hold({**factors, some: -least})
        self.hold({**{n: -factor for n, factor in factors.items()}, some: self.most})
        return some

    def share(self, count: int, of: int, pct: float, step: float, cell: Cell) -> None:
        """Write a published share, and that its count may be anything that rounds so.

        Counts round as `microleak.disclosure.rounding.percent` rounds them, half up.
        """
        if step not in STEPS or pct not in range(0, 101, int(step)):
            self.faults.append(f"{cell}: no share in steps of the public form")
            return
        self.shares[cell] = count, of
        pct, step = int(pct), int(step)
        fewest, most = members_of(step)
        self.hold({of: 1}, -fewest, cell)
        if most is not None and step > self.finest:
            self.hold({of: -1}, most, cell)
        above = Sum({count: 200, of: step - 2 * pct})
        below = Sum({count: -200, of: 2 * pct + step}, -1)
        self.hold({of: 1, count: -1})
        self.rows += [Row(above, cell), Row(below, cell)]
        within = 199
        if 2 * pct <= step:
            above, within = Sum({count: 1}), 0
        self.claims.append(Claim(cell, "least", above, within))
        within = 199
        if 2 * pct + step > 200:
            below, within = Sum({of: 1, count: -1}), 0
        self.claims.append(Claim(cell, "largest", below, within))

    def hidden(self, count: int, of: int, name: str) -> None:
        """Claim that of a group nobody, few, all but few and all stay possible."""
        few = min(FEW, self.high[of])
        for end, one in (("none", Sum({count: 1})), ("all", Sum({of: 1, count: -1}))):
            factors = {n: -factor for n, factor in one.factors.items()}
            other = Sum(factors, few)
            most = "few" if end == "none" else "nearly all"
            self.claims += [
                Claim(name, end, one, 0, FEW + 1, of),
                Claim(name, most, other, 0, None, of),
            ]
