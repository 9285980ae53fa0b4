"""What profiles decide, and what is grouped again, agree with the definitions."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from microleak.attacks.anonymity import blocks as far_values
from microleak.attacks.anonymity.blocks import (
    SensitiveDomain,
    marked_in,
    marks_of,
    with_marks,
)
from microleak.attacks.anonymity.definitions.sensitive_values import (
    entropy_l,
    recursive_c,
    t_equal,
    t_ordered,
    value_counts,
)
from microleak.attacks.anonymity.entities import entity_rows, entity_sizes
from microleak.attacks.anonymity.values import completed, decided
from microleak.definitions.profile import partition
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work, walk_subsets
from microleak.records import subsets as subset_tree
from microleak.records.profile_file import profiles_of
from tests.examples import examples
from tests.property.tables import attribute, tables, values

SMALL_MARKS = (1, 3, 9)
"""As few records as random tables have, so that several marks are made."""


def in_order(column):
    """Codes in the order of the values, a missing one first."""
    known = sorted(set(column), key=lambda value: (value is not None, value))
    return AttributeCodes(
        np.array([known.index(value) for value in column]), len(known)
    )


def coded(table):
    qids, sensitive = table
    sensitive = sensitive or [[None] * len(qids[0])]
    return in_memory([*map(attribute, qids)], [*map(in_order, sensitive)])


def from_profiles(records):
    """Domain of each sensitive attribute, and what is decided of all subsets."""
    domains = [SensitiveDomain(values.counts, True) for values in records.sensitive]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(far_values, "MARKED_RECORDS", SMALL_MARKS)
        marks = marks_of(domains)
    found = [{} for _ in domains]
    subsets = range(1, 1 << len(records.qids))
    for subset, histogram in walk_subsets(with_marks(records, marks), subsets, Work()):
        profiles = profiles_of(histogram)
        for i, domain in enumerate(domains):
            mine = [m for m in marked_in(profiles, marks) if m[0].sensitive == i]
            found[i][subset] = decided(profiles[i], domain, mine)
    return list(zip(domains, found, strict=True))


def by_definition(records, subset, sensitive):
    chosen = [i for i in range(len(records.qids)) if subset >> i & 1]
    *qids, value = records.chunk(0, [*chosen, len(records.qids) + sensitive])
    counts = value_counts(partition(qids), value)
    return {
        "l_entropy": entropy_l(counts),
        "recursive_c_2": recursive_c(counts, 2),
        "recursive_c_3": recursive_c(counts, 3),
        "t_equal": t_equal(counts),
        "t_ordered": t_ordered(counts),
    }


@given(tables())
def test_what_profiles_decide_is_what_the_definitions_say(table):
    records = coded(table)
    for i, (domain, of_subsets) in enumerate(from_profiles(records)):
        for subset, part in of_subsets.items():
            exact = by_definition(records, subset, i)
            assert part.measures.items() <= exact.items()
            for name, far in part.reached.items():
                assert far <= exact[name] * domain.scale(name)


@given(tables(), st.integers(1, 40), st.sampled_from([64, 2**62]))
# A block that is farther than a pure one by less than a value is from the next.
@example(([[1, 0, 2, 1, 2]], [[3, 2, 0, 3, 0]]), 40, 2**62)
def test_what_they_leave_open_is_found_in_parts_and_blocks_of_any_number(
    table, most_rows, most_blocks
):
    records = coded(table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subset_tree, "MOST_BLOCKS", most_blocks)
        for i, (domain, of_subsets) in enumerate(from_profiles(records)):
            found = completed(records, i, domain, of_subsets, most_rows)
            for subset, measures in found.items():
                assert measures == by_definition(records, subset, i)


@given(tables(max_sensitive=1))
@examples(50)
def test_of_two_values_the_profiles_decide_everything(table):
    qids, sensitive = table
    binary = [[value is None for value in column] for column in sensitive]
    for _, of_subsets in from_profiles(coded((qids, binary))):
        assert not any(part.reached for part in of_subsets.values())


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_distances_of_pure_blocks_are_those_of_their_shares(counts):
    domain, n = SensitiveDomain(np.array(counts), True), sum(counts)
    ranks = range(len(counts) - 1)
    for value, of_value in enumerate(counts):
        moved = sum(abs((i >= value) * n - sum(counts[: i + 1])) for i in ranks)
        assert domain.distances["t_equal"][value] == n - of_value
        assert domain.distances["t_ordered"][value] == moved


rows = st.lists(st.tuples(st.integers(0, 5), values, values), min_size=1, max_size=40)


@given(rows)
def test_entities_share_blocks_with_those_of_equal_multisets_in_every_subset(table):
    entity, *qids = zip(*table, strict=True)
    coded_qids = [attribute(column) for column in qids]
    given_rows = entity_rows(
        np.array(entity),
        [qid.codes for qid in coded_qids],
        [qid.n_values for qid in coded_qids],
    )
    found = entity_sizes(given_rows, [0b01, 0b10, 0b11])
    for subset, sizes in found.items():
        owned = defaultdict(Counter)
        for one, *known in table:
            owned[one][tuple(v for i, v in enumerate(known) if subset >> i & 1)] += 1
        blocks = Counter(frozenset(multiset.items()) for multiset in owned.values())
        expected = Counter(blocks.values())
        n_blocks = dict(zip(sizes.size.tolist(), sizes.n_blocks.tolist(), strict=True))
        assert n_blocks == expected
