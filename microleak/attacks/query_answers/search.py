"""Values that are as was answered, and proofs that there are none or no others.

HiGHS solves what sums alone say, in floating point, which is a suggestion: proofs are
brought to whole numbers and checked, and so are values. Cases do the rest.
"""

from dataclasses import dataclass, field
from math import isqrt
from typing import Final

import highspy
import numpy as np

from microleak.attacks.query_answers.definitions import (
    LARGEST,
    LEAST,
    AnswerSystem,
    Beyond,
    BoundStep,
    MultipliedRows,
    OrderedSum,
    Point,
    SquareSum,
    StepsProof,
    ValueCases,
    contradicts,
    is_beyond,
    least_square,
)
from microleak.base.arrays import Floats, Integers
from microleak.base.highs import (
    SIMPLEX,
    new_solver,
    whole_multipliers,
    whole_solver,
)

MOST_NODES: Final = 200
"""Cases of a search, so that it ends."""

MOST_POINTS: Final = 100
"""Databases that are listed, at most."""

MOST_DEPTH: Final = 200
"""Cases within cases, at most."""

_MOST_ROUNDS = 20
_NEAR = 1e-5
_FAR = 1 << 50


@dataclass
class Narrowed:
    """Bounds that answers narrow, by steps, and an answer that they rule out."""

    system: AnswerSystem
    low: Integers
    high: Integers
    steps: list[BoundStep] = field(default_factory=list)
    beyond: int | None = None

    def __post_init__(self) -> None:
        """Narrow until nothing changes, or often enough."""
        self.low, self.high = self.system.closed(self.low, self.high)
        answers = self.system.answers
        self._waiting = set(range(len(answers)))
        n_left = _MOST_ROUNDS * len(answers)
        while self._waiting and n_left:
            number = min(self._waiting)
            self._waiting.remove(number)
            answer, n_left = answers[number], n_left - 1
            if not is_beyond(answer, self.low, self.high):
                if isinstance(answer, SquareSum):
                    self._squares(number, answer)
                else:
                    is_rank = answer.first == answer.last
                    (self._rank if is_rank else self._ranks)(number, answer)
            is_empty = (self.low > self.high).any()
            if is_empty or is_beyond(answer, self.low, self.high):
                self.beyond = number
                return
        beyond = (
            n for n in self._waiting if is_beyond(answers[n], self.low, self.high)
        )
        self.beyond = min(beyond, default=None)

    def _rank(self, number: int, answer: OrderedSum) -> None:
        """Narrow by one rank: those who can take it are counted, cell by cell."""
        members, low, high = answer.members, self.low, self.high
        to_spare = int((high[members] >= answer.low).sum())
        to_spare -= len(members) - answer.last + 1
        cells = self.system.cells_of[number]
        for cell in cells:
            value = cell.start + int((high[cell] < answer.low).sum()) + to_spare
            if value < cell.stop and low[value] < answer.low:
                self._step(BoundStep(value, LEAST, answer.low, number))
        to_spare = int((low[members] <= answer.high).sum()) - answer.first
        for cell in cells:
            value = cell.start + int((low[cell] <= answer.high).sum()) - 1 - to_spare
            if value >= cell.start and high[value] > answer.high:
                self._step(BoundStep(value, LARGEST, answer.high, number))

    def _ranks(self, number: int, answer: OrderedSum) -> None:
        """Narrow by several ranks: all others have their least, or largest, value."""
        first, last, members = answer.first, answer.last, answer.members
        rank, ranked, others = _others(self.low[members], first, last)
        above = np.where(last < rank, ranked[last], ranked[last + 1])
        most = answer.high - others
        is_bound = (most < above) & (most < self.high[members])
        for place in np.flatnonzero(is_bound)[::-1].tolist():
            if most[place] < self.high[members[place]]:
                value, bound = int(members[place]), int(most[place])
                self._step(BoundStep(value, LARGEST, bound, number))
        rank, ranked, others = _others(self.high[members], first, last)
        under = np.where(first - 1 < rank, ranked[first - 1], ranked[first])
        if first == 1:
            under[:] = -_FAR
        least = answer.low - others
        is_bound = (least > under) & (least > self.low[members])
        for place in np.flatnonzero(is_bound).tolist():
            if least[place] > self.low[members[place]]:
                value, bound = int(members[place]), int(least[place])
                self._step(BoundStep(value, LEAST, bound, number))

    def _squares(self, number: int, answer: SquareSum) -> None:
        """Narrow by the mean: all others are as near to it as they can be."""
        if answer.total is None:
            return
        n, middle = len(answer.members), sum(answer.total)
        near = [*map(least_square, answer.off_mean(self.low, self.high))]
        to_spare = 4 * n * answer.high + answer.unknown - sum(near)
        pairs = zip(answer.members.tolist(), near, strict=True)
        ends = [(value, isqrt(to_spare + each)) for value, each in pairs]
        for value, most in ends[::-1]:
            if (bound := (middle + most) // (2 * n)) < self.high[value]:
                self._step(BoundStep(value, LARGEST, bound, number))
        for value, most in ends:
            if (bound := -((most - middle) // (2 * n))) > self.low[value]:
                self._step(BoundStep(value, LEAST, bound, number))

    def _step(self, step: BoundStep) -> None:
        self.steps.append(step)
        number = self.system.cell_of[step.value]
        cell = self.system.cells[number]
        self._waiting |= self.system.answers_of[number]
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

    Without a value, ranks `first` to `last` - 1 of the others are summed. The values in
    order begin at place 1, and end with one far above.
    """
    order = np.argsort(values, kind="stable")
    rank = np.empty(len(values), dtype=np.int64)
    rank[order] = np.arange(1, len(values) + 1)
    ranked = np.concatenate([[-_FAR], values[order], [_FAR]])
    whole = ranked[first : last + 1].sum()
    return rank, ranked, whole - ranked[np.clip(rank, first, last)]


class ValueSearch:
    """Searches the values of a system within bounds."""

    def __init__(self, system: AnswerSystem, low: Integers, high: Integers) -> None:
        self._system = system
        self.root = Narrowed(system, low, high)
        self.found: list[Integers] = []
        self._rows = [(n, r) for n, r in system.rows.items() if len(r.values)]
        self._elastic = self._program(is_whole=False)
        self._whole = self._program(is_whole=True)
        self._n_left = 0

    def bound(self, value: int, sign: int) -> tuple[int, StepsProof | None, bool]:
        """Return the least or largest of a value, its proof, and whether it is exact.

        Bounds of `root` have no proof of their own, and are all if nothing is `found`.
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
            if isinstance(new, StepsProof):
                bound, proof = middle + sign, new
        return bound, proof, False

    def values(self, low: Integers, high: Integers) -> Integers | StepsProof | None:
        """Return values within bounds that fit, or a proof that there are none."""
        self._n_left = MOST_NODES
        new = self._node(low, high, 0)
        if isinstance(new, np.ndarray):
            self.found.append(new)
        return new

    def _node(
        self, low: Integers, high: Integers, depth: int
    ) -> Integers | StepsProof | None:
        self._n_left -= 1
        box = Narrowed(self._system, low, high)
        if box.beyond is not None:
            return StepsProof(tuple(box.steps), Beyond(box.beyond))
        if self._n_left < 0 or depth > MOST_DEPTH:
            return None
        reals = self._relaxed(box)
        if isinstance(reals, MultipliedRows):
            proof = StepsProof(tuple(box.steps), reals)
            return proof if contradicts(self._system, proof, low, high) else None
        values = self._rounded(reals, box)
        if self._system.fits(values):
            return values
        return self._cases(box, self._split(values, reals, box), depth + 1)

    def _relaxed(self, box: Narrowed) -> Floats | MultipliedRows:
        """Return values for which sums hold, if not whole; or rows that exclude any."""
        solver = _run(self._elastic, box)
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return box.low.astype(np.float64)
        solution = solver.getSolution()
        if solver.getInfo().objective_function_value > _NEAR:
            numbers = (number for number, _ in self._rows)
            duals = dict(zip(numbers, solution.row_dual, strict=True))
            return MultipliedRows(whole_multipliers(duals))
        return np.array(solution.col_value[: len(box.low)])

    def _rounded(self, reals: Floats, box: Narrowed) -> Integers:
        """Return whole values within bounds, for which sums hold if some are found."""
        answers = self._system.answers
        rows = [answers[n] for n, _ in self._rows if n < len(answers)]

        def whole(reals: Floats) -> Integers:
            values = np.clip(np.rint(reals).astype(np.int64), box.low, box.high)
            return self._system.closed(values, values)[0]

        values = whole(reals)
        if not all(each.low <= each.sum(values) <= each.high for each in rows):
            solution = _run(self._whole, box).getSolution()
            if solution.value_valid:
                return whole(np.array(solution.col_value))
        return values

    def _cases(
        self, box: Narrowed, split: tuple[int, int, bool] | None, depth: int
    ) -> Integers | StepsProof | None:
        if split is None:
            return None
        value, at_most, is_below_first = split
        under, above = box.high.copy(), box.low.copy()
        under[value], above[value] = at_most, at_most + 1
        sides = [(box.low, under), (above, box.high)]
        proofs = []
        for low, high in sides if is_below_first else sides[::-1]:
            new = self._node(low, high, depth)
            if not isinstance(new, StepsProof):
                return new
            proofs.append(new)
        below, beyond = proofs if is_below_first else proofs[::-1]
        return StepsProof(tuple(box.steps), ValueCases(value, at_most, below, beyond))

    def _split(
        self, values: Integers, reals: Floats, box: Narrowed
    ) -> tuple[int, int, bool] | None:
        """Return a value, where to split it, and whether what is below comes first.

        By the first answer that is missed, towards it: the first of the ranks that are
        summed is at most their mean, and the last one at least.
        """
        low, high = box.low, box.high
        missed = (
            a for a in self._system.answers if not a.low <= a.sum(values) <= a.high
        )
        answer = next(missed)
        if isinstance(answer, SquareSum):
            value = max(answer.members.tolist(), key=lambda m: high[m] - low[m])
            middle = int(low[value] + high[value]) // 2
            return (value, middle, True) if low[value] < high[value] else None
        members, n_ranks = answer.members, answer.last - answer.first + 1
        is_above = answer.sum(values) > answer.high
        ranked = np.sort(values[members])
        first, last = int(ranked[answer.first - 1]), int(ranked[answer.last - 1])
        if n_ranks <= 2:
            under, over = answer.high // n_ranks, -(-answer.low // n_ranks)
            if first > under or last < over:
                is_above = first > under
                at = under if is_above else over - 1
            else:
                at = answer.high - first if is_above else answer.low - last - 1
            spans = members[(low[members] <= at) & (high[members] > at)]
            if len(spans):
                place = np.abs(values[spans] - at).argmin()
                return int(spans[place]), at, is_above
        spans = members[low[members] < high[members]]
        if not len(spans):
            return None
        off = np.abs(reals[spans] - np.rint(reals[spans]))
        widths = high[spans] - low[spans]
        value = int(spans[off.argmax() if off.max() > _NEAR else widths.argmax()])
        at = int(np.floor(reals[value]))
        return value, int(np.clip(at, low[value], high[value] - 1)), is_above

    def _program(self, *, is_whole: bool) -> highspy.Highs:
        made = whole_solver(MOST_NODES) if is_whole else new_solver(SIMPLEX)
        n = len(self.root.low)
        made.addVars(n, self.root.low.astype(float), self.root.high.astype(float))
        if is_whole:
            kinds = np.full(n, highspy.HighsVarType.kInteger)
            made.changeColsIntegrality(n, np.arange(n, dtype=np.int32), kinds)
        for number, row in self._rows:
            values, factors = row.values.tolist(), row.factors.tolist()
            if number < len(self._system.answers) and not is_whole:
                slack = made.getNumCol()
                for place in (slack, slack + 1):
                    made.addVar(0, np.inf)
                    made.changeColCost(place, 1)
                values, factors = [*values, slack, slack + 1], [*factors, 1, -1]
            most = np.inf if row.high is None else row.high
            places = np.array(values, dtype=np.int32)
            made.addRow(row.low, most, len(values), places, np.array(factors, float))
        return made


def _run(solver: highspy.Highs, box: Narrowed) -> highspy.Highs:
    n = len(box.low)
    places = np.arange(n, dtype=np.int32)
    solver.changeColsBounds(n, places, box.low.astype(float), box.high.astype(float))
    solver.run()
    return solver


def points(
    system: AnswerSystem, low: Integers, high: Integers, most: int = MOST_POINTS
) -> tuple[list[Integers], StepsProof | None]:
    """Return values that fit, up to some number, and a proof that these are all."""
    found: list[Integers] = []
    n_left = 4 * most

    def node(low: Integers, high: Integers, depth: int) -> StepsProof | None:
        nonlocal n_left
        n_left -= 1
        if n_left < 0 or len(found) == most or depth > MOST_DEPTH:
            return None
        box = Narrowed(system, low, high)
        steps = tuple(box.steps)
        if box.beyond is not None:
            return StepsProof(steps, Beyond(box.beyond))
        open_ = np.flatnonzero(box.low < box.high)
        if not len(open_):
            found.append(box.low)
            return StepsProof(steps, Point(len(found) - 1))
        value = int(open_[0])
        at_most = int(box.low[value] + box.high[value]) // 2
        under, above = box.high.copy(), box.low.copy()
        under[value], above[value] = at_most, at_most + 1
        below = node(box.low, under, depth + 1)
        beyond = node(above, box.high, depth + 1)
        if below is None or beyond is None:
            return None
        return StepsProof(steps, ValueCases(value, at_most, below, beyond))

    return found, node(low, high, 0)
