"""What a reader of published searches knows: the same counts, bounds and changes."""

from microleak.attacks.smallest_protection.laws import laws
from microleak.disclosure.book import Book
from microleak.disclosure.proof import prove
from microleak.study.tables import tables as specs

N = 10_000
QIDS = ("age", "birth", "street")


def row(alone, **others):
    """A row of `answer`: the release itself, of which so many percent are alone."""
    return {
        **{"analysis": "x", "table": "people", "focal": "2", "target": "alone:1/2"},
        **{"n_known": len(QIDS), "qids": "|".join(QIDS), "n_qids": len(QIDS)},
        **{"left_out": "", "levels": "", "n_changed": 0, "holds": "false"},
        **{"is_answer": "false", "loss_pct": 0, "step_pct": 1, "alone_pct": alone},
        **others,
    }


def answer(alone, left_out, **others):
    """The row of an answer that leaves QIDs out."""
    kept = {"holds": "true", "is_answer": "true", "n_changed": 1, "loss_pct": 40}
    return row(alone, left_out=left_out, **{**kept, **others})


def book_of(*searches):
    """A book of what searches say of one release of which the records are known."""
    book = Book(N)
    book.number("records", "", "people", "2", low=N, high=N)
    tables = {str(i): specs()["answer"].frame(rows) for i, rows in enumerate(searches)}
    laws(book, "", {"answer": tables})
    assert book.faults == []
    return book


def leaks(book):
    """What cannot be any more, by line and end."""
    return {(each.claim.about.line, each.claim.end) for each in prove(book).leaks}


def test_who_knows_any_qid_may_find_more_alone_by_all_of_them():
    """The target holds for the QIDs that are known, and the share is of all (2)."""
    release = {"n_known": 1, "holds": "true", "is_answer": "true", "target": "k:5"}
    assert leaks(book_of([row(96, **release)])) == set()


def test_the_release_has_one_count_whoever_knows_it():
    book = book_of([row(96)], [row(95, n_known=1)])
    (leak,) = prove(book).leaks
    assert leak.claim is None
    assert {cell.table for cell in leak.cells} == {"0-answer.csv", "1-answer.csv"}


def test_answers_that_leave_other_qids_out_are_other_counts():
    one, other = answer(30, "age"), answer(20, "street")
    assert leaks(book_of([row(90), one], [row(90), other])) == set()
