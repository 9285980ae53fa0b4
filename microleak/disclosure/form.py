"""Where rows of public tables are not as microleak writes them, besides their shares.

A column that no rule binds, or an order of rows that does not follow from them, could
hold a count (docs/decisions/0027-public-proof.md).
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations
from typing import Any

from microleak.disclosure.book import Book

Rows = Sequence[Mapping[str, Any]]


def check_same(book: Book, file: str, rows: Rows, *columns: str) -> None:
    """Note columns that differ between the rows of a table, and may not."""
    for column in columns:
        if len({str(row[column]) for row in rows}) > 1:
            book.fault(file, f": {column} is not the same in all lines")


def check_number(book: Book, file: str, rows: Rows) -> None:
    """Note a number of QIDs that is not that of the QIDs, each named once."""
    for row in rows:
        names = row["qids"].split("|")
        if not len(names) == len({*names}) == row["n_qids"]:
            book.fault(file, ": n_qids is not the number of the QIDs, each named once")
            return


def check_order(book: Book, file: str, sequences: Iterable[Sequence[str]]) -> None:
    """Note names that are not in the same order everywhere, or not there once."""
    pairs = {*chain.from_iterable(combinations(each, 2) for each in sequences)}
    if any((second, first) in pairs for first, second in pairs):
        book.fault(file, ": QIDs are not in one order, or one stands there twice")
