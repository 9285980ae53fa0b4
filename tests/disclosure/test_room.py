"""What groups have in small blocks beside large ones: by all ways to divide them."""

from collections import Counter
from itertools import combinations, product

import numpy as np
import pytest

from microleak.disclosure.book import Book
from microleak.disclosure.laws import ENDS
from microleak.disclosure.room import Counted, Groups, corners
from microleak.disclosure.sizes import main_combinations, records
from tests.disclosure.known_world import RELEASE

PAIRS = [(2, 3), (2, 4), (2, 5), (3, 4), (3, 5)]
EDGES = [
    1,
    2,
    3,
    4,
    5,
    8,
    9,
    10,
    11,
    12,
    18,
    19,
    20,
    50,
    98,
    99,
    100,
    101,
    150,
    198,
    200,
]


def divisions(size, n_blocks, most=None):
    """All ways to divide so many records into so many blocks, some of nobody."""
    if not n_blocks:
        return [()] if not size else []
    most = size if most is None else min(size, most)
    firsts = range(most, -1, -1)
    return [(n, *r) for n in firsts for r in divisions(size - n, n_blocks - 1, n)]


@pytest.mark.parametrize(("end", "larger"), PAIRS)
@pytest.mark.parametrize("are_blocks", [False, True])
def test_corners_are_those_of_all_ways_to_divide_a_group(end, larger, are_blocks):
    weights = [*product((1, 2, 3, 5, 9), (-3, -2, -1, 0, 1, 2, 3)), (0, 1), (0, -1)]
    for size, n_blocks in product(range(16), range(1, 5)):
        found = corners(np.array([size]), n_blocks, Counted(end, larger, are_blocks))
        points = {
            (int(large), int(small)) for (large,), (small,) in zip(*found, strict=True)
        }
        every = {
            (
                sum(n for n in each if n >= larger),
                sum(1 if are_blocks else n for n in each if 0 < n < end),
            )
            for each in divisions(size, n_blocks)
        }
        assert points <= every
        for small, large in weights:
            most = (max(small * x - large * y for y, x in p) for p in (points, every))
            assert len({*most}) == 1


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
    for by, rare, (end, larger) in product(codes, (0, 3, n), combinations(ENDS, 2)):
        choices = main_combinations(book, RELEASE, codes.keys() - {by}, rare)
        groups = Groups(of_qids[by].values(), choices)
        n_large = sum(each for each in blocks if each >= larger)
        small = [each for each in blocks if each < end]
        for are_blocks, n_small in ((False, sum(small)), (True, len(small))):
            counted = Counted(end, larger, are_blocks)
            for by_small, by_large, most in groups.bounds(counted, {n_large: n + 1}):
                yield from by_small * n_small > most + by_large * n_large


def test_no_table_exceeds_a_bound():
    found = Counter(each for seed in range(60) for each in exceeded(people(seed)))
    assert found[False] > 10_000
    assert not found[True]
