"""Who knows sizes of groups: all tables of a few records in them are tried."""

import pytest

from microleak.disclosure import book as books
from microleak.disclosure import proof as proofs
from microleak.disclosure.proof import prove
from tests.disclosure import known_world
from tests.disclosure.known_world import book_of, pages
from tests.disclosure.small_world import coarse

SIZES = [(5, 1), (4, 2), (3, 2, 1), (2, 2, 2), (3, 1, 1, 1), (2, 2, 1, 1)]


@pytest.fixture(
    scope="module",
    params=[(2, 20), (3, 20), (4, 30), (None, 30)],
    ids="{0[0]} values, {0[1]} % a step".format,
)
def known(request):
    """Pages of all tables of six records, what these may have, and the proofs."""
    n_values, step = request.param
    patch = pytest.MonkeyPatch()
    coarse(patch, (step,), 1)
    patch.setattr(books, "FEW", 1)
    patch.setattr(proofs, "MOST_LEAKS", 1_000)
    patch.setattr(known_world, "STEP", step)
    found = []
    for sizes in SIZES:
        for shares, possible in pages(sizes, n_values).items():
            book = book_of(shares, sizes, n_values)
            found.append((book, possible, prove(book)))
    yield found
    patch.undo()


def counted(book, claim):
    """The number that a claim is about, and which count of a table it is."""
    kinds = ("modal", "frequent", "another")
    (found,) = (n for n in claim.distance.factors if book.names[n][0] in kinds)
    kind, *_, last = book.names[found]
    if kind == "modal":
        return found, lambda table: table[bool(last)]
    return found, lambda table: table[2 + (kind == "another")][int(last)]


def test_what_is_said_to_stay_possible_is_so_in_some_table(known):
    n_true = 0
    for book, possible, proof in known:
        for each in proof.proved:
            if each.witness is not None:
                number, count = counted(book, each.claim)
                values = [*proof.witnesses[each.witness]]
                nearest = []
                for table in possible:
                    values[number] = count(table)
                    nearest.append(each.claim.distance.of(values))
                assert min(nearest) <= each.distance
                n_true += 1
    assert n_true > 200


def test_what_is_refuted_or_told_openly_is_so_in_no_table(known):
    n_refuted = 0
    for book, possible, proof in known:
        refuted = [each.claim for each in proof.leaks if not each.is_open]
        refuted += [each.claim for each in proof.proved if each.witness is None]
        for claim in refuted:
            number, count = counted(book, claim)
            values = [*book.low]
            for table in possible:
                values[number] = count(table)
                assert claim.distance.of(values) > claim.within
            n_refuted += 1
    assert n_refuted > 30


def test_of_two_values_or_any_number_every_claim_is_settled(known):
    """Of three all tables are not looked for, but where parts surely fit."""
    for book, _, proof in known:
        if not any(row.is_chosen for row in book.rows):
            assert not any(leak.is_open for leak in proof.leaks)
