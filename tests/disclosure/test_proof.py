"""Claims that hold, claims that do not, and the cells that tell."""

from microleak.disclosure.book import Book, Cell
from microleak.disclosure.lists import fits
from microleak.disclosure.proof import prove


def edge_book():
    """Two groups that are alone or not, and all: each told in a cell."""
    book = Book(2_000)
    n = book.number("all", low=2_000, high=2_000)
    members = [book.number("group", i, low=1_000, high=1_000) for i in range(2)]
    alone = [book.number("alone", i) for i in range(2)]
    total = book.number("alone in all")
    book.equal(alone, total)
    for i in range(2):
        book.share(alone[i], members[i], (10, 0)[i], 10, Cell("t", i, "alone_pct"))
    book.share(total, n, 10, 5, Cell("t", 2, "of_all"))
    return book


def test_cells_that_tell_are_named():
    proof = prove(edge_book())
    (leak, *_) = (each for each in proof.leaks if each.claim.about.line == 1)
    assert leak.claim.end == "least"
    assert {cell.line for cell in leak.cells} >= {0, 2}


def test_a_share_stays_any_count_that_rounds_to_it():
    book = Book(1_500)
    n = book.number("all", low=1_234, high=1_234)
    count = book.number("alone")
    book.share(count, n, 20, 10, Cell("t", 2, "alone_pct"))
    proof = prove(book)
    values = {each.claim.end: proof.witnesses[each.witness] for each in proof.proved}
    assert (values["least"][count], values["largest"][count]) == (186, 308)
    assert all(fits(book, each, book.rows) for each in proof.witnesses)


def test_few_of_a_group_are_not_told_from_none():
    book = Book(1_000)
    group = book.number("group", low=30, high=30)
    count = book.number("count", high=30)
    book.hidden(count, group, "count of the group")
    assert prove(book).leaks == ()
    book.hold({count: 1}, -3, Cell("t", 2, "alone_pct"))
    (leak,) = prove(book).leaks
    assert (leak.claim.end, leak.cells) == ("none", (Cell("t", 2, "alone_pct"),))
    book.hold({count: 1}, -10, Cell("t", 3, "alone_pct"))
    assert {each.claim.end for each in prove(book).leaks} <= {"few"}


def test_a_number_in_no_row_that_no_value_is_left_is_a_contradiction():
    book = edge_book()
    book.fix(book.number("other"), 5, 4)
    (leak,) = prove(book).leaks
    assert (leak.claim, leak.is_open) == (None, False)
