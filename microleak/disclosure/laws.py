"""Laws that hold in every table: of blocks, of right guesses, and of combinations.

Each is a row of a `Book`; docs/decisions/0027-public-proof.md numbers them. A release
is a tuple: whose report, table, focal release, auxiliary releases.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations, pairwise, product
from math import lcm
from typing import Final

from microleak.disclosure.book import Book, Key, Sum
from microleak.disclosure.exact import Narrowed
from microleak.disclosure.program import Bounds
from microleak.disclosure.room import Counted, Groups
from microleak.disclosure.sizes import (
    Divided,
    are_known,
    divided,
    known_groups,
    main_combinations,
    n_apart,
    n_combinations,
    n_values,
    records,
)

ENDS: Final = (2, 5, 10, 100)
"""Sizes of blocks at which each class of the public form but the first begins."""

COUNTED: Final = [
    *(Counted(*ends, are_blocks=False) for ends in combinations((1, *ENDS), 3)),
    *(Counted(1, *ends, are_blocks=True) for ends in combinations(ENDS[1:], 2)),
]
"""Classes beside larger ones; those alone are as many as their blocks."""

Subset = frozenset[str]


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
    for write in (_hold_apart, _known_by_sizes):
        book.later.setdefault(write, []).append((release, subset))
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

    Laws 5, 6, 17, 19, 20 and 22: one in every block; a refined partition has no fewer,
    and at most so many times as many as it divides a block into; the most frequent of
    so many values has an equal part or more; who has a value that no block is guessed
    to have is guessed wrongly; and without QIDs the largest group is guessed right.
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
    groups = known_groups(book, release, sensitive)
    if not subset and groups and None not in groups:
        book.fix(found, *[max(groups.values())] * 2)
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
    if len(qids) == 1 and are_known(book, release, *qids):
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


def _known_by_sizes(book: Book, shown: Sequence[tuple[Key, Subset]]) -> None:
    """Hold of the blocks that tables show what sizes of groups say of them.

    Law 7: those by a QID of which all groups are known are these, which blocks by more
    QIDs refine.
    """
    if not book.sizes:
        return
    cells = {i: row for i, row in enumerate(book.rows) if row.cell}
    ends = Narrowed(book, cells).ends
    for release, qids in shown:
        _few_blocks(book, release, qids, ends)
        for qid in (each for each in sorted(qids) if are_known(book, release, each)):
            counts = below(book, release, [qid])
            if len(qids) == 1:
                sizes = known_groups(book, release, qid).values()
                for end, number in counts.items():
                    book.fix(number, *[sum(size for size in sizes if size < end)] * 2)


def apart(
    book: Book, release: Key, further: Collection[str], qids: Subset
) -> Iterator[Sum]:
    """Yield sums that are no less than the records that leave main parts of blocks.

    Law 21: these are the largest parts into which further QIDs divide each block, one
    after the other. Outside of them are no more records than have not the most frequent
    value; nor, of an attribute that is guessed by the same blocks, than wrong guesses.
    """
    if (n := n_apart(book, release, further)) is not None:
        yield Sum({}, n)
    factors, n_others = Counter[int](), 0
    for qid in sorted(further):
        guessed = ("modal", *release, qid, qids)
        if guessed in book:
            factors.update({records(book, release): 1, book.number(*guessed): -1})
        elif (n := n_apart(book, release, [qid])) is not None:
            n_others += n
        else:
            return
    if factors:
        yield Sum(factors, n_others)


def _hold_apart(book: Book, new: Sequence[tuple[Key, Subset]]) -> None:
    """Hold blocks, and right guesses, to those by other QIDs and what leaves them.

    Law 21: of a block that is not below an end, and whose main part is, as many as the
    end leave for each record that leaves this part, at most; and as any further QIDs
    refine the blocks by some of them. Nothing is known so of linked releases.
    """
    for release in dict.fromkeys(release for release, _ in new if not release[3]):
        added = {subset for each, subset in new if each == release}
        every = dict.fromkeys(key[-2] for key, _ in book.of_kind("below", *release))
        for all_, some in product(every, [frozenset[str](), *every]):
            if all_ <= some or not {all_, some} & added:
                continue
            for leaving in apart(book, release, all_ - some, some):
                _hold_to_leaving(book, release, (some, all_), leaving)


def _hold_to_leaving(
    book: Book, release: Key, qids: tuple[Subset, Subset], leaving: Sum
) -> None:
    """Hold what more QIDs tell to what others do and the records that leave these."""
    some, all_ = qids

    def hold(few: int, many: int, times: int) -> None:
        """Hold a number to another one and so many times the records that leave."""
        factors = Counter({few: 1, many: -1})
        factors.update({n: times * factor for n, factor in leaving.factors.items()})
        if times * leaving.constant < book.most:
            book.hold(factors, times * leaving.constant)

    for (*_, sensitive, subset), many in [*book.of_kind("modal", *release)]:
        fewer = ("modal", *release, sensitive, some)
        if subset == all_ and fewer in book:
            hold(book.number(*fewer), many, 1)
    if not some:
        return
    few, many_below = (below(book, release, each) for each in (some, all_))
    for end, many in many_below.items():
        hold(few[end], many, end)
        larger = next((each for each in ENDS if each >= end + leaving.constant), None)
        if larger and not leaving.factors:
            hold(few[larger], many, 1)


def alone_by_sizes(
    book: Book, release: Key, groupings: Collection[str]
) -> tuple[int, int | None]:
    """Return how few and how many are alone by groupings of known sizes; None: any.

    Laws 7 and 14, of those by levels of QIDs, too.
    """
    known = (known_groups(book, release, by).values() for by in groupings)
    least = max((sum(size == 1 for size in sizes) for sizes in known), default=0)
    every = divided(book, release, groupings)
    return least, min((each.most_below(ENDS[0]) for each in every), default=None)


def _few_blocks(book: Book, release: Key, qids: Subset, shown: Bounds) -> None:
    """Hold that QIDs whose values are known have no more blocks than combinations.

    Law 14: so all classes together have no more than groups of one of them can have;
    and no more records of each group are in small blocks than if all were that small,
    or if its members are more, all but one.
    """
    every = divided(book, release, qids)
    if not every or (len(qids) == 1 and not release[3]):
        return
    most_blocks = min(each.most_blocks for each in every)
    book.hold({blocks(book, release, qids): -1}, most_blocks)
    for end, number in below(book, release, qids).items():
        most = min(each.most_below(end) for each in every)
        if most < book.most:
            book.hold({number: -1}, most)
    _hold_apart_of_large(book, release, qids, every)
    _hold_beside_large(book, release, qids, every, shown)


def _hold_apart_of_large(
    book: Book, release: Key, qids: Subset, every: Sequence[Divided]
) -> None:
    """Hold those alone to what groups without a large block leave apart.

    Law 24: of groups with a block from an end on there are no more than such blocks.
    """
    n, ends = records(book, release), below(book, release, qids)
    for larger in ENDS[1:]:
        found = [each.fewest_alone(larger) for each in every]
        if max(least for least, _ in found) > 0:
            n_large = book.number("blocks from", *release, qids, larger)
            book.hold({n: 1, ends[larger]: -1, n_large: -larger})
            for least, less in found:
                if least > 0:
                    book.hold({ends[ENDS[0]]: 1, n_large: less}, -least)


def _hold_beside_large(
    book: Book, release: Key, qids: Subset, every: Sequence[Divided], shown: Bounds
) -> None:
    """Hold small blocks, and their records, to what groups can have beside large ones.

    Laws 25 and 26 (`microleak.disclosure.room`): of all weights those that say most
    where the records in large blocks are as few, and as many, as is shown.
    """
    low, high = shown
    n, ends = records(book, release), below(book, release, qids)
    if all(low[end] == 0 and high[end] >= low[n] for end in ends.values()):
        return
    rare = high[ends[ENDS[-2]]]
    groups = [
        Groups(
            each.sizes,
            [(each.n_blocks, 0)]
            if release[3]
            else main_combinations(book, release, qids - {by}, rare),
        )
        for by, each in zip(sorted(qids), every, strict=True)
    ]
    for counted in COUNTED:
        most = high[ends[counted.end]]
        factors = {ends[counted.end]: 1}
        if counted.first > 1:
            most -= low[ends[counted.first]]
            factors[ends[counted.first]] = -1
        if counted.are_blocks:
            blocks(book, release, qids)
            factors, most = {ends[ENDS[0]]: 1}, high[ends[ENDS[0]]]
            for first, last in pairwise(end for end in ENDS if end <= counted.end):
                of_class = book.number("blocks of class", *release, qids, first)
                factors[of_class] = 1
                most += -((low[ends[first]] - high[ends[last]]) // (last - 1))
        number = ends[counted.larger]
        # Where so many are in large blocks, what is said already is no more than that.
        said = {
            n_large: min(most, low[n] - n_large)
            for n_large in (max(0, low[n] - each[number]) for each in (high, low))
        }
        bounds = [each for of in groups for each in of.bounds(counted, said)]
        for n_large in said if bounds else ():
            at, (small, large, constant) = min(b.tightest(n_large) for b in bounds)
            if at < said[n_large]:
                weighted = Counter({n: large, number: -large} if large else {})
                weighted.subtract({i: small * times for i, times in factors.items()})
                book.hold(weighted, constant)
