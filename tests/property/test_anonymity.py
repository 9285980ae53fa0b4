"""Anonymity models agree with their definitions, spelled out block by block."""

from collections import Counter, defaultdict
from fractions import Fraction
from math import exp, fsum, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.anonymity.definitions.k_anonymity import (
    entity_blocks,
    k_anonymity,
    n_below,
    n_unsafe_combinations,
    share_below,
    sizes_in,
)
from microleak.attacks.anonymity.definitions.sensitive_values import (
    ValueCounts,
    distinct_l,
    entropy_l,
    k_anonymity_histogram,
    l_diversity_histogram,
    recursive_c,
    t_equal,
    t_ordered,
    value_counts,
)
from microleak.definitions.exact import largest_sum, smallest_sum, sum_of_ratios
from microleak.definitions.profile import partition
from microleak.records.profile_file import profiles_of
from tests import naive
from tests.property.tables import attribute, records, tables, values
from tests.walking import walked

rows = st.lists(st.tuples(values, values), min_size=1, max_size=30)
"""A QID and a sensitive value of each record; None is a missing value."""


def in_order(value):
    """Where a value is in its order: a missing one comes first."""
    return (value is not None, value)


def codes(column):
    known = sorted(set(column), key=in_order)
    return np.array([known.index(value) for value in column])


def counted(table):
    """The table of blocks by values, its entries in no order."""
    qid, sensitive = zip(*table, strict=True)
    found = value_counts(partition([codes(qid)]), codes(sensitive))
    mixed = np.random.default_rng(len(table)).permutation(len(found.count))
    return ValueCounts(found.block[mixed], found.value[mixed], found.count[mixed])


def by_block(table):
    found = defaultdict(list)
    for qid, sensitive in table:
        found[qid].append(sensitive)
    return list(found.values())


def shares(sensitive, domain):
    return [Fraction(sensitive.count(value), len(sensitive)) for value in domain]


def domain_of(table):
    return sorted({sensitive for _, sensitive in table}, key=in_order)


@given(tables(max_sensitive=1), st.integers(1, 6))
def test_k_and_l_are_those_of_the_smallest_blocks_of_every_subset(table, k):
    qids, sensitive = table
    sensitive = sensitive or [[None] * len(qids[0])]
    subsets = range(1 << len(qids))
    found = walked([*map(attribute, qids)], [*map(attribute, sensitive)], subsets)
    for subset, histogram in found.items():
        profile = profiles_of(histogram)[0]
        kinds = naive.kinds_of_blocks(records(qids, subset), sensitive[0])
        blocks = [(size, distinct) for size, _, distinct, _ in kinds.elements()]
        sizes = sizes_in(profile)
        below = sum(size for size, _ in blocks if size < k)
        assert k_anonymity(sizes) == min(size for size, _ in blocks)
        assert distinct_l(profile) == min(distinct for _, distinct in blocks)
        assert n_below(sizes, k) == below
        assert share_below(sizes, k) == Fraction(below, len(qids[0]))
        assert n_unsafe_combinations(sizes, k) == sum(size <= k for size, _ in blocks)
        buckets = k_anonymity_histogram(sizes)
        assert buckets.n_blocks.sum() == len(blocks)
        assert buckets.n_records.sum() == len(qids[0])
        values = l_diversity_histogram(profile, (1, k + 1))
        n_few = sum(distinct <= k for _, distinct in blocks)
        n_each = filter(None, (n_few, len(blocks) - n_few))
        assert values.n_blocks.tolist() == [*n_each]


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), max_size=60))
def test_entities_share_a_block_if_their_multisets_of_rows_are_equal(pairs):
    entity = np.array([e for e, _ in pairs], dtype=np.int64)
    block = np.array([b for _, b in pairs], dtype=np.int64)
    found = entity_blocks(entity, block)
    owned = defaultdict(Counter)
    for one, row in pairs:
        owned[one][row] += 1
    multisets = [frozenset(owned[one].items()) for one in sorted(owned)]
    assert len(found) == len(multisets)
    together = set(zip(found.tolist(), multisets, strict=True))
    assert len(together) == len(set(multisets)) == len(set(found.tolist()))


@given(rows)
def test_entropy_l_is_that_of_the_block_with_least_entropy(table):
    entropies = [
        fsum(
            count / len(block) * log(len(block) / count)
            for count in Counter(block).values()
        )
        for block in by_block(table)
    ]
    assert entropy_l(counted(table)) == pytest.approx(exp(min(entropies)), rel=1e-12)


@given(rows, st.integers(2, 4))
def test_recursive_c_is_the_bound_of_those_that_every_block_satisfies(table, l_values):
    found = recursive_c(counted(table), l_values)
    blocks = [sorted(Counter(b).values(), reverse=True) for b in by_block(table)]

    def is_diverse(c):
        return all(r[0] < c * sum(r[l_values - 1 :]) for r in blocks)

    if found is None:
        assert not is_diverse(10**6)
    else:
        assert not is_diverse(found)
        assert is_diverse(found + Fraction(1, 10**6))


@given(rows)
def test_t_with_equal_distance_is_half_the_sum_of_differences(table):
    domain = domain_of(table)
    whole = shares([sensitive for _, sensitive in table], domain)
    distances = [
        sum(abs(p - q) for p, q in zip(shares(b, domain), whole, strict=True)) / 2
        for b in by_block(table)
    ]
    assert t_equal(counted(table)) == max(distances)


def earth_moved(block, whole):
    """Sum over ranks of what is moved past them, over the ranks there are."""
    moved = np.cumsum([p - q for p, q in zip(block, whole, strict=True)])
    return sum(map(abs, moved), Fraction(0)) / max(len(whole) - 1, 1)


@given(rows | st.lists(st.tuples(st.integers(0, 2), st.integers(0, 40)), min_size=1))
def test_t_with_ordered_distance_is_the_earth_moved_over_ranks(table):
    domain = domain_of(table)
    whole = shares([sensitive for _, sensitive in table], domain)
    distances = [earth_moved(shares(b, domain), whole) for b in by_block(table)]
    assert t_ordered(counted(table)) == max(distances)


ratios = st.lists(
    st.tuples(st.integers(-(2**31), 2**31), st.integers(1, 2**31)), min_size=1
)


@given(ratios)
def test_sums_and_extremes_of_ratios_are_exact(pairs):
    exactly = [Fraction(*pair) for pair in pairs]
    numerators, denominators = np.array(pairs).T
    assert sum_of_ratios(numerators, denominators) == sum(exactly)
    assert largest_sum((numerators, denominators)) == max(exactly)
    assert smallest_sum((numerators, denominators)) == min(exactly)


def test_ratios_that_floats_cannot_tell_apart_are_compared_exactly():
    most = 2**31
    numerators, denominators = np.array([[most - 2, most - 1], [most - 1, most]])
    assert largest_sum((numerators, denominators)) == Fraction(most - 1, most)
    assert smallest_sum((numerators, denominators)) == Fraction(most - 2, most - 1)
    ones = np.array([1, 1])
    both = (numerators, denominators), (-ones, ones)
    assert largest_sum(*both) == Fraction(-1, most)
