"""What aggregate answers say of values, and proofs that something contradicts them.

Sum, mean, median, maximum and minimum are all sums of some of the values in their
order: of n values a sum is that from the 1st to the n-th, a maximum the n-th, a median
the middle one or two. Such a sum never falls where a value rises, so that values within
bounds contradict an answer if the least ones are above it, or the largest below.
A variance is a sum of squares, bounded by how far values can be from one another, and
from their mean if that was answered, too. Proofs are whole numbers, and are checked
here without a solver.

Auditors that refuse queries, and what answers and refusals tell.

Someone who knows no value, but the auditor's rule, sees answers and refusals. A value
is disclosed if it is the same in every table that these allow (full disclosure). Tables
are all that values within bounds form, so that what each allows is known exactly.

- An auditor of *answers* refuses a query whose true answer, with the answers before,
  would disclose a value. It looks at the data, so that its refusals tell: tables that
  would have been answered are ruled out.
- A *simulatable* auditor refuses a query if an answer that the answers before allow
  would disclose one, or would in too many tables. Whoever asks could decide the same,
  so that refusals tell nothing (Kenthapadi, Mishra and Nissim 2005). Within bounds the
  least and the largest answer always disclose, so that it answers nothing unless some
  risk is tolerated. A value that the answers before disclose is no reason to refuse.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Integers

LEAST, LARGEST = 1, -1
"""Which bound of a value is meant."""

MOST_OF_MULTIPLIER: Final = 1 << 40


@dataclass(frozen=True)
class OrderedSum:
    """The sum of some of the values in their order lies between whole numbers."""

    # Numbers of the values that are asked of, sorted; whole cells.
    members: Integers
    # Ranks that are summed, from 1 to the number of members.
    first: int
    last: int
    # Least and largest sum; there is none if `low` is above.
    low: int
    high: int

    def sum(self, values: Integers) -> int:
        """Return what is answered of values.

        >>> median = OrderedSum(np.array([0, 1, 2]), 2, 2, 30, 30)
        >>> median.sum(np.array([84, 18, 30]))
        30
        """
        ranked = np.sort(values[self.members])
        return int(ranked[self.first - 1 : self.last].sum())

    def reach(self, low: Integers, high: Integers) -> tuple[int, int]:
        """Return the least and the largest sum of values within bounds."""
        return self.sum(low), self.sum(high)


@dataclass(frozen=True)
class SquareSum:
    """The squares of all differences of two values add up to between whole numbers.

    Of n values that is n**2 times their variance.
    """

    members: Integers
    # Least and largest sum of squares
    low: int
    high: int
    # Least and largest sum of the values, if that was answered, too
    total: tuple[int, int] | None

    def sum(self, values: Integers) -> int:
        """Return what is answered of values.

        >>> SquareSum(np.arange(3), 0, 9, None).sum(np.array([1, 2, 4]))
        14
        """
        of = [int(values[member]) for member in self.members]
        return len(of) * sum(each**2 for each in of) - sum(of) ** 2

    def reach(self, low: Integers, high: Integers) -> tuple[int, int]:
        """Return numbers that the sum of values within bounds is not below, nor above.

        Both are the sum if bounds leave one value each.

        >>> box = np.array([0, 3]), np.array([9, 4])
        >>> SquareSum(np.arange(2), 0, 9, (10, 10)).reach(*box)
        (2, 36)
        """
        # In Python: squares of a billion with six digits need more than 64 bits.
        ends = [(int(low[m]), int(high[m])) for m in self.members]
        pairs = [(a - d, b - c) for (a, b), (c, d) in combinations(ends, 2)]
        least, largest = sum(map(least_square, pairs)), sum(map(_largest_square, pairs))
        if self.total and ends:
            n, off = len(ends), self.off_mean(low, high)
            near = sum(map(least_square, off)) - self.unknown
            least = max(least, -(-near // (4 * n)))
            largest = min(largest, sum(map(_largest_square, off)) // (4 * n))
        return least, largest

    def off_mean(self, low: Integers, high: Integers) -> list[tuple[int, int]]:
        """Return between what each value less the mean is, times 2 n.

        The mean is the middle of its range.
        """
        n, middle = len(self.members), sum(self.total or ())
        ends = ((low[m], high[m]) for m in self.members)
        return [(2 * n * int(a) - middle, 2 * n * int(b) - middle) for a, b in ends]

    @property
    def unknown(self) -> int:
        """By how much the squares of distances from the mean may be too large."""
        low, high = self.total or (0, 0)
        return len(self.members) * (high - low) ** 2


def least_square(ends: tuple[int, int]) -> int:
    """Return the least square of a number between two ends."""
    return max(0, ends[0], -ends[1]) ** 2


def _largest_square(ends: tuple[int, int]) -> int:
    return max(end**2 for end in ends)


Answer: TypeAlias = OrderedSum | SquareSum


@dataclass(frozen=True)
class WeightedSum:
    """A sum of values, each times a factor, lies between whole numbers.

    None is no bound.
    """

    values: Integers
    factors: Integers
    low: int
    high: int | None


@dataclass(frozen=True)
class AnswerSystem:
    """Values of some cells, and what is answered of them."""

    # How many values each cell has. They are numbered cell by cell, and sorted within
    # each, as it is not known whose they are.
    sizes: tuple[int, ...]
    # The answers.
    answers: tuple[Answer, ...]

    @cached_property
    def cells(self) -> list[slice]:
        """The values of each cell."""
        ends = np.cumsum((0, *self.sizes)).tolist()
        return [slice(*each) for each in pairwise(ends)]

    @cached_property
    def cell_of(self) -> list[int]:
        """The cell of each value."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes).tolist()

    @cached_property
    def cells_of(self) -> list[list[slice]]:
        """The cells of each answer that have values."""
        numbers = [sorted({self.cell_of[m] for m in a.members}) for a in self.answers]
        return [[self.cells[cell] for cell in each] for each in numbers]

    @cached_property
    def answers_of(self) -> list[set[int]]:
        """The answers of each cell."""
        answers = list(enumerate(self.cells_of))
        return [{n for n, cells in answers if cell in cells} for cell in self.cells]

    @cached_property
    def rows(self) -> dict[int, WeightedSum]:
        """What can be said by sums of fixed values, by number.

        That of an answer has its number, if it sums all values or is of one cell. Then
        comes, for each value but the last of a cell, that the next one is not below.
        """
        found = {}
        starts = {cell.start: cell.stop for cell in self.cells}
        for number, each in enumerate(self.answers):
            if isinstance(each, SquareSum):
                continue
            n = len(each.members)
            is_cell = n > 0 and starts.get(int(each.members[0])) == each.members[-1] + 1
            if (each.first, each.last) == (1, n) or is_cell:
                summed = each.members[each.first - 1 : each.last]
                ones = np.ones(len(summed), dtype=np.int64)
                found[number] = WeightedSum(summed, ones, each.low, each.high)
        for cell in self.cells:
            for value in range(cell.start, cell.stop - 1):
                pair = np.array([value, value + 1])
                number = len(self.answers) + value
                found[number] = WeightedSum(pair, np.array([-1, 1]), 0, None)
        return found

    def closed(self, low: Integers, high: Integers) -> tuple[Integers, Integers]:
        """Return bounds as far as the order within cells narrows them.

        >>> bounds = AnswerSystem((2,), ()).closed(np.array([3, 0]), np.array([9, 7]))
        >>> [each.tolist() for each in bounds]
        [[3, 3], [7, 7]]
        """
        low, high = low.copy(), high.copy()
        for cell in self.cells:
            low[cell] = np.maximum.accumulate(low[cell])
            high[cell] = np.minimum.accumulate(high[cell][::-1])[::-1]
        return low, high

    def fits(self, values: Integers) -> bool:
        """Whether values, sorted within cells, are as was answered."""
        return all(each.low <= each.sum(values) <= each.high for each in self.answers)


@dataclass(frozen=True)
class Beyond:
    """A contradiction: an answer that the bounds alone rule out."""

    answer: int


@dataclass(frozen=True)
class MultipliedRows:
    """A contradiction by a multiplier for each of some rows."""

    multipliers: Mapping[int, int]


@dataclass(frozen=True)
class ValueCases:
    """A contradiction where a value is at most so large, and one where it is larger."""

    value: int
    at_most: int
    below: "StepsProof"
    above: "StepsProof"


@dataclass(frozen=True)
class Point:
    """No contradiction: values of which the bounds leave nothing else are listed."""

    number: int


@dataclass(frozen=True)
class BoundStep:
    """A bound of a value, as the answer contradicts what is beyond it."""

    value: int
    sign: int
    bound: int
    answer: int


@dataclass(frozen=True)
class StepsProof:
    """Steps that narrow bounds, one after the other, and then a contradiction.

    With `Point` among its ends it proves that there are no values but those listed.
    """

    steps: tuple[BoundStep, ...]
    end: Beyond | MultipliedRows | ValueCases | Point


def contradicts(
    system: AnswerSystem, proof: StepsProof, low: Integers, high: Integers
) -> bool:
    """Whether a proof shows that no values within bounds are as was answered.

    Parameters
    ----------
    system
        The values and answers.
    proof
        The proof.
    low, high
        Bounds of each value, shape (n_values,).

    Examples
    --------
    Three people are 44 on average, and half of them 30 or less. The oldest is 72 or
    more: if they are 71 at most, the sum is up to 30 + 30 + 71.

    >>> three = np.arange(3)
    >>> answers = OrderedSum(three, 1, 3, 132, 132), OrderedSum(three, 2, 2, 30, 30)
    >>> system = AnswerSystem((3,), answers)
    >>> proof = StepsProof((BoundStep(1, LARGEST, 30, 1),), Beyond(0))
    >>> contradicts(system, proof, np.zeros(3, int), np.array([125, 125, 71]))
    True
    >>> contradicts(system, proof, np.zeros(3, int), np.array([125, 125, 72]))
    False
    """
    bounds = narrowed(system, proof.steps, low, high)
    if bounds is None:
        return False
    low, high = bounds
    if (low > high).any():
        return True
    end = proof.end
    if isinstance(end, ValueCases):
        below, above = high.copy(), low.copy()
        below[end.value] = min(high[end.value], end.at_most)
        above[end.value] = max(low[end.value], end.at_most + 1)
        return contradicts(system, end.below, low, below) and contradicts(
            system, end.above, above, high
        )
    if isinstance(end, Point):
        return False
    if isinstance(end, Beyond):
        return is_beyond(system.answers[end.answer], low, high)
    return _exceeds(system, end.multipliers, low, high)


def narrowed(
    system: AnswerSystem, steps: Sequence[BoundStep], low: Integers, high: Integers
) -> tuple[Integers, Integers] | None:
    """Return bounds that steps narrow, or None if one of them does not hold."""
    low, high = system.closed(low, high)
    for step in steps:
        beyond_low, beyond_high = low.copy(), high.copy()
        if step.sign == LARGEST:
            beyond_low[step.value] = max(low[step.value], step.bound + 1)
            high[step.value] = min(high[step.value], step.bound)
        else:
            beyond_high[step.value] = min(high[step.value], step.bound - 1)
            low[step.value] = max(low[step.value], step.bound)
        beyond = system.closed(beyond_low, beyond_high)
        if (beyond[0] <= beyond[1]).all() and not is_beyond(
            system.answers[step.answer], *beyond
        ):
            return None
        low, high = system.closed(low, high)
    return low, high


def is_beyond(answer: Answer, low: Integers, high: Integers) -> bool:
    """Whether no values within bounds can have an answer."""
    least, largest = answer.reach(low, high)
    return largest < answer.low or least > answer.high


def _exceeds(
    system: AnswerSystem, multipliers: Mapping[int, int], low: Integers, high: Integers
) -> bool:
    """Whether rows sum up to more than values can (Farkas' lemma)."""
    total = 0
    factors = np.zeros(len(low), dtype=np.int64)
    for number, multiplier in multipliers.items():
        row = system.rows.get(number)
        side = None if row is None else row.low if multiplier > 0 else row.high
        if row is None or side is None or abs(multiplier) >= MOST_OF_MULTIPLIER:
            return False
        total += multiplier * side
        factors[row.values] += multiplier * row.factors
    most = np.where(factors > 0, high, low)
    pairs = zip(factors.tolist(), most.tolist(), strict=True)
    return bool(total > sum(factor * value for factor, value in pairs))


def written(proof: StepsProof) -> Iterator[tuple[str, object]]:
    """Yield a proof as keys and values that JSON can have."""
    yield "steps", [[s.value, s.sign, s.bound, s.answer] for s in proof.steps]
    if isinstance(proof.end, Beyond):
        yield "answer", proof.end.answer
    elif isinstance(proof.end, Point):
        yield "point", proof.end.number
    elif isinstance(proof.end, MultipliedRows):
        yield "rows", {str(row): n for row, n in proof.end.multipliers.items()}
    else:
        yield "cases", [proof.end.value, proof.end.at_most]
        yield "below", dict(written(proof.end.below))
        yield "above", dict(written(proof.end.above))


Auditor: TypeAlias = Literal["none", "answers", "simulatable"]
AUDITORS: Final[tuple[Auditor, ...]] = ("none", "answers", "simulatable")

PossibleTables: TypeAlias = NDArray[np.int64]
"""Values of the records of each table, shape (n_tables, n_records)."""


class Query(NamedTuple):
    """The `sum`, `max` or `min` of the values of some records."""

    kind: str
    records: tuple[int, ...]

    def answers(self, tables: PossibleTables) -> NDArray[np.int64]:
        """Return the answer of each table, shape (n_tables,)."""
        asked = tables[:, self.records]
        found: NDArray[np.int64] = getattr(asked, self.kind)(axis=1)
        return found


@dataclass(frozen=True)
class Session:
    """What came of queries."""

    # Queries that were refused.
    n_refused: int
    # Records whose value is disclosed by the answers, as if nothing else were known.
    by_answers: tuple[int, ...]
    # Records whose value is disclosed by answers and refusals.
    by_all: tuple[int, ...]


def every_table(n_records: int, n_values: int) -> PossibleTables:
    """Return all tables of so many records with values from 0 to `n_values` - 1."""
    return np.indices((n_values,) * n_records).reshape(n_records, -1).T


def disclosing(tables: PossibleTables, answers: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return of which tables the answer would disclose a value, shape (n_tables,).

    A value that is the same in all tables is known before, so that it does not count.

    >>> tables = every_table(2, 2)
    >>> disclosing(tables, tables.sum(axis=1)).tolist()
    [True, False, False, True]
    """
    n_answers, n_values = int(answers.max()) + 1, int(tables.max()) + 1
    found = np.zeros(n_answers, dtype=bool)
    for record in np.flatnonzero((tables != tables[0]).any(axis=0)):
        values = tables[:, record]
        pairs = np.bincount(answers * n_values + values, minlength=n_answers * n_values)
        found |= (pairs.reshape(n_answers, n_values) > 0).sum(axis=1) == 1
    return found[answers]


def known(tables: PossibleTables) -> tuple[int, ...]:
    """Return the records whose value is the same in all tables."""
    return tuple(np.flatnonzero((tables == tables[0]).all(axis=0)).tolist())


def session(
    truth: Sequence[int],
    queries: Sequence[Query],
    n_values: int,
    auditor: Auditor,
    tolerated_pct: int = 0,
) -> Session:
    """Return what queries tell of a table.

    Parameters
    ----------
    truth
        The value of each record, from 0 to `n_values` - 1.
    queries
        What is asked, one after the other.
    n_values
        How many values a record can have.
    auditor
        Who answers: all queries if `none`.
    tolerated_pct
        The simulatable auditor refuses if more percent of the tables would disclose.

    Examples
    --------
    Two persons have 0 or 1, and 0 both. The auditor of answers refuses their sum, which
    would be 0; so it is 0 or 2. Then it refuses their largest value, too, as it is 0: 2
    is ruled out, as a sum of 1 would have been answered.

    >>> asked = [Query("sum", (0, 1)), Query("max", (0, 1))]
    >>> session([0, 0], asked, 2, "answers")
    Session(n_refused=2, by_answers=(), by_all=(0, 1))
    >>> session([0, 0], asked, 2, "simulatable")
    Session(n_refused=2, by_answers=(), by_all=())
    """
    # What answers allow, and of these what refusals allow, too.
    tables = every_table(len(truth), n_values)
    is_left = np.ones(len(tables), dtype=bool)
    here = np.array([truth], dtype=np.int64)
    n_refused = 0
    for query in queries:
        answers = query.answers(tables)
        answer = query.answers(here)[0]
        would = disclosing(tables, answers) if auditor != "none" else is_left
        if auditor == "answers" and would[answers == answer][0]:
            is_left &= would
            n_refused += 1
        elif auditor == "simulatable" and (
            100 * int(would.sum()) > tolerated_pct * len(tables)
        ):
            n_refused += 1
        else:
            is_same = answers == answer
            tables, is_left = tables[is_same], is_left[is_same]
    return Session(n_refused, known(tables), known(tables[is_left]))
