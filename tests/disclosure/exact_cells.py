"""The cells of a table by QIDs of known sizes, all of them: what no law leaves out.

As integer programs (microleak.disclosure.program): for tables of some hundred cells,
and for groups of a few sizes, however many, that one QID of two values divides.
"""

from collections import Counter, defaultdict
from itertools import product

from microleak.disclosure.laws import ENDS
from microleak.disclosure.sizes import known_groups


def hold_cells(book, release, qids):
    """Hold the records in blocks below each end to cells that have known sums."""
    sizes = [[*known_groups(book, release, qid).values()] for qid in sorted(qids)]
    of_end, parts = defaultdict(list), defaultdict(list)
    for places in product(*(range(len(each)) for each in sizes)):
        most = min(of[place] for of, place in zip(sizes, places, strict=True))
        for end, number in _classes(book, (*release, qids, places), most):
            of_end[end].append(number)
            for at in enumerate(places):
                parts[at].append(number)
    before = []
    for end in ENDS:
        before = [*before, *of_end[end]]
        book.equal(before, book.number("below", *release, qids, end))
    for (qid, value), numbers in parts.items():
        equal(book, dict.fromkeys(numbers, 1), sizes[qid][value])


def _classes(book, key, most):
    """The size of a cell if it is of a class, else 0, by the end of each class."""
    chosen = []
    for least, end in zip((1, *ENDS), (*ENDS, most + 1), strict=True):
        if least > most:
            break
        number = book.number("cell", *key, least, high=min(end - 1, most))
        is_of_class = book.number("is of class", *key, least, high=1)
        book.hold({number: 1, is_of_class: -least})
        book.hold({number: -1, is_of_class: min(end - 1, most)})
        chosen.append(is_of_class)
        yield end, number
    book.hold(dict.fromkeys(chosen, -1), 1)


def hold_divisions(book, release, qids, sizes, n_rare):
    """Hold records in blocks below each end to groups, of which so many have a value.

    Counted are groups of each size that it divides in each way.
    """
    rows_of_end, rare = defaultdict(dict), {}
    for size, n_groups in Counter(sizes).items():
        ways = {}
        for n in range(size + 1):
            number = book.number("divided", *release, size, n, high=n_groups)
            ways[number], rare[number] = 1, n
            for end in ENDS:
                below = sum(part for part in (n, size - n) if part < end)
                rows_of_end[end][number] = below
        equal(book, ways, n_groups)
    equal(book, rare, n_rare)
    for end, factors in rows_of_end.items():
        below = book.number("below", *release, frozenset(qids), end)
        equal(book, {**factors, below: -1}, 0)


def equal(book, factors, constant):
    """Hold a sum at a constant."""
    book.hold(factors, -constant)
    book.hold({n: -factor for n, factor in factors.items()}, constant)
