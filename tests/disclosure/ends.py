"""Which ends of shares the cells of a page exclude, if that tells of few or not."""

from microleak.disclosure.book import Sum
from microleak.disclosure.lists import row_near
from microleak.disclosure.program import numbers_of, solved
from microleak.disclosure.proof import prove


def excluded(book):
    """Claims that do not hold, and edges of rounding that only other cells exclude."""
    proof = prove(book)
    leaks = [each.claim for each in proof.leaks if each.claim]
    far = (each for each in proof.proved if each.distance > each.claim.within)
    edges = (each.claim for each in far if each.refutation is None)
    return leaks + [claim for claim in edges if can_be(book, claim)]


def can_be(book, claim):
    """Whether laws and its own cell leave what is claimed."""
    rows = [row for row in book.rows if row.cell in (None, claim.about)]
    rows = [*(row for row in rows if not row.is_chosen), row_near(claim)]
    bounds = book.low, book.high
    return solved(rows, Sum({}), bounds, sorted({*numbers_of(rows)})) is not None
