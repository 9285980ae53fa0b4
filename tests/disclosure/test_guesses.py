"""Right guesses in groups of known sizes, chosen by a formula, are as law 8 says."""

import json
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.disclosure import guesses, lists
from microleak.disclosure.book import Book, Cell
from microleak.disclosure.group_laws import known_blocks
from microleak.disclosure.guesses import Group, Guesses, Wanted
from microleak.disclosure.kinds import Bounds, Chosen, Values, guesses_in
from microleak.disclosure.laws import below, modal
from microleak.disclosure.proof import prove
from microleak.disclosure.sizes import n_combinations, n_values, records, values_of
from microleak.study.certificate import Outcome, certificate
from scripts.check_certificate import check
from tests.disclosure.ends import excluded
from tests.disclosure.known_world import RELEASE, page_of


def of_one_group(size, n_values):
    """Members with the most frequent value of all, and right guesses: all pairs."""
    pairs = product(range(size + 1), range(1, size + 1))
    return {
        (f, r)
        for f, r in pairs
        if r == f or f <= r <= size - f
        if n_values is None or f + (n_values - 1) * r >= size
    }


@given(
    st.lists(st.integers(1, 5), min_size=1, max_size=5),
    st.tuples(st.integers(0, 20), st.integers(0, 20)),
    st.sampled_from([None, 1, 2, 3, 4]),
    st.data(),
)
def test_what_is_found_is_one_of_the_groups_and_adds_up(sizes, totals, n_values, data):
    bounds = [sorted(data.draw(st.tuples(*[st.integers(0, n)] * 2))) for n in sizes]
    if data.draw(st.booleans()):
        bounds = [(0, n) for n in sizes]
    low, high = (np.array(each) for each in zip(*bounds, strict=True))
    values = Values(sum(sizes), n_values)
    guess = np.zeros_like(low)
    bounds_ = Bounds(low, high, guess)
    found = guesses_in(np.array(sizes), bounds_, totals, values)
    if found is None:
        return
    assert (found.frequent.sum(), found.guess.sum()) == totals
    assert found.guess.max() <= totals[0]
    assert ((low <= found.frequent) & (found.frequent <= high)).all()
    for size, f, r, is_second in zip(
        sizes, *map(np.ndarray.tolist, found), strict=True
    ):
        assert (f, r) in of_one_group(size, n_values)
        assert f + r <= size if is_second else f == r


@pytest.mark.parametrize("sizes", [(4, 3, 1), (3, 3, 2, 1), (5, 2, 2)])
def test_what_is_chosen_of_others_is_found(sizes):
    """All that is found where right guesses are as few as is said is nearly all."""
    members, values = np.array(sizes), Values(sum(sizes))
    for frequent in range(len(sizes), sum(sizes) + 1):
        part = Guesses(0, 1, values, sizes, [], [None] * len(sizes))
        room = part.chosen(*[[frequent, 0]] * 2).sum.constant
        for right in range(frequent, frequent + room + 1):
            none = np.zeros_like(members)
            bounds = Bounds(none, members, none)
            found = guesses_in(members, bounds, (frequent, right), values)
            assert found, (frequent, right)


def book_of(seed=0, shares=(60, 70)):
    """A page on which all places are known, and two shares of right guesses."""
    rng = np.random.default_rng(seed)
    sizes = [*rng.geometric(0.02, 300).tolist(), 3_000, 2_000]
    n = sum(sizes)
    of_places = {str(place): size for place, size in enumerate(sizes)}
    book = Book(n, sizes={RELEASE[:3]: {"place": of_places}})
    book.fix(records(book, RELEASE), n, n)
    below(book, RELEASE, ["place"])
    for line, (subset, share) in enumerate(zip(((), ["place"]), shares, strict=True)):
        count, cell = modal(book, RELEASE, "ill", subset), Cell("t", line, "pct")
        book.share(count, records(book, RELEASE), share, 1, cell)
    known_blocks(book, RELEASE, "place")
    return book


def written(book):
    return json.loads(json.dumps(certificate(Outcome((), book, prove(book)))))


def of_kind(told, kind):
    """Places of the numbers of a kind."""
    return [i for i, each in enumerate(told["numbers"]) if each["key"][0] == kind]


@pytest.mark.parametrize("shares", [(60, 61), (60, 70), (94, 95), (20, 98), (10, 90)])
def test_claims_of_groups_are_proved_without_a_program_of_them(monkeypatch, shares):
    n_numbers = []
    solved = lists.solved

    def counted(rows, least, bounds, numbers):
        n_numbers.append(len(numbers))
        return solved(rows, least, bounds, numbers)

    monkeypatch.setattr(lists, "solved", counted)
    book = book_of(shares=shares)
    told = written(book)
    assert [*check(told)] == []
    assert len(told["claims"]) == len(book.claims) > 400
    assert max(n_numbers) < 30 < len(book.names) / 10


def test_a_list_whose_groups_add_up_and_break_law_8_is_found():
    """A right guess fewer where the most frequent value has them, and one more."""
    told = written(book_of())
    values, rights = told["witnesses"][-1], of_kind(told, "right")
    pairs = [*zip(rights, of_kind(told, "frequent"), strict=True)]
    alike = [right for right, count in pairs if values[right] == values[count] > 1]
    values[alike[0]] -= 1
    values[alike[1]] += 1
    assert len([*check(told)]) == 1


def test_a_claim_of_a_group_without_members_of_the_value_needs_such_a_list():
    told = written(book_of())
    claim = next(c for c in told["claims"] if c["end"] == "none")
    claim["witness"] = next(
        place
        for place, values in enumerate(told["witnesses"])
        if values[claim["distance"]["factors"][0][0]] > 0
    )
    assert [*check(told)] == [f"claim of {claim['about']}: none, farther off"]


def test_a_formula_that_is_wrong_proves_nothing(monkeypatch):
    """Lists that rows do not hold for are no witnesses; those of the solver are."""

    def wrong(members, bounds, *others):
        found = guesses_in(members, bounds, *others)
        return found and Chosen(found.frequent, found.guess, ~found.is_second)

    monkeypatch.setattr(guesses, "guesses_in", wrong)
    book = Book(1_200, sizes={RELEASE[:3]: {"sex": {"f": 700, "m": 500}}})
    book.fix(records(book, RELEASE), 1_200, 1_200)
    right = modal(book, RELEASE, "ill", ["sex"])
    book.share(right, records(book, RELEASE), 60, 10, Cell("t", 1, "pct"))
    below(book, RELEASE, ["sex"])
    known_blocks(book, RELEASE, "sex")
    told = written(book)
    assert [*check(told)] == []
    assert len(told["claims"]) == len(book.claims)


def test_a_group_that_cannot_be_without_is_told_openly():
    """Of the largest places, which have more than the others leave room for.

    So they have no other value alone.
    """
    told = written(book_of(shares=(94, 95)))
    openly = [c for c in told["claims"] if c["witness"] is None]
    sizes = {(c["end"], told["numbers"][c["of"]]["high"]) for c in openly}
    assert sizes == {(end, n) for end in ("none", "all") for n in (2_000, 3_000)}
    others = {c["end"] for c in openly if c["about"].startswith("another value of ")}
    assert others == {"all"}


def test_what_no_groups_can_have_does_not_hinder_what_others_can():
    groups = [Group(*range(n, n + 3)) for n in (2, 5, 8)]
    part = Guesses(0, 1, Values(12), [5, 4, 3], groups, [None] * 3)
    waiting = {7: Wanted(2, 3, 1), 9: Wanted(5, 0, 0)}
    values, taken = part.packed([6, 8, *[0] * 9], waiting)
    assert taken == {9: waiting[9]}
    assert values[5:8] == [0, 2, 1]
    assert values[2] + values[8] == 6


def test_of_what_is_too_much_together_lists_have_some_each():
    """No two of three groups can be without members of a value that two thirds have."""
    groups = [Group(*range(n, n + 3)) for n in (2, 5, 8)]
    part = Guesses(0, 1, Values(12), [3, 4, 5], groups, [None] * 3)
    waiting = {n: Wanted(n, 0, 0) for n in (2, 5, 8)}
    values = [7, 8, *[0] * 9]
    while waiting:
        found, taken = part.packed(values, waiting)
        assert len(taken) == 1
        assert all(each.is_in(found) for each in taken.values())
        waiting = {place: each for place, each in waiting.items() if place not in taken}


def known(sizes, shares, n_values=None):
    """What a reader knows of a page, and all sizes."""
    of_places = {str(place): size for place, size in enumerate(sizes)}
    groups = {"place": of_places}
    groups |= {values_of("ill"): {"": n_values}} if n_values else {}
    n = sum(sizes)
    book = Book(n, sizes={RELEASE[:3]: {"": {"": n}, **groups}})
    book.fix(records(book, RELEASE), n, n)
    below(book, RELEASE, ["place"])
    for line, (subset, share) in enumerate(zip(((), ["place"]), shares, strict=True)):
        count, cell = modal(book, RELEASE, "ill", subset), Cell("t", line, "pct")
        book.share(count, records(book, RELEASE), share, 1, cell)
    known_blocks(book, RELEASE, "place")
    return book


def test_no_group_has_more_right_guesses_than_have_the_most_frequent_value():
    """In 5,099, 99 times 49 and 50 people: 1,049 have it, and 5,950 are right."""
    book = known([5_099, *[49] * 99, 50], (10, 60))
    told = {(claim.about, claim.end) for claim in excluded(book)}
    cells = [Cell("t", line, "pct") for line in (0, 1)]
    assert told >= {(cells[0], "least"), (cells[1], "largest")}
    assert not any(leak.is_open for leak in prove(book).leaks)


@pytest.mark.parametrize(("n_values", "is_told"), [(2, 1), (3, 0), (None, 0)])
def test_of_two_values_one_has_half_of_a_group_or_more(n_values, is_told):
    """Of 101 people some have the most frequent one, as all others are guessed right.

    More than 100 right guesses besides this value both shares do not leave.
    """
    found = prove(known([101, 9_999], (60, 60), n_values))
    told = {(leak.claim.about, leak.claim.end) for leak in found.leaks}
    assert (("ill of group 1 of place", "none") in told) == is_told


@pytest.mark.parametrize("n_values", [3, 4, None])
def test_none_of_a_group_may_have_another_value_or_all_but_few(n_values):
    """Of 205, 195 and others: with 199 right guesses besides, 202 may have it."""
    found = prove(known([205, *[195] * 5, 8_820], (60, 61), n_values))
    (told,) = found.leaks
    about = "another value of ill of group 1 of place"
    assert (told.claim.about, told.claim.end, told.is_open) == (about, "all", False)


@pytest.mark.parametrize(("n_values", "is_told"), [(3, True), (4, False)])
def test_each_of_three_values_somebody_of_a_group_has(n_values, is_told):
    """With 34 % guessed right of three values 3 or more of 703 have each."""
    found = prove(known([703, 9_297], (34, 34), n_values))
    told = {(leak.claim.about, leak.claim.end, leak.is_open) for leak in found.leaks}
    about = "another value of ill of group 1 of place"
    assert ((about, "none", False) in told) == is_told


def test_an_attribute_may_have_a_name_that_looks_like_values_of_another():
    """Its members with a missing value are no number of values."""
    book = Book(1_000, sizes={RELEASE[:3]: {"ill (values)": {"": 700, "x": 300}}})
    assert n_values(book, RELEASE, "ill") is None


def test_a_qid_of_two_values_no_more_than_doubles_right_guesses():
    """42 % with two QIDs are 4,150 or more, so that 2,075 or more are of each."""
    sizes = {"sex": [5_000, 5_000], "works": [5_000, 5_000]}
    shares = [((), 21), (["sex"], 21), (["works"], 21), (["sex", "works"], 42)]
    book = page_of(sizes, shares)
    told = {(claim.about.line, claim.end) for claim in excluded(book)}
    assert told == {(1, "least"), (2, "least")}


@pytest.mark.parametrize(("n_groups", "n_wrong"), [(1, 4), (2, 3), (5, 0)])
def test_who_has_a_value_that_no_group_is_guessed_to_have_is_guessed_wrongly(
    n_groups, n_wrong
):
    """Of five values that occur."""
    sizes = {"place": [10_000 // n_groups] * n_groups}
    book = page_of(sizes, [(["place"], 100)], n_values=5)
    (claim,) = (each for each in book.claims if each.end == "largest")
    (proved,) = (each for each in prove(book).proved if each.claim == claim)
    assert proved.distance == n_wrong


@pytest.mark.parametrize("n_ages", [20, 40])
def test_of_a_large_group_no_more_are_in_small_blocks_than_there_may_be_blocks(n_ages):
    """Of an age that is in two places one is alone at most."""
    sizes = {"place": [5_000, 5_000], "age": [10_000 // n_ages] * (n_ages - 1)}
    sizes["age"].append(10_000 - sum(sizes["age"]))
    book = page_of(sizes, [], [(["place", "age"], (0,))])
    (claim,) = (each for each in book.claims if each.end == "largest")
    (proved,) = (each for each in prove(book).proved if each.claim == claim)
    assert 49 - proved.distance // 200 == n_ages


@pytest.mark.parametrize(("n_values", "is_told"), [(51, True), (30, False)])
def test_a_share_that_leaves_nearly_no_count_tells(n_values, is_told):
    """Of 10,000 all but 50 or fewer have one value by the share, by 51 values 49."""
    page = page_of({"place": [5_000, 5_000]}, [(["place"], 100)], n_values=n_values)
    proof = prove(page)
    told = [
        each for each in proof.leaks if each.claim.about == Cell("guesses", 0, "pct")
    ]
    assert len(told) == is_told
    faults = [*check(json.loads(json.dumps(certificate(Outcome((), page, proof)))))]
    assert any("leaves fewer than ten counts" in each for each in faults) == is_told


ALONE_BY_PLACE = [1] * 41 + [1_106] * 7 + [1_107, 1_110]


@pytest.mark.parametrize(
    ("place", "sex", "shares", "told"),
    [
        (ALONE_BY_PLACE, [5_000, 5_000], (1,), [2]),
        (ALONE_BY_PLACE, [5_000, 5_000], (0,), [2]),
        ([1] * 41 + [221] * 44 + [235], [5_000, 5_000], (1,), []),
        ([2] * 73 + [985] * 9 + [989], [5_000, 5_000], (0, 1, 1, 1), [5, 10, 100]),
        (
            [39] * 130 + [40] * 96 + [1_090],
            [769] * 12 + [772],
            (9, 90, 90, 90),
            [5],
        ),
    ],
)
def test_blocks_of_which_sizes_and_the_page_leave_few_counts_tell(
    place, sex, shares, told
):
    """Of ten counts that sizes leave the page divides; or of blocks below any end.

    In the last one nearly all combinations that there are have to be blocks.
    """
    page = page_of({"place": place, "sex": sex}, [], [(["place", "sex"], shares)])
    proof = prove(page)
    cells = [f"blocks, line 0, below_{end}_pct" for end in told]
    assert sorted(str(each.claim.about) for each in proof.leaks) == sorted(cells)
    faults = [*check(json.loads(json.dumps(certificate(Outcome((), page, proof)))))]
    assert {cell for cell in cells for said in faults if cell in said} == {*cells}
    assert bool(faults) == bool(told)


def test_that_all_are_in_blocks_of_fewer_than_100_tells_of_nobody():
    """Of 10,000 all but 50 or fewer, who would be half a block."""
    page = page_of({"place": [10_000]}, [], [(["age"], (0, 0, 0, 100))])
    proof = prove(page)
    assert proof.leaks == ()
    assert [*check(json.loads(json.dumps(certificate(Outcome((), page, proof)))))] == []


@pytest.mark.parametrize("linked", ["", "1"])
def test_who_is_alone_in_a_release_is_so_where_it_is_linked(linked):
    """145 are alone by their place; that four more are told by the link would tell."""
    sizes = {"place": [1] * 145 + [985] * 9 + [990]}
    page = page_of(sizes, [], [(["place"], (1,))], linked=linked)
    told = [str(each.claim.about) for each in prove(page).leaks]
    assert told == ["blocks, line 0, below_2_pct"] * bool(linked)


@pytest.mark.parametrize("linked", ["", "1"])
def test_right_guesses_are_no_fewer_where_a_release_is_linked(linked):
    """Three of the second place have the most frequent value; else more were right."""
    book = page_of({"place": [9_895, 105]}, [((), 60)], n_values=2)
    release = *RELEASE[:3], linked
    count, cell = modal(book, release, "ill", ["place"]), Cell("guesses", 1, "pct")
    book.share(count, records(book, release), 60, 1, cell)
    known_blocks(book, RELEASE, "place")
    told = {(str(each.claim.about), each.claim.end) for each in prove(book).leaks}
    assert told == {("ill of group 2 of place", "none")}


def test_of_so_many_values_each_block_has_a_part_of_its_records_right():
    """Ten times 4,649 right guesses are of the records, and nine of each alone."""
    places = ["age", "street"]
    book = page_of({"sex": [10_000]}, [(places, 46)], [(places, (41,))], n_values=10)
    told = {str(each.claim.about) for each in prove(book).leaks}
    assert told == {"guesses, line 0, pct", "blocks, line 0, below_2_pct"}


def test_a_linked_release_divides_groups_by_its_own_values_and_who_is_not_in_it():
    """Of each ward three blocks, two by the ward of the other; one is not alone."""
    values = {"ward": {"1": 600, "2": 600}}
    sizes = {("", "t", year): {"": {"": 1_200}, **values} for year in "12"}
    book = Book(1_200, sizes=sizes)
    for release in sizes:
        book.fix(records(book, release), 1_200, 1_200)
    alone = below(book, (*RELEASE[:3], "2"), ["ward"])[2]
    book.close()
    assert n_combinations(book, (*RELEASE[:3], "2"), ["ward"]) == 6
    assert any(
        row.sum.factors == {alone: -1} and row.sum.constant == 2 * 2
        for row in book.rows
    )


def test_a_certificate_that_names_things_otherwise_is_found():
    honest = written(page_of({"place": [5_000, 5_000]}, [(["place"], 70)]))
    assert [*check(honest)] == []
    doubled, renamed = (json.loads(json.dumps(honest)) for _ in range(2))
    doubled["numbers"].append(doubled["numbers"][0])
    for values in doubled["witnesses"]:
        values.append(values[0])
    assert "two numbers have one key" in [*check(doubled)]
    (cell,) = {row["cell"] for row in renamed["rows"] if row.get("cell")}
    of_cell = [row for row in renamed["rows"] if row.get("cell")]
    for row in of_cell:
        row["cell"] = f"{cell} "
    renamed["claims"] = [each for each in renamed["claims"] if each["about"] != cell]
    assert f"claim of {cell} : least, not made once" in [*check(renamed)]
    nobody = written(book_of())
    claim = next(c for c in nobody["claims"] if "of" in c and c["witness"] is not None)
    nobody["witnesses"][claim["witness"]][claim["of"]] = 0
    assert any(said.endswith(", of nobody") for said in check(nobody))
