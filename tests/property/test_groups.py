"""Members of blocks: the walk over marked attributes, and what follows from it."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.definitions.group_inference import group_inference
from microleak.kernels import keys
from microleak.kernels.records import AttributeCodes
from microleak.records.profile_file import profiles_of
from tests import naive
from tests.examples import examples
from tests.property.tables import attribute, records, tables
from tests.property.test_walk import kinds
from tests.walking import walked


@st.composite
def marked_tables(draw, max_groups=6, **sizes):
    """QID and sensitive columns, and for each group whether a record is a member."""
    qids, sensitive = draw(tables(**sizes))
    source = draw(st.sampled_from([*qids, *sensitive]))
    known = st.sets(st.sampled_from(source))
    of_values = known.map(lambda members: [value in members for value in source])
    of_records = st.lists(st.booleans(), min_size=len(source), max_size=len(source))
    groups = st.lists(of_values | of_records, min_size=1, max_size=max_groups)
    return qids, sensitive, draw(groups)


def marks(is_member):
    return AttributeCodes(np.array(is_member, dtype=np.uint8), 2, is_marked=True)


def walked_with_groups(qids, sensitive, groups, **work):
    coded = [*map(attribute, sensitive), *map(marks, groups)]
    subsets = range(1 << len(qids))
    return walked([attribute(q) for q in qids], coded, subsets, **work)


def kinds_by_members(rows, is_member):
    """Number of blocks by (size, members, 1 + whether these are some, 0)."""
    found = Counter()
    for block in naive.blocks(rows).values():
        members = sum(is_member[i] for i in block)
        found[len(block), members, 1 + (0 < members < len(block)), 0] += 1
    return found


def assert_as_defined(qids, sensitive, groups, found):
    for subset, histogram in found.items():
        rows = records(qids, subset)
        for i, column in enumerate(sensitive):
            assert kinds(histogram, i) == naive.kinds_of_blocks(rows, column)
        for i, is_member in enumerate(groups, len(sensitive)):
            assert kinds(histogram, i) == kinds_by_members(rows, is_member)


@given(marked_tables(max_records=60), st.integers(1, 3), st.integers(1, 5))
def test_every_subset_has_the_members_of_the_definition_in_buckets_of_any_size(
    table, n_threads, rows_a_bucket
):
    assert_as_defined(*table, walked_with_groups(*table, n_threads=n_threads))
    work = {"n_threads": 2, "rows_a_bucket": rows_a_bucket, "tally_bytes": 0}
    assert_as_defined(*table, walked_with_groups(*table, **work))


@given(marked_tables(max_qids=3), st.integers(1, 90))
@examples(60)
def test_members_are_counted_in_blocks_that_are_final_on_any_level_of_keys(
    table, n_times
):
    table = [[column * n_times for column in part] for part in table]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "LAST_BITS", 10)
        patch.setattr(keys, "WORD_BITS", 6)
        patch.setattr(keys, "SENSITIVE_BITS", 8)
        found = walked_with_groups(*table)
    assert_as_defined(*table, found)


def test_blocks_of_one_or_two_rows_have_their_members_whatever_their_size():
    """Of some sizes blocks of one row are counted first, of others at once."""
    sizes = [1, 7, 8, 63, 64, 127, 128, 255, 256, 511, 512, 1023, 1024, 1025]
    pair = np.repeat(np.arange(len(sizes)), np.multiply(sizes, 2)).tolist()
    half = np.concatenate([np.arange(2 * size) // size for size in sizes]).tolist()
    both = list(zip(pair, half, strict=True))
    groups = [[(p + h) % n == 0 for p, h in both] for n in (2, 3, 1, 5, 7)]
    for n_groups in range(1, 6):
        table = [pair, half], [], groups[:n_groups]
        assert_as_defined(*table, walked_with_groups(*table))


def share(part, whole):
    return Fraction(part, whole) if whole else None


def outcomes(table):
    """What is inferred of each group with each subset, after who is a member."""
    qids, sensitive, groups = table
    found = walked_with_groups(*table)
    for subset, histogram in found.items():
        profiles = profiles_of(histogram)
        for i, is_member in enumerate(groups, len(sensitive)):
            yield subset, records(qids, subset), is_member, group_inference(profiles[i])


def belief_in_each(rows, is_member):
    found = [Fraction(0)] * len(rows)
    for block in naive.blocks(rows).values():
        members = sum(is_member[i] for i in block)
        for i in block:
            found[i] = Fraction(members, len(block))
    return found


@given(marked_tables(max_groups=2))
@examples(60)
def test_counts_and_shares_are_those_of_the_members_one_by_one(table):
    for _, rows, is_member, found in outcomes(table):
        belief = belief_in_each(rows, is_member)
        in_members = [b for b, one in zip(belief, is_member, strict=True) if one]
        n_members = len(in_members)
        assert found.n_members == n_members == sum(is_member)
        assert found.n_blocks == len(naive.blocks(rows))
        assert found.n_certain == sum(b == 1 for b in in_members)
        assert found.n_likely == sum(b > Fraction(1, 2) for b in in_members)
        assert found.n_above_90 == sum(b > Fraction(9, 10) for b in in_members)
        assert found.prior_prob == Fraction(n_members, len(rows))
        assert found.posterior_det == share(found.n_certain, n_members)
        assert found.posterior_prob == share(sum(in_members), n_members)
