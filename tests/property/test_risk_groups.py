"""Members of groups by what is found and inferred of them, record by record."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels import keys
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.tally import HITS, ONE_VALUE, SIZE
from microleak.kernels.walk import Work, walk_crossed
from tests import naive
from tests.examples import examples
from tests.property.tables import attribute, records, tables


@st.composite
def grouped_tables(draw):
    """QIDs, sensitive columns, and the number of each record's group."""
    qids, sensitive = draw(tables())
    groups = draw(
        st.lists(st.integers(0, 4), min_size=len(qids[0]), max_size=len(qids[0]))
    )
    return qids, sensitive, groups


def walked(qids, sensitive, groups, **work):
    marked = AttributeCodes(np.array(groups), 5, is_marked=True)
    coded = [*map(attribute, sensitive), marked]
    table = in_memory([attribute(q) for q in qids], coded)
    found = walk_crossed(table, np.arange(1 << len(qids)), Work(**work))
    return {
        subset: {tuple(row[:-1]): row[-1] for row in np.column_stack(rows).tolist()}
        for subset, rows in found
    }


def by_definition(rows, sensitive, groups):
    found = Counter()
    for block in naive.blocks(rows).values():
        for i in block:
            found[SIZE, 0, groups[i], len(block)] += 1
        for s, column in enumerate(sensitive):
            values = [column[i] for i in block]
            most = naive.most_frequent(values)
            for i in block:
                if column[i] in most:
                    found[HITS, s, groups[i], len(most)] += 1
                if len({*values}) == 1:
                    found[ONE_VALUE, s, groups[i], 0] += 1
    return found


@given(grouped_tables())
@examples(500)
def test_members_are_added_up_as_defined(table):
    qids, sensitive, groups = table
    for subset, found in walked(*table).items():
        assert found == by_definition(records(qids, subset), sensitive, groups)


@given(grouped_tables(), st.integers(1, 3))
def test_neither_buckets_nor_threads_nor_turns_change_a_number(table, n_threads):
    whole = walked(*table)
    work = {"n_threads": n_threads, "rows_a_bucket": 2, "tally_bytes": 64}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "LAST_BITS", 10)
        patch.setattr(keys, "RANK_BITS", 40)
        patch.setattr(keys, "SENSITIVE_BITS", 1)
        assert walked(*table, **work) == whole
