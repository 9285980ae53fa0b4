"""Every table of a few records in groups of known sizes, and the page made of it.

Of a sensitive attribute with so many values, or any number.
"""

from collections import defaultdict
from itertools import product

import pandas as pd

from microleak.attacks.collective.laws import laws
from microleak.disclosure import rounding
from microleak.disclosure.book import Book, Cell
from microleak.disclosure.laws import below, modal
from microleak.disclosure.sizes import records, values_of

STEP = 20
RELEASE = "", "t", "1", ""


def compositions(n, n_values):
    """All ways in which so many members have values."""
    if n_values == 1:
        return [(n,)]
    return [
        (first, *rest)
        for first in range(n + 1)
        for rest in compositions(n - first, n_values - 1)
    ]


def tables(sizes, n_values):
    """All tables of the values of groups, of which the first is the most frequent.

    Of so many values each has a member, or is guessed in a group, as far as counts of
    all groups say: that no more groups are guessed than there are.
    """
    n, most = sum(sizes), n_values or sum(sizes)
    n_others = n_values - 1 if n_values else 0
    for table in product(*(compositions(size, most) for size in sizes)):
        totals = [sum(column) for column in zip(*table, strict=True)]
        n_wrong = n - sum(map(max, table))
        is_first = totals[0] == max(totals) <= n - n_others
        if is_first and n_wrong > n_others - len(sizes):
            yield table


def pages(sizes, n_values):
    """What can be in groups, by the shares that are published of it."""
    n, found = sum(sizes), defaultdict(set)
    for table in tables(sizes, n_values):
        frequent, another = [*zip(*(group[:2] for group in table), strict=True)]
        counts = sum(frequent), sum(map(max, table))
        shares = [int(rounding.percent(pd.Series([c]), n, STEP)[0]) for c in counts]
        found[*shares].add((*counts, frequent, another))
    return found


def book_of(shares, sizes, n_values):
    """What a reader knows of a page who knows all sizes."""
    n = sum(sizes)
    groups = {"a": {str(place): size for place, size in enumerate(sizes)}}
    known = {values_of("ill"): {"": n_values}} if n_values else {}
    book = Book(n, sizes={RELEASE[:3]: {"": {"": n}, **groups, **known}})
    book.number("records", *RELEASE[:3], low=n, high=n)
    common = {"analysis": "x", "table": "t", "focal": "1", "auxiliary": ""}
    common |= {"is_worst": "true", "step_pct": STEP, "qids": "a", "n_qids": 1}
    row = common | {"sensitive": "ill", "prior_pct": shares[0]}
    row |= {"posterior_pct": shares[1]}
    laws(book, "", {"inference": {"x": pd.DataFrame([row])}})
    assert book.faults == []
    return book


def page_of(sizes, guesses, blocks=(), n_values=None, linked="", step=1):
    """A book of single QIDs and sets of them, whose right guesses and blocks are shown.

    Guesses are shares by sets of QIDs; blocks are shares below each end, from those
    alone on, of a release that may be linked to another one.
    """
    n = sum(next(iter(sizes.values())))
    known_sizes = {by: dict(enumerate(of)) for by, of in sizes.items()}
    of_ill = {values_of("ill"): {"": n_values}} if n_values else {}
    known_sizes |= {"": {"": n}} | of_ill
    book = Book(n, sizes={RELEASE[:3]: known_sizes})
    book.fix(records(book, RELEASE), n, n)
    for line, (qids, share) in enumerate(guesses):
        count, cell = modal(book, RELEASE, "ill", qids), Cell("guesses", line, "pct")
        book.share(count, records(book, RELEASE), share, step, cell)
    for line, (qids, shares) in enumerate(blocks):
        counts = below(book, (*RELEASE[:3], linked), qids)
        for (end, count), share in zip(counts.items(), shares, strict=False):
            cell = Cell("blocks", line, f"below_{end}_pct")
            book.share(count, records(book, RELEASE), share, step, cell)
    return book
