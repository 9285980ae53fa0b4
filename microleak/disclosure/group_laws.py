"""Laws of right guesses in groups of known sizes (`microleak.disclosure.guesses`)."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from microleak.disclosure.book import Book, Key, Sum
from microleak.disclosure.guesses import Alike, Group, Guesses
from microleak.disclosure.kinds import Values
from microleak.disclosure.laws import modal
from microleak.disclosure.multipliers import most_of
from microleak.disclosure.sizes import (
    are_known,
    known_groups,
    n_values,
    name_of_group,
)


def known_blocks(book: Book, release: Key, qid: str) -> None:
    """Hold what is known of an attribute by the sizes of its groups, if they are.

    Laws 8 and 16 to 18: in each of its blocks, which are known, the most frequent value
    of all has every right guess, or the others have as many members as right guesses;
    these are no more than have this value in all; and of so many values none has more.
    Where releases are linked, groups of one release are no blocks. Groups of one size
    are alike, so that one of them stands for all in claims.
    """
    if not are_known(book, release, qid):
        return
    sizes = known_groups(book, release, qid)
    shown = [key[-2] for key, _ in book.of_kind("modal", *release)]
    for sensitive in dict.fromkeys(shown):
        right = modal(book, release, sensitive, [qid])
        _known_guesses(book, (*release, sensitive, qid), sizes, right)


class _Known(NamedTuple):
    """What is known of a sensitive attribute in all groups.

    Attributes
    ----------
    values
        How many values it has.
    in_all, right
        Numbers of members with the most frequent one, and of right guesses.
    fewest
        How many these are at least.
    """

    values: Values
    in_all: int
    right: int
    fewest: int


def _known_guesses(
    book: Book, of: Key, sizes: Mapping[str | None, int], right: int
) -> None:
    """Hold right guesses in groups of known sizes, if they are not held yet.

    Groups that may have more members than the most frequent value stand by themselves.
    """
    *release, sensitive, qid = of
    in_all = modal(book, (*release,), sensitive, ())
    if ("frequent", *of, next(iter(sizes))) in book:
        return
    values = Values(sum(sizes.values()), n_values(book, (*release,), sensitive))
    known = _Known(values, in_all, right, _least_shown(book, in_all))
    alike = Counter(size for size in sizes.values() if size <= known.fewest)
    groups, shown = list[tuple[int, Group]](), set[int]()
    for place, (value, size) in enumerate(sizes.items(), 1):
        if size not in alike or size not in shown:
            shown.add(size)
            name = f"{sensitive} of {name_of_group(place, value)} of {qid}"
            group = _guesses_in(book, (*of, value), size, known)
            members = _members(book, (*of, value), size)
            book.hidden(group.frequent, members, name)
            if group.another is not None:
                book.hidden(group.another, members, f"another value of {name}")
            groups.append((size, group))
    others = {
        size: _guesses_in_alike(book, (*of, size), (size, n - 1), known)
        for size, n in alike.items()
        if n > 1
    }
    parts: list[Group | Alike] = [each for _, each in groups]
    parts += others.values()
    first = [each.first for each in others.values()]
    book.equal([*(each.guess for each in parts), *first], right)
    book.equal([each.frequent for each in parts], in_all)
    more = [(alike[n] - 1, others[n]) if n in others else None for n, _ in groups]
    found = [n for n, _ in groups], [each for _, each in groups], more
    book.parts.append(Guesses(in_all, right, values, *found))


def _least_shown(book: Book, number: int) -> int:
    """Return the least value that a share of a known whole leaves a number."""
    low, high = book.low, book.high
    found = [low[number]]
    for row in book.rows:
        if (factor := row.sum.factors.get(number, 0)) > 0:
            rest = Sum({**row.sum.factors, number: 0}, row.sum.constant)
            found.append(-(most_of(low, high, rest) // factor))
    return max(found)


def _members(book: Book, key: Key, size: int) -> int:
    """Return the number of members of a group, which are known."""
    members = book.number("members", *key[:3], *key[5:], high=size)
    book.fix(members, size, size)
    return members


def _guesses_in(book: Book, key: Key, size: int, known: _Known) -> Group:
    """Return the numbers of right guesses in a group.

    Laws 8, 16 and 17; and no group has more right guesses besides the most frequent
    value than there are in all. They are chosen so that so many values surely exist
    where the largest groups may be of the second kind.
    """
    values, in_all, right, fewest = known
    count = book.number("frequent", *key, high=size)
    guess = book.number("right", *key, low=values.least(size), high=size)
    is_second = book.number("other", *key, high=1)
    book.hold({guess: 1, count: -1})
    book.hold({guess: -1, count: 1, is_second: size})
    book.hold({guess: -1, count: -1, is_second: -size}, 2 * size)
    book.hold({right: 1, in_all: -1, guess: -1, count: 1})
    if size > fewest:
        book.hold({in_all: 1, guess: -1})
    if values.n_at_most <= size:
        book.hold({count: 1, guess: values.n_at_most - 1}, -size)
    if size > values.most_of_second(fewest) and values.number and values.number > 2:
        n = values.number - 2
        factors = {in_all: values.number, guess: -n, is_second: -n * size}
        book.choose(factors, n * size - values.n_records)
    group = Group(count, guess, is_second)
    if values.n_at_most <= 2:
        return group
    return group._replace(another=_another_in(book, key, (size, group), known))


def _another_in(
    book: Book, key: Key, of_group: tuple[int, Group], known: _Known
) -> int:
    """Return the number of members with one other value in a group.

    Law 18; it is chosen so that so many values surely exist where the group is large
    (`Values.another`).
    """
    size, (count, guess, *_) = of_group
    values, in_all = known.values, known.in_all
    another = book.number("another", *key, high=size)
    book.hold({guess: 1, another: -1})
    book.hold({count: -1, another: -1}, size)
    if values.n_at_most <= size + 1:
        book.hold({count: 1, another: 1, guess: values.n_at_most - 2}, -size)
    if values.number and size > values.most_of_second(known.fewest):
        n, n_records = values.number, values.n_records
        ahead = {in_all: n, count: -1, another: 1 - n}
        book.choose(ahead, size + n - 2 - n_records)
        behind = {in_all: (n - 2) * n, count: 1, another: n - 1}
        book.choose(behind, (n - 2) * (1 - n_records) - size)
    return another


def _guesses_in_alike(
    book: Book, key: Key, groups: tuple[int, int], known: _Known
) -> Alike:
    """Return the numbers of right guesses in groups of one size, so many, together.

    Those in groups where the most frequent value of all has them; and in the others,
    members with this value and right guesses. Each sum that keeps to the rows is one of
    such groups: a polygon whose corners are whole has this property. That they have no
    more members with this value than members in all is the bound of one number, by
    which it is seen what of the value is left to another group.
    """
    size, n = groups
    values, fewest = known.values, known.fewest
    least, most = values.least(size), values.most_of_second(fewest)
    n_second = book.number("others", *key, high=n)
    first = book.number("right by the first", *key, high=size * n)
    count = book.number("frequent in others", *key, high=size * n)
    guess = book.number("right by others", *key, high=size * n)
    book.hold({first: 1, n_second: least}, -least * n)
    book.hold({first: -1, n_second: -size}, size * n)
    book.hold({guess: 1, n_second: -least})
    book.hold({guess: 1, count: -1})
    book.hold({guess: -1, count: -1, n_second: size})
    book.hold({count: -1, n_second: size // 2})
    if values.n_at_most <= size:
        book.hold({count: 1, guess: values.n_at_most - 1, n_second: -size})
        by_others = -(-size // values.n_others)
        rest = size - values.n_others * (by_others - 1)
        book.hold({count: 1, guess: rest, n_second: -rest * by_others})
    if most < size:
        book.choose({guess: -1, n_second: most})
    frequent = book.number("frequent in all others", *key, high=size * n)
    book.equal([first, count], frequent)
    return Alike(n_second, first, count, guess, frequent)
