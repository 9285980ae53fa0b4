"""Claims are true in some table of a few records, and what is refuted is so in none."""

from collections import defaultdict

import pytest

from microleak.attacks.collective.laws import laws
from microleak.disclosure.book import Book
from microleak.disclosure.laws import ENDS
from microleak.disclosure.proof import prove
from tests.disclosure.small_world import SUBSETS, coarse, page, tables_of_page, worlds

STEP = 50


@pytest.fixture(
    scope="module",
    params=[(5, 2, True), (6, 3, True), (7, 2, False), (8, 3, False)],
    ids="{0[0]} records, {0[1]} a step".format,
)
def small(request):
    """All tables of some records, by the page that is made of them, and their proofs.

    Of those with more records the blocks alone.
    """
    n, records_a_step, is_sensitive = request.param
    patch = pytest.MonkeyPatch()
    coarse(patch, (STEP,), records_a_step)
    pages = defaultdict(set)
    for world in worlds(n, is_sensitive):
        pages[page(world, n, STEP)].add(world)
    found = []
    for shares, possible in pages.items():
        book = book_of(shares, n)
        found.append((book, possible, prove(book)))
    yield found
    patch.undo()


def book_of(shares, n):
    book = Book(n)
    book.number("records", "", "t", "1", low=n, high=n)
    laws(book, "", tables_of_page(shares, STEP))
    assert book.faults == []
    return book


def truth(key, world):
    """The count of a table that a number stands for."""
    blocks, guesses = world
    places = [frozenset(qids.split("|")) for qids in SUBSETS]
    if key[0] == "below":
        return blocks[places.index(key[-2])][ENDS.index(key[-1])]
    return guesses[[frozenset(), *places].index(key[-1])]


def counted(book, claim):
    """The number that a claim is about."""
    kinds = ("below", "modal")
    (found,) = (n for n in claim.distance.factors if book.names[n][0] in kinds)
    return found


def test_what_is_said_to_stay_possible_is_so_in_some_table(small):
    n_true = 0
    for book, possible, proof in small:
        for each in proof.proved:
            number = counted(book, each.claim)
            value = proof.witnesses[each.witness][number]
            assert value in {truth(book.names[number], world) for world in possible}
            n_true += 1
    assert n_true > 40


def test_what_is_refuted_is_so_in_no_table(small):
    for book, possible, proof in small:
        for leak in proof.leaks:
            if leak.is_open:
                continue
            number = counted(book, leak.claim)
            for world in possible:
                values = [0] * len(book.names)
                values[book.number("records", "", "t", "1")] = book.most
                values[number] = truth(book.names[number], world)
                assert leak.claim.distance.of(values) > leak.claim.within


def test_of_blocks_alone_every_claim_is_settled(small):
    for book, _, proof in small:
        if not any(key[0] == "modal" for key in book.names):
            assert not any(leak.is_open for leak in proof.leaks)


def test_no_law_refutes_a_table(small):
    """With all counts of a table the laws can be kept to."""
    for book, possible, _ in small[::5]:
        for world in sorted(possible)[:2]:
            fixed = Book(book.most, [*book.names], [*book.low], [*book.high])
            fixed.rows = [row for row in book.rows if not row.is_chosen]
            for number, key in enumerate(book.names):
                if key[0] in ("below", "modal"):
                    fixed.fix(number, truth(key, world), truth(key, world))
            assert prove(fixed).leaks == ()
