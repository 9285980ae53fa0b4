"""What it gives away that a finer node failed (minimality, Wong and others 2007).

Beforehand all assignments of a block's values to its records are equally likely, and
blocks of the answer do not depend on one another. F says that a finer node M fails by
its bounds on sensitive values. Then, of record i and value v,

    P(i has v | F) = (P(i has v) - P(i has v, and M holds)) / P(F)

Assignments are counted (`assignments`), so that all numbers are whole until the last
division.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import prod

from microleak.attacks.smallest_protection.definitions.assignments import (
    MOST_OF_BLOCK,
    AnswerBlock,
    Bounds,
    CountedAssignments,
    StepBudget,
    TooMuchError,
    WaysByState,
    counted,
)

NEARLY_NEVER = 60
"""Bits: a node that holds with a chance below 2**-60 fails whatever the values are, as
far as a belief in floats can tell, which changes by less than 2**-59."""

MOST_OF_NODE, MOST_BITS = 500_000, 1 << 18
"""Steps up to which the assignments of all blocks are counted, and bits of their
number."""


@dataclass(frozen=True)
class GivenAway:
    """What someone believes of the records who knows that M failed."""

    failure: Fraction
    """Chance that M fails before this is known."""
    n_certain: int
    """Records of which the value is certain."""
    right: Fraction
    """Mean over the records of the belief in their most likely value."""
    n_moved: int
    """Records of which the belief in some value changed by 5 points or more."""


def before(blocks: Mapping[AnswerBlock, int], failure: int = 1) -> GivenAway:
    """Return what is believed without knowing that M failed, or where it tells nothing.

    >>> before({AnswerBlock((5, 2), (2, 1, 1, 1, 1, 1)): 1}).right
    Fraction(2, 7)
    """
    n_certain = sum(b.n_records * m for b, m in blocks.items() if len(b.counts) == 1)
    n_right = sum(block.counts[0] * m for block, m in blocks.items())
    share = Fraction(n_right, n_records(blocks) or 1)
    return GivenAway(Fraction(failure), n_certain, share, 0)


def n_records(blocks: Mapping[AnswerBlock, int]) -> int:
    """Return the records of all blocks."""
    return sum(block.n_records * m for block, m in blocks.items())


def given_away(blocks: Mapping[AnswerBlock, int], bounds: Bounds) -> GivenAway:
    """Return what is believed once it is known that M failed.

    As before, with a chance of 1, if M holds with a chance below 2**-60; this is proved
    by the blocks that can be counted. As before, with a chance of 0, if M cannot fail.

    Parameters
    ----------
    blocks
        How many blocks there are of each kind.
    bounds
        What M must keep to.

    Raises
    ------
    TooMuchError
        If the assignments are too many.

    Examples
    --------
    The five records of the larger part are believed to have the other values.

    >>> given_away({AnswerBlock((5, 2), (2, 1, 1, 1, 1, 1)): 1}, Bounds(2))
    GivenAway(failure=Fraction(1, 21), n_certain=2, right=Fraction(3, 7), n_moved=7)
    """
    known = _counted(blocks, bounds)
    if known is None:
        return before(blocks)
    moving = {b: (c, blocks[b]) for b, c in known.items() if not c.always_holds}
    n_bits = sum(c.n_ways.bit_length() * m for c, m in moving.values())
    if len(known) < len(blocks) or n_bits > MOST_BITS:
        raise TooMuchError
    if not moving:
        return before(blocks, 0)
    n_all = prod(c.n_ways**m for c, m in moving.values())
    of_parts = [*_believed(moving, bounds, n_all)]
    n_fails = sum(believed for believed, _ in of_parts[0].values)
    if not n_fails:
        return before(blocks, 0)
    as_before = before({b: m for b, m in blocks.items() if b not in moving})
    n = n_records(blocks)
    n_still = n - sum(part.n_records for part in of_parts)
    n_right = sum(part.n_records * part.most for part in of_parts)
    return GivenAway(
        Fraction(n_fails, n_all),
        as_before.n_certain
        + sum(part.n_records for part in of_parts if part.most == n_fails),
        (as_before.right * n_still + Fraction(n_right, n_fails)) / n,
        sum(part.n_records for part in of_parts if part.has_moved(n_fails)),
    )


def _counted(
    blocks: Mapping[AnswerBlock, int], bounds: Bounds
) -> dict[AnswerBlock, CountedAssignments] | None:
    """Count the assignments of blocks that can be; None if M holds nearly never.

    The chance that it holds is at most the product over any of the blocks of the chance
    that it may hold as far as the block matters, here rounded up.
    """
    found, n_left, scale = {}, MOST_OF_NODE, 2 * NEARLY_NEVER
    chance = 1 << scale
    for block in sorted(blocks, key=lambda b: (b.n_records, b)):
        if not n_left:
            break
        work = StepBudget(min(MOST_OF_BLOCK, n_left))
        try:
            own = counted(block, bounds, work)
        except TooMuchError:
            n_left = max(n_left - work.n_done, 0)
            continue
        n_left -= work.n_done
        found[block] = own
        n_holds = sum(own.holds.values())
        for _ in range(blocks[block] if n_holds < own.n_ways else 0):
            chance = -(-chance * n_holds // own.n_ways)
            if chance < 1 << (scale - NEARLY_NEVER):
                return None
    return found


@dataclass(frozen=True)
class _AlikePart:
    """Records that are alike, and of each value the assignments after which M fails.

    Beside these the chance of the value before.
    """

    n_records: int
    values: Sequence[tuple[int, Fraction]]

    @property
    def most(self) -> int:
        """Assignments by which they have their most likely value."""
        return max(believed for believed, _ in self.values)

    def has_moved(self, n_fails: int) -> bool:
        """Whether the belief in some value changed by 5 points or more."""
        return any(
            20 * abs(believed * p.denominator - p.numerator * n_fails)
            >= p.denominator * n_fails
            for believed, p in self.values
        )


def _believed(
    moving: Mapping[AnswerBlock, tuple[CountedAssignments, int]],
    bounds: Bounds,
    n_all: int,
) -> Iterator[_AlikePart]:
    """Yield what is believed of the parts of blocks, of which all can be counted."""
    work = StepBudget(MOST_OF_NODE)
    others = _others([(c.holds, m) for c, m in moving.values()], bounds, work)
    for (block, (own, n_blocks)), rest in zip(moving.items(), others, strict=True):
        for size in set(block.parts):
            values = []
            for count in block.counts:
                n_of_value, ways = own.of_value[size, count]
                n_kept = sum(bounds.joined(ways, rest, work).values())
                believed = n_of_value * (n_all // own.n_ways) - n_kept
                values.append((believed, Fraction(count, block.n_records)))
            yield _AlikePart(size * block.parts.count(size) * n_blocks, values)


def _others(
    blocks: Sequence[tuple[WaysByState, int]], bounds: Bounds, work: StepBudget
) -> Iterator[WaysByState]:
    """Yield of each kind of blocks how all blocks but one of it may hold."""

    def joined(one: WaysByState, other: WaysByState) -> WaysByState:
        return bounds.joined(one, other, work)

    def times(ways: WaysByState, n: int) -> WaysByState:
        """Return the ways of n blocks."""
        if n < 2:
            return ways if n else {(0, 0): 1}
        half = times(ways, n // 2)
        return joined(joined(half, half), times(ways, n % 2))

    none: WaysByState = {(0, 0): 1}
    every = [times(*each) for each in blocks]
    ahead = accumulate(every[:-1], joined, initial=none)
    behind = [*accumulate(every[:0:-1], joined, initial=none)][::-1]
    for (ways, n), first, last in zip(blocks, ahead, behind, strict=True):
        yield joined(joined(first, last), times(ways, n - 1))
