"""Sizes of groups that a reader knows, and how small other QIDs may divide them.

A release is a tuple: whose report, table, focal release, auxiliary releases.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import accumulate, product
from math import prod
from typing import NamedTuple

from microleak.disclosure.book import Book, Key


def records(book: Book, release: Key) -> int:
    """Return the number of records of a release."""
    return book.number("records", *release[:3], low=1)


def known_groups(book: Book, release: Key, by: str) -> dict[str | None, int]:
    """Return the members of all groups of a grouping, if the reader knows them.

    Those that are not given are one group, under None, where the records are known.
    Empty if nothing is known; groups of nobody are left out.
    """
    given = book.sizes.get(release[:3], {}).get(by, {})
    found: dict[str | None, int] = {value: n for value, n in given.items() if n}
    n = records(book, release)
    if not found or book.low[n] != book.high[n]:
        return {}
    if (others := book.low[n] - sum(found.values())) > 0:
        found[None] = others
    return found


def are_known(book: Book, release: Key, qid: str) -> bool:
    """Say whether the sizes of all blocks by a QID are known, which links divide."""
    return not release[3] and bool(known_groups(book, release, qid))


def values_of(attribute: str) -> str:
    """Name the values of an attribute, whose number is known as a group's members are.

    Nothing else has such a name, as QIDs are written with this sign between them.

    >>> values_of("ill")
    'ill|values'
    """
    return f"{attribute}|values"


def n_values(book: Book, release: Key, sensitive: str) -> int | None:
    """Return how many values an attribute has; None if it is not known."""
    return book.sizes.get(release[:3], {}).get(values_of(sensitive), {}).get("")


def name_of_group(place: int, value: str | None) -> str:
    """Name a group by its place among those known, from 1, and never by its value."""
    return "all other groups" if value is None else f"group {place}"


def n_combinations(book: Book, release: Key, qids: Collection[str]) -> int | None:
    """Return how many combinations of values QIDs may have; None if it is not known.

    In each linked release, too, which people may lack.
    """
    n = _n_combinations(book, release, qids)
    n_linked = _n_linked(book, release, qids)
    return n * n_linked if n and n_linked else None


def _n_combinations(book: Book, release: Key, qids: Collection[str]) -> int | None:
    """Return the same in the release alone."""
    known = [known_groups(book, release, qid) for qid in qids]
    if any(not each or None in each for each in known):
        return None
    return prod(map(len, known))


def _n_linked(book: Book, release: Key, qids: Collection[str]) -> int | None:
    """Return the same in the releases that are linked to it."""
    found = 1
    for linked in filter(None, release[3].split("|")):
        place = *release[:2], linked
        n = _n_combinations(book, (*place, ""), qids) if place in book.sizes else None
        if n is None:
            return None
        found *= n + 1
    return found


def n_apart(book: Book, release: Key, qids: Collection[str]) -> int | None:
    """Return how many records have not the most frequent value of each QID, at most.

    None if it is not known, as of values in linked releases.
    """
    known = [known_groups(book, release, qid) for qid in qids]
    if release[3] or any(not each or None in each for each in known):
        return None
    n = book.low[records(book, release)]
    return min(n, sum(n - max(each.values()) for each in known))


def main_combinations(
    book: Book, release: Key, qids: Collection[str], rare: int
) -> list[tuple[int, int]]:
    """Return how many combinations may be taken for main ones, and who has others.

    All of them, of which nobody has another, and fewer of which up to so many records
    may: those that have a rarer value of a QID. Of linked releases it is not known.
    """
    fewest = {1: 0}
    for qid in sorted(qids):
        sizes = sorted(known_groups(book, release, qid).values(), reverse=True)
        n = sum(sizes)
        left = {i: n - taken for i, taken in enumerate(accumulate(sizes), 1)}
        kept = _fewer_and_fewer({i: few for i, few in left.items() if few <= rare})
        pairs = dict[int, int]()
        for (combined, n_rare), (n_values, n_left) in product(fewest.items(), kept):
            all_, n_all = combined * n_values, n_rare + n_left
            if n_all <= rare:
                pairs[all_] = min(n_all, pairs.get(all_, n_all))
        fewest = dict(_fewer_and_fewer(pairs))
    return [*fewest.items()]


def _fewer_and_fewer(pairs: Mapping[int, int]) -> Iterator[tuple[int, int]]:
    """Yield pairs whose second part is below that of all before, and not too close."""
    last, least = 0, None
    for first in sorted(pairs):
        n = pairs[first]
        if least is None or (n < least and (8 * first > 9 * last or not n)):
            yield first, n
            last, least = first, n


class Divided(NamedTuple):
    """The groups of a grouping, each divided by others.

    Attributes
    ----------
    sizes
        Members of each group.
    n_blocks
        Blocks that others make of a group at most.
    n_apart
        Records at most that have not the most frequent value of all others.
    """

    sizes: Collection[int]
    n_blocks: int
    n_apart: int

    @property
    def most_blocks(self) -> int:
        """How many blocks there are at most."""
        n = sum(min(size, self.n_blocks) for size in self.sizes)
        return min(n, len(self.sizes) + self.n_apart)

    def most_below(self, end: int) -> int:
        """Return how many records are in blocks below an end, at most.

        Each record apart from the main part of its group, which has the most frequent
        value of all others, may be in one; and a group that is smaller itself is. All
        of a larger group are only where enough are apart and its blocks have room for
        it, and the smallest groups need the fewest apart.

        >>> Divided([6, 6, 50], n_blocks=99, n_apart=3).most_below(5)
        7
        >>> Divided([6, 6, 50], n_blocks=1, n_apart=3).most_below(5)
        0
        """
        n = sum(most_in_small(size, self.n_blocks, end) for size in self.sizes)
        n_below = sum(size for size in self.sizes if size < end) + self.n_apart
        left = self.n_apart
        for size in sorted(self.sizes):
            if end <= size <= (end - 1) * self.n_blocks:
                left -= size - end + 1
                if left < 0:
                    break
                n_below += end - 1
        return min(n, n_below)

    def fewest_alone(self, larger: int) -> tuple[int, int]:
        """Return how few are alone, and how many fewer for each group of a large block.

        A group that has none of `larger` records or more leaves enough of them apart;
        if that is one, it is alone.
        """
        least = [max(0, size - larger + 1) for size in self.sizes]
        n = sum(size == larger for size in self.sizes) + sum(least) - self.n_apart
        return n, 1 + max(least)


def most_in_small(size: int, n_blocks: int, end: int) -> int:
    """Return how many of so many records are in blocks below an end, at most.

    They are in so many blocks. Where not all can be small, one block is not.

    >>> most_in_small(5, 3, end=2), most_in_small(3, 3, end=2)
    (2, 3)
    """
    most = (end - 1) * n_blocks
    return size if size <= most else most - (end - 1)


def divided(book: Book, release: Key, groupings: Collection[str]) -> list[Divided]:
    """Return each of some groupings as all others divide it; none if one is unknown."""
    n = n_combinations(book, release, groupings)
    if n is None:
        return []
    known = [known_groups(book, release, by).values() for by in sorted(groupings)]
    others = ({*groupings} - {by} for by in sorted(groupings))
    apart = [n_apart(book, release, of) for of in others]
    return [
        Divided(sizes, n // len(sizes), sum(sizes) if of is None else of)
        for sizes, of in zip(known, apart, strict=True)
    ]
