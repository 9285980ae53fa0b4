"""What groups have in small blocks beside large ones: by all ways to divide them."""

from collections import Counter
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

from microleak.disclosure.book import FEW, Book, Cell, Sum
from microleak.disclosure.laws import COUNTED, ENDS
from microleak.disclosure.program import numbers_of, solved
from microleak.disclosure.proof import prove
from microleak.disclosure.room import Counted, Groups, corners
from microleak.disclosure.rounding import percent, step_of
from microleak.disclosure.sizes import Divided, main_combinations, records
from tests.disclosure.exact_cells import hold_divisions
from tests.disclosure.known_world import RELEASE, page_of

CLASSES = [
    *(
        Counted(1, *ends, are_blocks=each)
        for ends in ((2, 3), (2, 4), (2, 5), (3, 4), (3, 5))
        for each in (False, True)
    ),
    *(
        Counted(*ends, are_blocks=False)
        for ends in ((2, 4, 5), (2, 4, 7), (2, 5, 6), (3, 6, 7))
    ),
]
EDGES = [*range(1, 6), *range(8, 13), 18, 19, 20, 50, 98, 99, 100, 101, 150, 198, 200]


def divisions(size, n_blocks, most=None):
    """All ways to divide so many records into so many blocks, some of nobody."""
    if not n_blocks:
        return [()] if not size else []
    most = size if most is None else min(size, most)
    firsts = range(most, -1, -1)
    return [(n, *r) for n in firsts for r in divisions(size - n, n_blocks - 1, n)]


@pytest.mark.parametrize("counted", CLASSES)
def test_corners_are_those_of_all_ways_to_divide_a_group(counted):
    weights = [*product((1, 2, 3, 5, 9), (-3, -2, -1, 0, 1, 2, 3)), (0, 1), (0, -1)]
    for size, n_blocks in product(range(16), range(1, 5)):
        found = corners(np.array([size]), n_blocks, counted)
        points = {
            (int(large), int(small)) for (large,), (small,) in zip(*found, strict=True)
        }
        every = {of_blocks(each, counted) for each in divisions(size, n_blocks)}
        assert points <= every
        for small, large in weights:
            most = (max(small * x - large * y for y, x in p) for p in (points, every))
            assert len({*most}) == 1


def of_blocks(blocks, counted):
    """Records in large blocks, and what is counted in small ones."""
    first, end, larger, are_blocks = counted
    small = [each for each in blocks if first <= each < end]
    n_large = sum(each for each in blocks if each >= larger)
    return n_large, len(small) if are_blocks else sum(small)


@pytest.mark.parametrize("n_blocks", [1, 2, 3])
@pytest.mark.parametrize("end", [2, 3, 5])
def test_no_division_has_more_in_small_blocks(n_blocks, end):
    """Of all divisions of up to three groups whose main parts leave so many records."""
    n_tight = 0
    for sizes in combinations_with_replacement(range(1, 8), 3):
        most = Counter()
        for each in product(*(divisions(size, n_blocks) for size in sizes)):
            for mains in product(*map(set, each)):
                n_small = sum(n for blocks in each for n in blocks if n < end)
                most[sum(sizes) - sum(mains)] = max(
                    n_small, most[sum(sizes) - sum(mains)]
                )
        for n_apart in range(12):
            true = max(n for of, n in most.items() if of <= n_apart)
            bound = Divided(sizes, n_blocks, n_apart).most_below(end)
            assert true <= bound
            n_tight += true == bound
    assert n_tight > 500


def people(seed):
    """Codes of two or three QIDs, whose groups and blocks are as large as ends."""
    rng = np.random.default_rng(seed)
    n_groups = int(rng.choice([1, 2, 3, 5, 8, 15, 30]))
    sizes = rng.choice(rng.choice(EDGES, size=3), size=n_groups)
    group = np.repeat(np.arange(n_groups), sizes)
    found = {"a": group}
    for qid in "bc"[: int(rng.integers(1, 3))]:
        n = int(rng.choice([1, 2, 2, 3, 4, 7]))
        within = np.concatenate([np.arange(size) for size in sizes])
        end = int(rng.choice([2, 5, 10, 100]))
        some = rng.choice(n, size=len(group), p=rng.dirichlet(np.ones(n) * 0.5))
        full = np.minimum(within // (end - 1), n - 1)
        apart = np.where(within < rng.integers(0, 5), rng.integers(n), 0)
        found[qid] = [some, full, apart][int(rng.integers(3))]
    return found


def exceeded(codes):
    """Of each bound of a table, whether it is exceeded."""
    n = len(codes["a"])
    of_qids = {qid: Counter(map(str, each.tolist())) for qid, each in codes.items()}
    book = Book(n, sizes={RELEASE[:3]: {"": {"": n}, **of_qids}})
    book.fix(records(book, RELEASE), n, n)
    rows = zip(*(each.tolist() for each in codes.values()), strict=True)
    blocks = [*Counter(rows).values()]
    for by, rare, counted in product(codes, (0, 3, n), COUNTED):
        choices = main_combinations(book, RELEASE, codes.keys() - {by}, rare)
        groups = Groups(of_qids[by].values(), choices)
        n_large, n_small = of_blocks(blocks, counted)
        for by_small, by_large, most in groups.bounds(counted, {n_large: n + 1}):
            yield from by_small * n_small > most + by_large * n_large


def test_no_table_exceeds_a_bound():
    found = Counter(each for seed in range(60) for each in exceeded(people(seed)))
    assert found[False] > 10_000
    assert not found[True]


def book_of_places(sizes, n_rare):
    """A page of places with sizes known; of each of so many one has a rare value."""
    place = np.repeat(np.arange(len(sizes)), sizes)
    has_rare = np.zeros(len(place), int)
    has_rare[np.cumsum([0, *sizes])[:n_rare]] = 1
    people = pd.DataFrame({"a": place, "b": has_rare}).astype(str)
    n, step = len(people), step_of(len(people))
    blocks = []
    for qids in ("a", "b", "ab"):
        of_qids = people.groupby([*qids]).size()
        counts = [of_qids[of_qids < end].sum() for end in ENDS]
        blocks.append((qids, percent(pd.Series(counts), n, step).tolist()))
    of_values = {qid: people[qid].value_counts().tolist() for qid in people}
    return page_of(of_values, [], blocks, step=step)


def test_that_all_with_a_rare_value_are_alone_is_found():
    """Of 250 places of 4 no other can be alone, and 10% of 1,000 begin at 50."""
    (leak,) = prove(book_of_places([4] * 250, n_rare=50)).leaks
    assert leak.is_narrow
    assert leak.claim.about == Cell("blocks", 2, "below_2_pct")
    assert prove(book_of_places([4] * 250, n_rare=60)).leaks == ()


def test_that_some_are_alone_besides_places_of_nearly_an_end_is_found():
    """Of 60 places of 101 most have a block of 100, and so somebody who is alone."""
    (leak,) = prove(book_of_places([101] * 60 + [3] * 45, n_rare=60)).leaks
    assert (leak.claim.about.column, leak.claim.end) == ("below_2_pct", "least")


def at_an_edge(seed):
    """Places of a few sizes, and just as many rare values as an edge of a share."""
    rng = np.random.default_rng(seed)
    pool = rng.choice([*range(2, 14), 20, 40, 60, 101, 110], 4, replace=False)
    n = int(rng.choice([1_000, 2_000, 5_000]))
    sizes = rng.choice(pool, n, p=rng.dirichlet(np.ones(4)))
    sizes = sizes[: int((np.cumsum(sizes) < n).sum()) + 1].tolist()
    n, step = sum(sizes), step_of(sum(sizes))
    edge = -(-step * n // 200)
    return sizes, min(edge + int(rng.integers(8)), len(sizes))


def counts_left(book, rows):
    """How far the fewest and the most who are alone are apart, as rows leave them."""
    number = book.number("below", *RELEASE, frozenset("ab"), ENDS[0])
    every, bounds = sorted({*numbers_of(rows)}), (book.low, book.high)
    ends = (solved(rows, Sum({number: sign}), bounds, every) for sign in (1, -1))
    fewest, most = (found[every.index(number)] for found in ends)
    return most - fewest


def test_ten_counts_of_those_alone_are_in_tables_of_places_at_an_edge():
    """Exactly, or as many as sizes leave; of pages that are proved."""
    n_proved = 0
    for seed in range(40):
        sizes, n_rare = at_an_edge(seed)
        book = book_of_places(sizes, n_rare)
        if prove(book, is_quick=True).leaks:
            continue
        n_laws = len(book.rows)
        shares = [row for row in book.rows if row.cell and row.cell.line == 2]
        hold_divisions(book, RELEASE, "ab", sizes, n_rare)
        exact = book.rows[n_laws:]
        by_page, by_sizes = (counts_left(book, r) for r in ([*shares, *exact], exact))
        assert by_page >= min(FEW, by_sizes), seed
        n_proved += 1
    assert n_proved > 10
