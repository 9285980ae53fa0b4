"""Values that are as was answered, and proofs that there are none or no others.

HiGHS solves what sums alone say, in floating point, which is a suggestion: proofs are
brought to whole numbers and checked, and so are values. Cases do the rest.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Final

import highspy
import numpy as np

from microleak.attacks.query_answers.definitions.answers import (
    LARGEST,
    LEAST,
    Answer,
    Beyond,
    Cases,
    Integers,
    Point,
    Proof,
    Rows,
    Step,
    System,
    contradicts,
    is_beyond,
)
from microleak.kernels.linear_program import SETTINGS, TOLERANCE
from microleak.kernels.subset_sums import Reals

MOST_NODES: Final = 200
"""Cases of a search, so that it ends."""

MOST_POINTS: Final = 1000
"""Databases that are listed, at most."""

MOST_DEPTH: Final = 200
"""Cases within cases, at most."""

_MOST_ROUNDS = 20
_MOST_DENOMINATOR = 1000
_NEAR = 1e-5
_FAR = 1 << 50


@dataclass
class Narrowed:
    """Bounds that answers narrow, by steps, and an answer that they rule out."""

    system: System
    low: Integers
    high: Integers
    steps: list[Step] = field(default_factory=list)
    beyond: int | None = None

    def __post_init__(self) -> None:
        """Narrow until nothing changes, or often enough."""
        self.low, self.high = self.system.closed(self.low, self.high)
        for _ in range(_MOST_ROUNDS):
            n_before = len(self.steps)
            for number, answer in enumerate(self.system.answers):
                if is_beyond(answer, self.low, self.high):
                    self.beyond = number
                    return
                if answer.first == answer.last:
                    self._rank(number, answer)
                else:
                    self._ranks(number, answer)
                if (self.low > self.high).any():
                    self.beyond = number
                    return
            if len(self.steps) == n_before:
                return
        answers = enumerate(self.system.answers)
        beyond = (n for n, each in answers if is_beyond(each, self.low, self.high))
        self.beyond = next(beyond, None)

    def _rank(self, number: int, answer: Answer) -> None:
        """Narrow by one rank: those who can take it are counted, cell by cell."""
        members, low, high = answer.members, self.low, self.high
        to_spare = int((high[members] >= answer.low).sum())
        to_spare -= len(members) - answer.last + 1
        for cell in self._cells(answer):
            value = cell.start + int((high[cell] < answer.low).sum()) + to_spare
            if value < cell.stop and low[value] < answer.low:
                self._step(Step(value, LEAST, answer.low, number))
        to_spare = int((low[members] <= answer.high).sum()) - answer.first
        for cell in self._cells(answer):
            value = cell.start + int((low[cell] <= answer.high).sum()) - 1 - to_spare
            if value >= cell.start and high[value] > answer.high:
                self._step(Step(value, LARGEST, answer.high, number))

    def _cells(self, answer: Answer) -> list[slice]:
        is_asked = np.zeros(len(self.low), dtype=bool)
        is_asked[answer.members] = True
        cells = self.system.cells
        return [c for c in cells if c.start < c.stop and is_asked[c.start]]

    def _ranks(self, number: int, answer: Answer) -> None:
        """Narrow by several ranks: all others have their least, or largest, value."""
        first, last, members = answer.first, answer.last, answer.members
        rank, ranked, others = _others(self.low[members], first, last)
        above = np.where(last < rank, ranked[last], ranked[last + 1])
        most = answer.high - others
        is_bound = (most < above) & (most < self.high[members])
        for place in np.flatnonzero(is_bound)[::-1].tolist():
            if most[place] < self.high[members[place]]:
                value, bound = int(members[place]), int(most[place])
                self._step(Step(value, LARGEST, bound, number))
        rank, ranked, others = _others(self.high[members], first, last)
        under = np.where(first - 1 < rank, ranked[first - 1], ranked[first])
        if first == 1:
            under[:] = -_FAR
        least = answer.low - others
        is_bound = (least > under) & (least > self.low[members])
        for place in np.flatnonzero(is_bound).tolist():
            if least[place] > self.low[members[place]]:
                value, bound = int(members[place]), int(least[place])
                self._step(Step(value, LEAST, bound, number))

    def _step(self, step: Step) -> None:
        self.steps.append(step)
        cell = next(c for c in self.system.cells if step.value < c.stop)
        if step.sign == LEAST:
            part = self.low[step.value : cell.stop]
            np.maximum(part, step.bound, out=part)
        else:
            part = self.high[cell.start : step.value + 1]
            np.minimum(part, step.bound, out=part)


def _others(
    values: Integers, first: int, last: int
) -> tuple[Integers, Integers, Integers]:
    """Return the rank of each value, values in order, and what all others add up to.

    They have one rank less: without a value, ranks `first` to `last` - 1 of the others
    are summed. The values in order begin at place 1, and end with one far above.
    """
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(1, len(values) + 1)
    ranked = np.concatenate([[-_FAR], values[order], [_FAR]])
    whole = ranked[first : last + 1].sum()
    return rank, ranked, whole - ranked[np.clip(rank, first, last)]


class Search:
    """Searches the values of a system within bounds.

    Parameters
    ----------
    system
        Values and answers.
    low, high
        What the values can be at all, before anything is answered.
    """

    def __init__(self, system: System, low: Integers, high: Integers) -> None:
        self._system = system
        self.root = Narrowed(system, low, high)
        self.found: list[Integers] = []
        self._rows = [(n, r) for n, r in system.rows.items() if len(r.values)]
        self._solver = self._elastic()
        self._n_left = 0

    def bound(self, value: int, sign: int) -> tuple[int, Proof | None, bool]:
        """Return the least or largest of a value, its proof, and whether it is exact.

        Bounds of `root` have no proof of their own. `found` must not be empty, or the
        bound is that of `root`.
        """
        side = self.root.low if sign == LEAST else self.root.high
        bound, proof = int(side[value]), None
        while self.found:
            taken = sign * min(sign * int(each[value]) for each in self.found)
            if taken == bound:
                return bound, proof, True
            middle = (bound + taken) // 2 if sign == LEAST else -(-(bound + taken) // 2)
            low, high = self.root.low.copy(), self.root.high.copy()
            (high if sign == LEAST else low)[value] = middle
            new = self.values(low, high)
            if new is None:
                break
            if isinstance(new, Proof):
                bound, proof = middle + sign, new
        return bound, proof, False

    def values(self, low: Integers, high: Integers) -> Integers | Proof | None:
        """Return values within bounds that fit, a proof that there are none, or None.

        Values are added to `found`.
        """
        self._n_left = MOST_NODES
        new = self._node(low, high, 0)
        if isinstance(new, np.ndarray):
            self.found.append(new)
        return new

    def _node(
        self, low: Integers, high: Integers, depth: int
    ) -> Integers | Proof | None:
        self._n_left -= 1
        box = Narrowed(self._system, low, high)
        if box.beyond is not None:
            return Proof(tuple(box.steps), Beyond(box.beyond))
        if self._n_left < 0 or depth > MOST_DEPTH:
            return None
        reals = self._relaxed(box)
        if isinstance(reals, Rows):
            proof = Proof(tuple(box.steps), reals)
            return proof if contradicts(self._system, proof, low, high) else None
        values = np.clip(np.rint(reals).astype(np.int64), box.low, box.high)
        values, _ = self._system.closed(values, values)
        if self._system.fits(values):
            return values
        return self._cases(box, self._split(values, reals, box), depth + 1)

    def _relaxed(self, box: Narrowed) -> Reals | Rows:
        """Return values for which sums hold, if not whole; or rows that exclude any."""
        solver, n = self._solver, len(box.low)
        places = np.arange(n, dtype=np.int32)
        bounds = box.low.astype(np.float64), box.high.astype(np.float64)
        solver.changeColsBounds(n, places, *bounds)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return bounds[0]
        solution = solver.getSolution()
        if solver.getInfo().objective_function_value > _NEAR:
            return Rows(self._multipliers(solution.row_dual))
        return np.array(solution.col_value[:n])

    def _cases(
        self, box: Narrowed, split: tuple[int, int] | None, depth: int
    ) -> Integers | Proof | None:
        """Search where a value is at most so large; if that is refuted, where not."""
        if split is None:
            return None
        value, at_most = split
        under, above = box.high.copy(), box.low.copy()
        under[value], above[value] = at_most, at_most + 1
        first = self._node(box.low, under, depth)
        if not isinstance(first, Proof):
            return first
        second = self._node(above, box.high, depth)
        if not isinstance(second, Proof):
            return second
        return Proof(tuple(box.steps), Cases(value, at_most, first, second))

    def _split(
        self, values: Integers, reals: Reals, box: Narrowed
    ) -> tuple[int, int] | None:
        """Return a value and where to split it, by the first answer that is missed."""
        low, high = box.low, box.high
        missed = (
            a for a in self._system.answers if not a.low <= a.sum(values) <= a.high
        )
        answer = next(missed)
        members = answer.members
        if answer.first == answer.last:
            is_above = answer.sum(values) > answer.high
            at = answer.high if is_above else answer.low - 1
            spans = members[(low[members] <= at) & (high[members] > at)]
            if len(spans):
                place = np.abs(values[spans] - at).argmin()
                return int(spans[place]), at
        spans = members[low[members] < high[members]]
        if not len(spans):
            return None
        off = np.abs(reals[spans] - np.rint(reals[spans]))
        widths = high[spans] - low[spans]
        value = int(spans[off.argmax() if off.max() > _NEAR else widths.argmax()])
        at = int(np.floor(reals[value]))
        return value, int(np.clip(at, low[value], high[value] - 1))

    def _multipliers(self, duals: list[float]) -> dict[int, int]:
        """Return multipliers of rows in whole numbers."""
        given = {
            number: Fraction(dual).limit_denominator(_MOST_DENOMINATOR)
            for (number, _), dual in zip(self._rows, duals, strict=True)
            if abs(dual) > TOLERANCE
        }
        scale = lcm(*(each.denominator for each in given.values()))
        return {number: int(each * scale) for number, each in given.items() if each}

    def _elastic(self) -> highspy.Highs:
        """Return the program of how far rows of answers are violated."""
        solver: highspy.Highs = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, setting in SETTINGS.items():
            solver.setOptionValue(name, setting)
        n = len(self.root.low)
        solver.addVars(n, self.root.low.astype(float), self.root.high.astype(float))
        for number, row in self._rows:
            values, factors = row.values.tolist(), row.factors.tolist()
            if number < len(self._system.answers):
                slack = solver.getNumCol()
                for _ in range(2):
                    solver.addVar(0, np.inf)
                    solver.changeColCost(solver.getNumCol() - 1, 1)
                values, factors = [*values, slack, slack + 1], [*factors, 1, -1]
            most = np.inf if row.high is None else row.high
            places = np.array(values, dtype=np.int32)
            solver.addRow(row.low, most, len(values), places, np.array(factors, float))
        return solver


def points(
    system: System, low: Integers, high: Integers, most: int = MOST_POINTS
) -> tuple[list[Integers], Proof | None]:
    """Return values that fit, up to some number, and a proof that these are all.

    There is no proof if there are more, or they may be.
    """
    found: list[Integers] = []
    n_left = 4 * most

    def node(low: Integers, high: Integers, depth: int) -> Proof | None:
        nonlocal n_left
        n_left -= 1
        if n_left < 0 or len(found) == most or depth > MOST_DEPTH:
            return None
        box = Narrowed(system, low, high)
        steps = tuple(box.steps)
        if box.beyond is not None:
            return Proof(steps, Beyond(box.beyond))
        open_ = np.flatnonzero(box.low < box.high)
        if not len(open_):
            found.append(box.low)
            return Proof(steps, Point(len(found) - 1))
        value = int(open_[0])
        at_most = int(box.low[value] + box.high[value]) // 2
        under, above = box.high.copy(), box.low.copy()
        under[value], above[value] = at_most, at_most + 1
        below = node(box.low, under, depth + 1)
        beyond = node(above, box.high, depth + 1)
        if below is None or beyond is None:
            return None
        return Proof(steps, Cases(value, at_most, below, beyond))

    return found, node(low, high, 0)
