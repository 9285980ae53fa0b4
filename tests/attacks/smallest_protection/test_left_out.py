"""What the others of a block tell, what the own record adds, and its bounds."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.smallest_protection.definitions.own_record import (
    Whole,
    least_of_finer,
    most_of_coarser,
    own_record,
)
from microleak.attacks.smallest_protection.kernels.left_out import (
    ALONE_MODAL,
    ALONE_OTHER,
    BY_CHOICES,
    left_out,
)
from microleak.kernels.kinds import choices_of
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests import naive
from tests.examples import examples, seeds


def counts_of(keys, sensitive, n_values=20):
    """Counts of a node, block by block."""
    counts = np.zeros(BY_CHOICES + 1 + n_values, dtype=np.int64)
    modal = max(sorted({*sensitive}), key=sensitive.count)
    for block in naive.blocks(keys).values():
        by_value = [*Counter(sensitive[i] for i in block).values()]
        alone = ALONE_MODAL if sensitive[block[0]] == modal else ALONE_OTHER
        place = alone if len(block) == 1 else BY_CHOICES + choices_of(by_value)
        counts[place] += max(by_value)
    return counts


@pytest.mark.parametrize("rows_a_bucket", [7, 10**6])
@pytest.mark.parametrize("seed", seeds(40))
def test_counts_are_those_of_every_block(seed, rows_a_bucket):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 300))
    n_values = int(rng.choice([1, 2, 3, 40]))
    sizes = rng.integers(1, 9, int(rng.integers(1, 5)))
    qids = [rng.integers(0, size, n) for size in sizes]
    sensitive = [
        np.minimum(rng.geometric(0.4, n) - 1, n_values - 1),
        rng.integers(0, 3, n),
    ]
    if seed % 4 == 0:  # large blocks of one row
        n = 3_000
        one = np.zeros(n, dtype=np.int64)
        qids, sensitive = [one for _ in qids], [one, one]
    attributes = [AttributeCodes(q, int(q.max()) + 1) for q in qids]
    given = [AttributeCodes(sensitive[0], n_values), AttributeCodes(sensitive[1], 3)]
    records = in_memory(attributes, given)
    wanted = np.arange(1 << len(qids))
    work = Work(rows_a_bucket=rows_a_bucket)
    for s, values in enumerate(given):
        found = left_out(records, s, wanted, work)
        for subset, counts in zip(wanted.tolist(), found, strict=True):
            chosen = [q.tolist() for at, q in enumerate(qids) if subset >> at & 1]
            keys = [*zip(*chosen, strict=True)] or [()] * n
            expected = counts_of(keys, sensitive[s].tolist(), values.n_values)
            assert counts.tolist() == expected.tolist()


records = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)),
    min_size=1,
    max_size=16,
)


@given(records)
@examples(2_000)
def test_bounds_hold_of_every_coarser_and_finer_node(rows):
    """Of the node of one fact, and the finer one of two."""
    sensitive = [row[2] for row in rows]
    by_value = [*Counter(sensitive).values()]
    whole = Whole(len(rows), max(by_value), choices_of(by_value))
    coarse, fine = [row[:1] for row in rows], [row[:2] for row in rows]
    found = {}
    for name, keys in (("coarse", coarse), ("fine", fine)):
        n_right = int(sum(naive.individual_success(keys, sensitive)))
        of_others = naive.guessed_from_others(keys, sensitive)
        prior = Fraction(max(by_value), len(rows))
        counts = counts_of(keys, sensitive)
        added = own_record(whole, counts)
        assert added == Fraction(n_right, len(rows)) - max(prior, of_others)
        found[name] = added, most_of_coarser(whole, n_right), counts
    (of_coarse, _, counts), (of_fine, most, _) = found["coarse"], found["fine"]
    assert of_coarse <= most
    assert least_of_finer(whole, counts) <= min(of_coarse, of_fine)


def test_it_may_rise_and_fall_as_a_node_gets_finer():
    """Two ill and one healthy in a town; by street the ill are told from others."""
    town = ["a"] * 3 + ["b"] * 4
    street = ["a1", "a1", "a2"] + ["b"] * 4
    ill = ["y", "y", "n", "n", "n", "n", "n"]
    whole = Whole(7, 5, 1)
    nodes = (["all"] * 7, town, street)
    of = [own_record(whole, counts_of(keys, ill)) for keys in nodes]
    assert of == [0, Fraction(1, 7), 0]
