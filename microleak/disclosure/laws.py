"""Laws that hold in every table: of blocks, of right guesses, and of combinations.

Each is a row of a `Book`; docs/decisions/0027-public-proof.md numbers them. A release
is a tuple: whose report, table, focal release, auxiliary releases.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from math import lcm, prod
from typing import Final, NamedTuple

from microleak.disclosure.book import Book, Key, Sum
from microleak.disclosure.guesses import Alike, Group, Guesses
from microleak.disclosure.kinds import Values
from microleak.disclosure.multipliers import most_of

ENDS: Final = (2, 5, 10, 100)
"""Sizes of blocks at which each class of the public form but the first begins."""

Subset = frozenset[str]


def records(book: Book, release: Key) -> int:
    """Return the number of records of a release."""
    return book.number("records", *release[:3], low=1)


def _unlinked(release: Key) -> Key:
    """Return a release without those that are linked to it."""
    return (*release[:3], "")


def _is_finer(fine: tuple[str, Subset], coarse: tuple[str, Subset]) -> bool:
    """Say whether blocks by linked releases and QIDs refine those by others.

    >>> _is_finer(("2016|2017", frozenset("ab")), ("2016", frozenset("a")))
    True
    """
    (linked, qids), (others, fewer) = fine, coarse
    are_linked = {*others.split("|")} <= {"", *linked.split("|")}
    return fine != coarse and are_linked and fewer <= qids


def below(book: Book, release: Key, qids: Collection[str]) -> dict[int, int]:
    """Return the records in blocks of fewer than each of `ENDS` by some QIDs.

    Laws 1 to 3: they grow with the end; a class has no records or as many as its
    smallest block; and a refined partition, by more QIDs or linked releases, has no
    fewer in small blocks.
    """
    subset = frozenset(qids)
    key = ("below", *release, subset)
    is_new = (*key, ENDS[0]) not in book
    found = {end: book.number(*key, end) for end in ENDS}
    if not is_new:
        return found
    book.later.setdefault(_known_by_sizes, []).append((release, subset))
    n = records(book, release)
    ordered = [*found.values(), n]
    for end, (first, second) in zip(ENDS, pairwise(ordered), strict=True):
        book.none_or({second: 1, first: -1}, end, "class", *key, end)
    own = release[3], subset
    known = [*book.of_kind("below", *release[:3])]
    for (*_, linked, other_subset, end), number in known:
        if _is_finer(own, (linked, other_subset)):
            book.hold({found[end]: 1, number: -1})
        elif _is_finer((linked, other_subset), own):
            book.hold({number: 1, found[end]: -1})
    if release[3]:
        below(book, _unlinked(release), subset)
    return found


def blocks(book: Book, release: Key, qids: Collection[str]) -> int:
    """Return a number that is no larger than that of the blocks by some QIDs.

    Law 4: a class has at least as many blocks as if all were its largest.
    """
    key = ("blocks", *release, frozenset(qids))
    if key in book:
        return book.number(*key)
    found = book.number(*key)
    ends = below(book, release, qids)
    n = records(book, release)
    numbers = [*ends.values(), n]
    factors = {found: 1, numbers[0]: -1}
    for first, second, end, last in zip(
        numbers, numbers[1:], ENDS, (*ENDS[1:], book.most + 1), strict=False
    ):
        of_class = book.number("blocks of class", *key[1:], end)
        book.hold({of_class: last - 1, second: -1, first: 1})
        factors[of_class] = -1
    book.hold(factors)
    return found


def modal(book: Book, release: Key, sensitive: str, qids: Collection[str]) -> int:
    """Return the right guesses of a sensitive value by some QIDs, or by none.

    Laws 5, 6, 17, 19 and 20: one in every block; a refined partition has no fewer, and
    at most so many times as many as it divides a block into; the most frequent of so
    many values has an equal part or more; and who has a value that no block is guessed
    to have is guessed wrongly.
    """
    subset = frozenset(qids)
    if not subset:
        release = _unlinked(release)
    key = ("modal", *release, sensitive, subset)
    if key in book:
        return book.number(*key)
    others = [*book.of_kind("modal", *release[:3])]
    found = book.number(*key, low=1)
    book.hold({records(book, release): 1, found: -1})
    if most := n_values(book, release, sensitive):
        _hold_to_values(book, release, (found, subset), most)
        n_guessed = n_combinations(book, release, subset) or most
        if n_guessed < most:
            book.hold({records(book, release): 1, found: -1}, n_guessed - most)
    if subset:
        book.hold({found: 1, blocks(book, release, subset): -1})
    own = release[3], subset
    for (*_, linked, of, other_subset), number in others:
        other = linked, other_subset
        if of != sensitive:
            continue
        if _is_finer(own, other):
            coarse, fine = (number, other), (found, own)
        elif _is_finer(other, own):
            coarse, fine = (found, own), (number, other)
        else:
            continue
        _hold_finer(book, release, coarse, fine)
    if release[3]:
        modal(book, _unlinked(release), sensitive, subset)
    return found


def _hold_to_values(
    book: Book, release: Key, of: tuple[int, Subset], n_values: int
) -> None:
    """Hold right guesses to an equal part of each block for one of so many values.

    That is one in each block that has no more records than there are values, and a
    part of the records of all others.
    """
    found, subset = of
    factors = Counter({found: n_values, records(book, release): -1})
    if subset:
        blocks(book, release, subset)
        ends = below(book, release, subset)
        small = [end for end in ENDS if end - 1 <= n_values]
        factors[ends[small[-1]]] += 1
        factors[ends[ENDS[0]]] -= n_values
        for first in small[:-1]:
            factors[book.number("blocks of class", *release, subset, first)] -= n_values
    book.hold(factors)


def _hold_finer(
    book: Book,
    release: Key,
    coarse: tuple[int, tuple[str, Subset]],
    fine: tuple[int, tuple[str, Subset]],
) -> None:
    """Hold right guesses in blocks and in finer ones of a release to laws 6 and 19."""
    (fewer, (before, some)), (more, (linked, all_)) = coarse, fine
    book.hold({more: 1, fewer: -1})
    n = n_combinations(book, (*release[:3], linked), all_ - some)
    if n and n < book.most and linked == before:
        book.hold({fewer: n, more: -1})


def choose_guesses(
    book: Book, release: Key, sensitive: str, qids: Collection[str], fewest: int
) -> None:
    """Choose numbers of right guesses for which blocks and values surely exist.

    A class can be blocks of fewer records than twice its smallest. In a block there
    can be as many right guesses as records, or as records with the most frequent value
    of all, which `fewest` have at least. Groups of known sizes are laws by themselves.
    """
    if release[3]:
        choose_guesses(book, _unlinked(release), sensitive, qids, fewest)
    if len(qids) == 1 and _are_known(book, release, *qids):
        return
    largest = [2 * end - 1 for end in (1, *ENDS)]
    scale = lcm(*largest)
    factors = {modal(book, release, sensitive, qids): -scale}
    ends = [*below(book, release, qids).values(), records(book, release)]
    before = 0
    for number, most in zip(reversed(ends), reversed(largest), strict=True):
        factor = scale * min(most, max(fewest, 1)) // most
        factors[number] = factor - before
        before = factor
    book.choose(factors)


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


def _are_known(book: Book, release: Key, qid: str) -> bool:
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


def known_blocks(book: Book, release: Key, qid: str) -> None:
    """Hold what is known of an attribute by the sizes of its groups, if they are.

    Laws 8 and 16 to 18: in each of its blocks, which are known, the most frequent value
    of all has every right guess, or the others have as many members as right guesses;
    these are no more than have this value in all; and of so many values none has more.
    Where releases are linked, groups of one release are no blocks. Groups of one size
    are alike, so that one of them stands for all in claims.
    """
    if not _are_known(book, release, qid):
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


def most_in_small(size: int, n_blocks: int, end: int) -> int:
    """Return how many of so many records are in blocks below an end, at most.

    They are in so many blocks. Where not all can be small, one block is not.

    >>> most_in_small(5, 3, end=2), most_in_small(3, 3, end=2)
    (2, 3)
    """
    most = (end - 1) * n_blocks
    return size if size <= most else most - (end - 1)


def _known_by_sizes(book: Book, shown: Sequence[tuple[Key, Subset]]) -> None:
    """Hold of the blocks that tables show what sizes of groups say of them.

    Law 7: those by a QID of which all groups are known are these, which blocks by more
    QIDs refine.
    """
    for release, qids in shown:
        _few_blocks(book, release, qids)
        for qid in (each for each in sorted(qids) if _are_known(book, release, each)):
            counts = below(book, release, [qid])
            if len(qids) == 1:
                sizes = known_groups(book, release, qid).values()
                for end, number in counts.items():
                    book.fix(number, *[sum(size for size in sizes if size < end)] * 2)


class _Divided(NamedTuple):
    """The sizes of all groups of a grouping, and blocks that others make of each."""

    sizes: Collection[int]
    n_blocks: int

    @property
    def most_blocks(self) -> int:
        """How many blocks there are at most."""
        return sum(min(size, self.n_blocks) for size in self.sizes)

    def most_below(self, end: int) -> int:
        """Return how many records are in blocks below an end, at most."""
        return sum(most_in_small(size, self.n_blocks, end) for size in self.sizes)


def _divided(book: Book, release: Key, groupings: Collection[str]) -> list[_Divided]:
    """Return each of some groupings as all others divide it; none if one is unknown."""
    n = n_combinations(book, release, groupings)
    if n is None:
        return []
    known = (known_groups(book, release, by) for by in sorted(groupings))
    return [_Divided(each.values(), n // len(each)) for each in known]


def alone_in_few(book: Book, release: Key, groupings: Collection[str]) -> int | None:
    """Return how many records may be alone by groupings of known sizes; None: any.

    Law 14, of those by levels of QIDs, too.
    """
    every = _divided(book, release, groupings)
    return min((each.most_below(ENDS[0]) for each in every), default=None)


def _few_blocks(book: Book, release: Key, qids: Subset) -> None:
    """Hold that QIDs whose values are known have no more blocks than combinations.

    Law 14: so all classes together have no more than groups of one of them can have;
    and no more records of each group are in small blocks than if all were that small,
    or if its members are more, all but one.
    """
    every = _divided(book, release, qids)
    if not every or (len(qids) == 1 and not release[3]):
        return
    most_blocks = min(each.most_blocks for each in every)
    book.hold({blocks(book, release, qids): -1}, most_blocks)
    for end, number in below(book, release, qids).items():
        most = min(each.most_below(end) for each in every)
        if most < book.most:
            book.hold({number: -1}, most)
