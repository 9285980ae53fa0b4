"""How many assignments of a block's values to its records let a finer node hold.

The release shows of each block of the answer which values its records have, and not
which of them has which. A finer node divides the block into parts, whose sizes are
known as the QIDs are. Parts are filled one after another by the records of each value
that are left. Without a bound of right guesses, and if no part needs more than two
values, only pure parts matter: inclusion and exclusion takes each part as any, or as
one of a single value, and those that are left may have any part. Else each part is
filled in all ways.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import comb, factorial, gcd, prod
from operator import add, mul

MOST_OF_BLOCK = 200_000
"""Steps up to which the assignments of a block are counted; one fills a part in one
way."""

MOST_RECORDS, MOST_PARTS = 5_000, 100
"""Records of a block, and parts or values of it, up to which these are."""

PartSizes = tuple[int, ...]
AssignmentState = tuple[int, int]
"""Records that are certain, and those that are guessed right; 0 without a bound."""

WaysByState = Mapping[AssignmentState, int]
"""How many assignments there are, by the state that they have."""


class TooMuchError(Exception):
    """The assignments are more than are counted."""


@dataclass
class StepBudget:
    """Counts steps up to a bound."""

    most: int
    n_done: int = 0

    def spend(self, n: int) -> None:
        """Count steps; refuse those beyond the bound."""
        self.n_done += n
        if self.n_done > self.most:
            raise TooMuchError


@dataclass(frozen=True)
class Bounds:
    """What a node must keep to, of one sensitive attribute."""

    distinct: int = 1
    """Values that every block must have (*l*); 1 is no bound."""
    certain: int | None = None
    right: int | None = None
    """Records of which the value may be certain, and may be guessed right, at most."""

    @property
    def is_of_pure(self) -> bool:
        """Whether all that matters is which parts have a single value."""
        return self.distinct <= 2 and self.right is None

    def pure(self, part: int) -> dict[AssignmentState, int]:
        """Return what a pure part counts beside any part: it has its own state."""
        if self.distinct > 1:
            return {(0, 0): -1}
        return {(0, 0): -1, (part, 0): 1}

    def state(self, filling: Sequence[int]) -> AssignmentState | None:
        """Return the state of a part with so many records of each value, if it may be.

        >>> Bounds(distinct=2, right=9).state([3, 0, 2])
        (0, 3)
        """
        n_values, n_certain, n_right = sum(n > 0 for n in filling), 0, 0
        if self.certain is not None and n_values == 1:
            n_certain = sum(filling)
        if self.right is not None:
            n_right = max(filling)
        if n_values < self.distinct or not self.has((n_certain, n_right)):
            return None
        return n_certain, n_right

    def has(self, state: AssignmentState) -> bool:
        """Whether a state is within the bounds."""
        return state[0] <= (self.certain or 0) and state[1] <= (self.right or 0)

    def joined(
        self, one: WaysByState, other: WaysByState, work: StepBudget
    ) -> dict[AssignmentState, int]:
        """Return the states of both together that are within the bounds."""
        work.spend(len(one) * len(other))
        found: Counter[AssignmentState] = Counter()
        for (certain, right), n in one.items():
            for (also_certain, also_right), n_other in other.items():
                both = certain + also_certain, right + also_right
                if self.has(both):
                    found[both] += n * n_other
        return dict(found)


@dataclass(frozen=True, order=True)
class AnswerBlock:
    """A block of the answer: sizes of its parts at M, and records of each value.

    Both descend; neither has a 0.
    """

    parts: PartSizes
    counts: PartSizes

    @property
    def n_records(self) -> int:
        """Records."""
        return sum(self.counts)


@dataclass(frozen=True)
class CountedAssignments:
    """Assignments of a block's values, all numbers divided by what they share."""

    n_ways: int
    """All of them."""
    holds: WaysByState
    """Those after which M may hold."""
    of_value: Mapping[tuple[int, int], tuple[int, WaysByState]]
    """Those by which one record has a value, and of them those after which M may hold;
    by the size of the record's part, and the records of the value."""

    @property
    def always_holds(self) -> bool:
        """Whether M is as it was without this block."""
        return self.holds == {(0, 0): self.n_ways}


@dataclass
class _Parts:
    """Fills the parts of blocks; what is left for the same parts is counted once."""

    bounds: Bounds
    work: StepBudget
    known: dict[tuple[PartSizes, PartSizes], WaysByState] = field(default_factory=dict)

    def with_value(
        self, part: int, others: PartSizes, counts: PartSizes, value: int
    ) -> WaysByState:
        """Return how a block may be of which one record of a part has a value."""
        one = [int(v == value) for v in range(len(counts))]
        if not self.bounds.is_of_pure:
            return self._filled(part, others, counts, one)
        found = Counter(self._ways(others, _without(counts, one)))
        if counts[value] >= part:
            rest = self._ways(others, _without(counts, [part * n for n in one]))
            found.update(self.bounds.joined(rest, self.bounds.pure(part), self.work))
        return found

    def _ways(self, parts: PartSizes, counts: PartSizes) -> WaysByState:
        """Return how values can be assigned to some parts, and to whoever is left."""
        if (parts, counts) not in self.known:
            if self.bounds.is_of_pure:
                found = self._by_pure(parts, counts)
            elif parts:
                found = self._filled(parts[0], parts[1:], counts, [0] * len(counts))
            else:
                found = {(0, 0): 1}
            self.known[parts, counts] = found
        return self.known[parts, counts]

    def _filled(
        self, part: int, others: PartSizes, counts: PartSizes, first: Sequence[int]
    ) -> WaysByState:
        """Fill a part in all ways, and then others; it has some records already."""
        found: Counter[AssignmentState] = Counter()
        left = [n - m for n, m in zip(counts, first, strict=True)]
        for rest in _chosen(part - sum(first), [1] * len(left), left):
            self.work.spend(1 + part // 16)
            taken = [n + m for n, m in zip(rest, first, strict=True)]
            if (state := self.bounds.state(taken)) is not None:
                after = self._ways(others, _without(counts, taken))
                own = {state: assignments(rest)}
                found.update(self.bounds.joined(own, after, self.work))
        return found

    def _by_pure(self, parts: PartSizes, counts: PartSizes) -> WaysByState:
        """Choose of each value which parts are pure, by size; all others are any."""
        sizes = sorted({part for part in parts if part <= max(counts, default=0)})
        n_parts = [parts.count(size) for size in sizes]
        found = {(0,) * len(sizes): 1}
        n_before = 0
        for count in counts:
            n_before += count
            after: Counter[PartSizes] = Counter()
            for chosen, n in found.items():
                left = [a - b for a, b in zip(n_parts, chosen, strict=True)]
                for more in _chosen(count, [1, *sizes], [count, *left]):
                    self.work.spend(1 + len(sizes) // 4)
                    both = tuple(map(add, chosen, more[1:]))
                    n_free = n_before - sum(map(mul, both, sizes))
                    ways = prod(map(comb, left, more[1:])) * _comb(n_free, more[0])
                    after[both] += n * ways
            found = after
        ways_of: Counter[AssignmentState] = Counter()
        for chosen, n in found.items():
            own: WaysByState = {(0, 0): n}
            for size in (
                s for s, k in zip(sizes, chosen, strict=True) for _ in range(k)
            ):
                own = self.bounds.joined(own, self.bounds.pure(size), self.work)
            ways_of.update(own)
        return ways_of


def _without(counts: PartSizes, taken: Sequence[int]) -> PartSizes:
    """Return what is left, descending."""
    left = (n - m for n, m in zip(counts, taken, strict=True))
    return tuple(sorted(filter(None, left), reverse=True))


def assignments(counts: Sequence[int]) -> int:
    """Return in how many ways so many of each value can be assigned to as many records.

    >>> assignments((2, 1, 1))
    12
    """
    return _factorial(sum(counts)) // prod(map(_factorial, counts))


_factorial = lru_cache(MOST_RECORDS + 1)(factorial)
_comb = lru_cache(1 << 16)(comb)


def _chosen(
    n: int, sizes: Sequence[int], most: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Yield how n can be a sum of so many of each size, at most; the first is 1.

    >>> [*_chosen(3, [1, 2], [3, 1])]
    [(3, 0), (1, 1)]
    """
    if n > sum(map(mul, sizes, most)):
        return
    if len(sizes) == 1:
        yield (n,)
        return
    for taken in range(min(n // sizes[-1], most[-1]) + 1):
        for rest in _chosen(n - taken * sizes[-1], sizes[:-1], most[:-1]):
            yield *rest, taken


def counted(block: AnswerBlock, bounds: Bounds, work: StepBudget) -> CountedAssignments:
    """Count the assignments of a block.

    Raises
    ------
    TooMuchError
        If they are too many.

    Examples
    --------
    Two of seven records are a part, and two have the same value: of 21 pairs one has
    both, so M holds with 20/21.

    >>> block = AnswerBlock((5, 2), (2, 1, 1, 1, 1, 1))
    >>> found = counted(block, Bounds(2), StepBudget(1000))
    >>> found.n_ways, found.holds
    (105, {(0, 0): 100})
    """
    if len(block.parts) == 1:
        n_ways, of_value = block.n_records, _whole(block, bounds)
    else:
        n_deep = max(map(len, (block.parts, () if bounds.is_of_pure else block.counts)))
        if block.n_records > MOST_RECORDS or n_deep > MOST_PARTS:
            raise TooMuchError
        n_ways = assignments(block.counts)
        of_value = _by_value(block, n_ways, _Parts(bounds, work))
    holds: Counter[AssignmentState] = Counter()
    for count in block.counts:
        holds.update(of_value[block.parts[0], count][1])
    shared = gcd(n_ways, *holds.values())
    for n_all, own in of_value.values():
        shared = gcd(shared, n_all, *own.values())
    return CountedAssignments(
        n_ways // shared,
        _divided(holds, shared),
        {key: (n // shared, _divided(w, shared)) for key, (n, w) in of_value.items()},
    )


OfValue = dict[tuple[int, int], tuple[int, WaysByState]]


def _whole(block: AnswerBlock, bounds: Bounds) -> OfValue:
    """Return what is counted of a block that is not divided: a record for its ways."""
    state = bounds.state(block.counts)
    return {
        (block.n_records, n): (n, {} if state is None else {state: n})
        for n in block.counts
    }


def _by_value(block: AnswerBlock, n_ways: int, parts: _Parts) -> OfValue:
    found = {}
    for size in set(block.parts):
        others = list(block.parts)
        others.remove(size)
        for count in set(block.counts):
            place = block.counts.index(count)
            ways = parts.with_value(size, tuple(others), block.counts, place)
            found[size, count] = n_ways * count // block.n_records, ways
    return found


def _divided(ways: WaysByState, shared: int) -> dict[AssignmentState, int]:
    return {state: n // shared for state, n in ways.items() if n}
