"""Rows contradict one another only where no whole numbers fit them: all are tried."""

import json
from itertools import product

import numpy as np
import pytest

from microleak.disclosure import lists
from microleak.disclosure.book import Book, Cell, Row, Sum
from microleak.disclosure.exact import Narrowed, refute
from microleak.disclosure.lists import fits
from microleak.disclosure.multipliers import multipliers
from microleak.disclosure.proof import prove
from microleak.study.certificate import Outcome, certificate
from scripts.check_certificate import check
from tests.disclosure.ends import excluded


def random_book(rng):
    """Three numbers of a few values, and rows of them."""
    book = Book(4)
    for place in range(3):
        book.number(place, low=int(rng.integers(0, 2)), high=int(rng.integers(1, 5)))
    for _ in range(rng.integers(1, 6)):
        factors = {n: int(f) for n, f in enumerate(rng.integers(-3, 4, 3)) if f}
        book.rows.append(Row(Sum(factors, int(rng.integers(-6, 3)))))
    return book


@pytest.mark.parametrize("seed", range(5))
def test_no_numbers_fit_rows_that_contradict_one_another(seed):
    rng, n_found = np.random.default_rng(seed), 0
    for _ in range(200):
        book = random_book(rng)
        if refute(Narrowed(book, {}), dict(enumerate(book.rows))):
            every = product(range(5), repeat=3)
            assert not any(fits(book, values, book.rows) for values in every)
            n_found += 1
    assert n_found > 20


def test_cases_of_two_values_are_tried():
    """A class has none or five, and three at most, and one at least."""
    book = Book(100)
    number = book.number("class")
    book.none_or({number: 1}, 5, "some")
    book.hold({number: -1}, 3)
    assert not refute(Narrowed(book, {}), dict(enumerate(book.rows)))
    book.hold({number: 1}, -1)
    assert refute(Narrowed(book, {}), dict(enumerate(book.rows)))


def test_rows_that_fail_together_alone_are_added_up():
    """Each of three is more than the next, round and round."""
    book = Book(10**9)
    first, second, third = (book.number(place) for place in range(3))
    for more, fewer in ((first, second), (second, third), (third, first)):
        book.hold({more: 1, fewer: -1}, -1)
    found = refute(Narrowed(book, {}), dict(enumerate(book.rows)))
    assert {*found.sum} == {0, 1, 2}
    del book.rows[-1]
    assert multipliers(book.low, book.high, dict(enumerate(book.rows))) is None


def test_a_group_has_members_although_a_solver_denies_it(monkeypatch):
    """Few and all of it are possible here, too; the solver denies what is asked."""
    book = Book(100)
    group = book.number("group", low=30, high=30)
    count = book.number("count", high=30)
    book.hidden(count, group, "count of the group")
    true = lists.Lists.numbers

    def numbers(self, rows, least=None, bounds=None):
        is_of_claim = len(rows) > len(book.rows) or least is not None
        return None if is_of_claim else true(self, rows, least, bounds)

    monkeypatch.setattr(lists.Lists, "numbers", numbers)
    found = prove(book)
    assert all(each.witness is not None for each in found.proved)
    assert {each.claim.end for each in found.leaks} == {"few", "all"}


def test_a_group_without_members_needs_no_witness():
    book = Book(100)
    group, other, all_ = (book.number(name) for name in ("group", "other", "all"))
    book.equal([group, other], all_)
    book.fix(other, 30, 30)
    book.fix(all_, 30, 30)
    count = book.number("count")
    book.hold({group: 1, count: -1})
    book.hidden(count, group, "count of the group")
    found = prove(book)
    assert found.leaks == ()
    assert {each.witness for each in found.proved} == {None}


@pytest.mark.parametrize(
    ("pct", "fewest", "most", "told"),
    [
        (0, 0, 9, []),
        (0, 1, 49, ["least"]),  # somebody is, and nobody may be by the share
        (0, 0, 8, ["largest"]),  # nine counts
        (10, 60, 149, []),
        (10, 141, 149, ["largest"]),
        (100, 951, 999, ["largest"]),  # somebody is not
    ],
)
@pytest.mark.parametrize("is_known", [True, False])
def test_of_a_known_whole_ten_counts_are_enough_and_none_and_all(
    pct, fewest, most, told, is_known
):
    """Of another one neither end of what rounds to a share may be excluded."""
    book = Book(1_001)
    n = book.number("all", low=1_000, high=1_000 + (not is_known))
    count = book.number("below", "")
    book.share(count, n, pct, 10, Cell("t", 2, "alone_pct"))
    book.hold({count: 1}, -fewest, Cell("t", 3, "b"))
    book.hold({count: -1}, most, Cell("t", 3, "c"))
    proof = prove(book)
    ends = {each.claim.end for each in proof.leaks}
    if is_known:
        assert ends == {*told}
    else:
        assert ends
    faults = [*check(json.loads(json.dumps(certificate(Outcome((), book, proof)))))]
    assert bool(faults) == bool(ends)


def test_the_nearest_count_is_the_solvers_only_if_none_nearer_fits(monkeypatch):
    """A solver that denies the largest count of a share is not believed."""
    book = Book(1_000)
    n = book.number("all", low=1_000, high=1_000)
    count = book.number("alone")
    book.share(count, n, 10, 10, Cell("t", 2, "alone_pct"))
    true = lists.Lists.numbers

    def numbers(self, rows, least=None, bounds=None):
        if least is None and len(rows) > len(book.rows):
            return None
        return true(self, rows)

    monkeypatch.setattr(lists.Lists, "numbers", numbers)
    assert {claim.end for claim in excluded(book)} == {"largest"}
