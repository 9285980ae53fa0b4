"""What another report of the same persons lets a reader derive: laws 9 and 10.

One person more changes each count by little, and who is in a part is in the whole.
docs/decisions/0027-public-proof.md.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from microleak.disclosure.book import Book, Key
from microleak.disclosure.laws import below, modal
from microleak.disclosure.sizes import records
from microleak.family import grouping_name
from microleak.study.known_sizes import Sizes

BESIDE: Final = "beside"
"""The name of the other report in a book, where it is not of the same records."""

_LINKED = ("records", "members", "modal", "alone", "alone after", "below")


@dataclass(frozen=True)
class Beside:
    """Another report of the same persons.

    Attributes
    ----------
    folder
        Its folder.
    n_more
        Persons that it has and the first one has not; below 0, the other way round.
        All others are the same, with the same values.
    is_part
        Whether it is of some of the persons, as a state beside its country.
    wholes
        In place of these, the pooled releases of one of the two reports, by table and
        name, and the releases that they are made of, of which the other one may be.
    is_whole
        Whether they are those of this report.
    more
        In place of `n_more`, how many it has more by table and release.
    sizes
        Members of groups of it that the reader knows.
    """

    folder: Path
    n_more: int = 0
    is_part: bool = False
    wholes: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)
    is_whole: bool = False
    more: Mapping[tuple[str, str], int] = field(default_factory=dict)
    sizes: Sizes = field(default_factory=dict)


def link(book: Book, beside: Beside) -> None:
    """Hold what reports of nearly the same persons, or of some of them, must.

    Laws 9 and 10: what persons more can change, and what parts have of a whole.
    """
    if beside.wholes:
        reports = (BESIDE, "") if beside.is_whole else ("", BESIDE)
        for whole, parts in beside.wholes.items():
            _link_parts(book, reports, whole, parts)
        return
    common = sorted({*_releases(book, "")} & {*_releases(book, BESIDE)})
    for table, release in common:
        places = [(report, table, release) for report in ("", BESIDE)]
        _complete(book, places)
        if beside.is_part:
            _link_parts(book, ("", BESIDE), (table, release), (release,))
            continue
        n_more = beside.more.get((table, release), beside.n_more)
        for key, first in _linked(book, places[0]):
            other = (key[0], *places[1], *key[4:])
            if other in book:
                second = book.number(*other)
                fewer, more = (first, second)[:: 1 if n_more >= 0 else -1]
                least, most = _change(key)
                n, room = abs(n_more), (most - least) * _n_changed(beside, key)
                book.hold({more: 1, fewer: -1}, room - least * n)
                book.hold({more: -1, fewer: 1}, room + most * n)


def _complete(book: Book, places: Sequence[Key]) -> None:
    """Give each of some releases the numbers that any of them has."""
    for key, _ in [*book.of_kind("below")]:
        if key[1:4] in places:
            for place in places:
                below(book, (*place, key[4]), key[5])
    for key, _ in [*book.of_kind("modal")]:
        if key[1:4] in places:
            for place in places:
                modal(book, (*place, key[4]), *key[5:])


def _linked(book: Book, place: Key) -> list[tuple[Key, int]]:
    """Return the numbers of a release that those of another one bind.

    Not of groups by size: one person more takes all of a value to another one.
    """
    found = [each for kind in _LINKED for each in book.of_kind(kind, *place)]
    of_sizes = grouping_name("", "size")
    return [
        (key, number)
        for key, number in found
        if not any(str(part).endswith(of_sizes) for part in key[4:6])
    ]


def _change(key: Key) -> tuple[int, int]:
    """Return by how much one person more changes a number, at least and at most.

    Who is added to a block of one less than `end` takes all of it out of those below.
    """
    if key[0] == "below":
        return 1 - key[-1], 1
    changes = {"records": (1, 1), "alone": (-1, 1), "alone after": (-1, 1)}
    return changes.get(key[0], (0, 1))


def _n_changed(beside: Beside, key: Key) -> int:
    """Return of how many persons values change, as linked releases have others.

    Who changes is as one person fewer and one more.
    """
    linked = key[4].split("|") if key[0] in ("modal", "below") else ()
    return sum(abs(beside.more.get((key[2], release), 0)) for release in linked)


def _link_parts(
    book: Book, reports: tuple[str, str], whole: tuple[str, str], parts: Sequence[str]
) -> None:
    """Hold what a whole, and those of its parts that the other report measures, must.

    Who is in a small block of the whole is in one of the part; right guesses are no
    fewer in the whole; and all who are of none of these parts are the difference. A
    pooled release has the records of all its parts, which both reports may list.
    """
    of_whole, of_part = reports
    table, name = whole
    place = of_whole, table, name
    measured = [
        (of_part, table, part)
        for part in parts
        if any(key[0] != "records" for key, _ in _linked(book, (of_part, table, part)))
    ]
    if not measured or not _linked(book, place):
        return
    _complete(book, (place, *measured))
    for key, number in _linked(book, place):
        own = [p for p in measured if (key[0], *p, *key[4:]) in book]
        numbers = [book.number(key[0], *p, *key[4:]) for p in own]
        if key[0] in ("records", "members"):
            book.hold({number: 1, **dict.fromkeys(numbers, -1)})
            continue
        if key[0] == "modal":
            for each in numbers:
                book.hold({number: 1, each: -1})
        of = ("members", key[5:7]) if key[0] == "alone" else ("records", ())
        others = {book.number(of[0], *place, *of[1]): 1}
        others |= {book.number(of[0], *p, *of[1]): -1 for p in own}
        if key[0] not in ("modal", "below") or not key[4]:
            book.hold({number: -1, **dict.fromkeys(numbers, 1), **others})
    if name in parts:
        return
    listed = [("records", of_whole, table, part) for part in parts]
    if all(key in book for key in listed):
        book.equal([book.number(*key) for key in listed], records(book, place))
    for key in listed:
        again = (key[0], of_part, *key[2:])
        if key in book and again in book:
            book.equal([book.number(*key)], book.number(*again))


def _releases(book: Book, report: str) -> Iterator[tuple[str, str]]:
    for (_, _, table, focal), _ in book.of_kind("records", report):
        yield str(table), str(focal)
