"""What the own record adds, and its bounds at coarser and finer nodes."""

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
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
)
from microleak.kernels.kinds import choices_of
from tests import naive
from tests.examples import examples

records = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(0, 3)),
    min_size=1,
    max_size=16,
)


def counts_of(keys, sensitive):
    """Counts of a node, block by block."""
    blocks = defaultdict(list)
    for key, value in zip(keys, sensitive, strict=True):
        blocks[key].append(value)
    counts = np.zeros(BY_CHOICES + 20, dtype=np.int64)
    modal = Counter(sensitive).most_common(1)[0][0]
    for block in blocks.values():
        by_value = [*Counter(block).values()]
        alone = ALONE_MODAL if block[0] == modal else ALONE_OTHER
        place = alone if len(block) == 1 else BY_CHOICES + choices_of(by_value)
        counts[place] += max(by_value)
    return counts


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
        blocks = defaultdict(list)
        for key, value in zip(keys, sensitive, strict=True):
            blocks[key].append(value)
        n_right = sum(max(Counter(block).values()) for block in blocks.values())
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
    of = [
        own_record(whole, counts_of(keys, ill)) for keys in (["all"] * 7, town, street)
    ]
    assert of == [0, Fraction(1, 7), 0]
