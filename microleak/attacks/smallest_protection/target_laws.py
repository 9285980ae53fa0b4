"""What it says of counts that the blocks by some QIDs keep to a target, or fail it."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from math import lcm
from typing import NamedTuple

from microleak.disclosure.book import Book, Cell, Key, Sum
from microleak.disclosure.laws import ENDS, Subset, below, blocks, modal
from microleak.disclosure.sizes import n_values, records

_SHARES = ("alone", "reidentified", "certain", "inferred")
"""Bounds of shares that are no smaller than that of the records alone."""


class Target(NamedTuple):
    """A target as the page tells it.

    Attributes
    ----------
    bounds
        Its bounds by name, shares as fractions.
    sensitive
        Attributes that it is of.
    """

    bounds: Mapping[str, str]
    sensitive: Sequence[str]


def keep_alone(book: Book, target: Target, count: int, n: int) -> None:
    """Hold the records that are alone in blocks that keep to a target.

    Who is alone is re-identified, certain, and a right guess: so every bound of a
    share bounds them, too.
    """
    if "k" in target.bounds or "l" in target.bounds:
        book.fix(count, 0, 0)
    for name in _SHARES:
        if name in target.bounds:
            book.hold(_within(target.bounds[name], count, n).factors)


def keep(book: Book, target: Target, release: Key, qids: Subset) -> None:
    """Hold blocks by QIDs whose values are as they are to a target.

    The page says that it is kept to, so this is a law and told by no cell.

    Parameters
    ----------
    book
        It is written to.
    target
        The target. Of `own_record` nothing is held.
    release, qids
        Whose blocks they are.
    """
    bounds, n = target.bounds, records(book, release)
    keep_alone(book, target, below(book, release, qids)[2], n)
    least = max(int(bounds.get(name, 1)) for name in ("k", "l"))
    _without_smaller(book, release, qids, least)
    if "reidentified" in bounds:
        n_blocks = blocks(book, release, qids)
        book.hold(_within(bounds["reidentified"], n_blocks, n).factors)
    for name in target.sensitive:
        if "inferred" in bounds:
            guesses = modal(book, release, name, qids)
            book.hold(_within(bounds["inferred"], guesses, n).factors)
        if "l" in bounds:
            guesses = modal(book, release, name, qids)
            n_blocks = blocks(book, release, qids)
            book.hold({n: 1, guesses: -1, n_blocks: 1 - int(bounds["l"])})


def _within(share: str, count: int, n: int) -> Sum:
    """Return a sum that is 0 or more if a count is within a share of the records."""
    most = Fraction(share)
    return Sum({n: most.numerator, count: -most.denominator})


def _beyond(share: str, count: int, n: int) -> Sum:
    """Return a sum that is 0 or more if it is not."""
    most = Fraction(share)
    return Sum({n: -most.numerator, count: most.denominator}, -1)


def _beyond_certain(bound: str, guesses: int, n: int, n_values: int | None) -> Sum:
    """Return a sum that is 0 or more if values of more than a share are certain.

    Of whom a value is certain is a right guess, so these are more, too. Of so many
    values a block with two or more has a right guess for each *v* - 1 wrong ones.
    """
    if n_values is None or n_values < 2:
        return _beyond(bound, guesses, n)
    share, others = Fraction(bound), n_values - 1
    of_all = -share.denominator - share.numerator * others
    return Sum({guesses: share.denominator * n_values, n: of_all}, -others)


def _without_smaller(book: Book, release: Key, qids: Subset, least: int) -> None:
    """Hold every block to have so many records."""
    ends = below(book, release, qids)
    for end, number in ends.items():
        if end <= least:
            book.fix(number, 0, 0)
    numbers = [*ends.values(), records(book, release)]
    after = (*ENDS[1:], book.most + 1)
    for (first, second), start, end in zip(pairwise(numbers), ENDS, after, strict=True):
        if start < least < end:
            key = ("class", *release, qids, start, least)
            book.none_or({second: 1, first: -1}, least, *key)


def fail(book: Book, target: Target, release: Key, qids: Subset, cell: Cell) -> None:
    """Hold blocks by QIDs whose values are as they are to fail a bound of a target.

    Parameters are those of `keep`, and the cell that says so. Nothing is held where
    one of the bounds can be failed whatever the counts are.
    """
    ways = [*_ways(book, target, release, qids)]
    _hold_one(book, ways, ("fails", *release, qids, *target.bounds.items()), cell)


def fail_alone(book: Book, target: Target, count: int, n: int, cell: Cell) -> None:
    """Hold the records alone by blocks that fail a bound of a target.

    Of these blocks nothing else is known. Nothing is held where one of the bounds can
    be failed whatever the count is.
    """
    ways = [_way_alone(book, *bound, count, n) for bound in target.bounds.items()]
    _hold_one(book, ways, ("fails", *book.names[count], *target.bounds.items()), cell)


def _way_alone(book: Book, name: str, bound: str, count: int, n: int) -> Sum | None:
    """Return what is so of the records alone if a bound is failed.

    Who is not alone is in a block of two or more, so that twice the blocks are no more
    than the records and those alone.
    """
    if name == "k" and bound == "2":
        return Sum({count: 1}, -1)
    if name == "alone":
        return _beyond(bound, count, n)
    if name == "reidentified":
        n_blocks = book.number("blocks at most", *book.names[count])
        book.hold({count: 1, n: 1, n_blocks: -2})
        return _beyond(bound, n_blocks, n)
    return None


def _hold_one(book: Book, ways: Sequence[Sum | None], key: Key, cell: Cell) -> None:
    """Hold one of some sums at 0 or more; nothing where one of them is missing."""
    possible = [way for way in ways if way is not None]
    if len(possible) < len(ways):
        return
    if len(ways) == 1:
        book.hold(possible[0].factors, possible[0].constant, cell)
        return
    chosen = []
    for place, way in enumerate(possible):
        chosen.append(book.number(*key, place, high=1))
        lowest = sum(min(factor, 0) for factor in way.factors.values()) * book.most
        spare = -lowest - way.constant
        book.hold({**way.factors, chosen[-1]: -spare}, way.constant + spare, cell)
    book.hold(dict.fromkeys(chosen, 1), -1, cell)


def _ways(
    book: Book, target: Target, release: Key, qids: Subset
) -> Iterator[Sum | None]:
    """Yield of each bound what is so if it is failed; None if nothing is held of it."""
    ends, n = below(book, release, qids), records(book, release)
    for name, bound in target.bounds.items():
        if name == "k":
            first = next((end for end in ENDS if end >= int(bound)), None)
            yield None if first is None else Sum({ends[first]: 1}, -1)
        elif name == "alone":
            yield _beyond(bound, ends[2], n)
        elif name == "reidentified":
            yield _beyond(bound, _at_most_blocks(book, release, qids), n)
        elif name in ("certain", "inferred"):
            for each in target.sensitive:
                guesses = modal(book, release, each, qids)
                v = n_values(book, release, each) if name == "certain" else None
                yield _beyond_certain(bound, guesses, n, v)
        else:
            yield None


def _at_most_blocks(book: Book, release: Key, qids: Subset) -> int:
    """Return the blocks by some QIDs: no more than if all were their class's smallest.

    With the other direction, law 4, they are between.
    """
    found = blocks(book, release, qids)
    starts = (1, *ENDS)
    scale = lcm(*starts)
    factors = {found: -scale}
    numbers = [*below(book, release, qids).values(), records(book, release)]
    for place, (number, start) in enumerate(zip(numbers, starts, strict=True)):
        after = scale // starts[place + 1] if place < len(ENDS) else 0
        factors[number] = scale // start - after
    book.hold(factors)
    return found
