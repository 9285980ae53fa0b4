"""Minimal sample uniques of every record, against all sets of its QIDs tried."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.special_uniques import kernels as uniques
from microleak.attacks.special_uniques.kernels import minimal_uniques
from microleak.kernels import keys
from microleak.kernels.records import in_memory
from microleak.kernels.walk import Work
from tests.examples import examples
from tests.property.tables import attribute, records, tables


def by_definition(qids):
    """Sets of QIDs, as bit masks, of each record that is alone with no part of them."""
    n = len(qids[0])
    alone = []
    for subset in range(1 << len(qids)):
        rows = records(qids, subset)
        counts = Counter(rows)
        alone.append([counts[row] == 1 for row in rows])
    parts = {
        s: [s & ~(1 << q) for q in range(len(qids)) if s >> q & 1]
        for s in range(1, len(alone))
    }
    return [
        {s for s in parts if alone[s][i] and not any(alone[p][i] for p in parts[s])}
        for i in range(n)
    ]


def found_in(qids, **work):
    table = in_memory([attribute(q) for q in qids], [])
    lists = []
    for _, starts, masks in minimal_uniques(table, Work(**work)):
        parts = np.split(masks, starts[1:-1])
        lists += [part.tolist() for part in parts]
    assert all(len({*found}) == len(found) for found in lists)
    return [{*found} for found in lists]


wide = tables(max_qids=6, max_sensitive=0, max_records=40)


@given(wide)
@examples(500)
def test_all_minimal_sample_uniques_of_every_record_are_found(table):
    assert found_in(table[0]) == by_definition(table[0])


@given(wide, st.integers(1, 3))
def test_neither_buckets_nor_threads_nor_words_change_one(table, n_threads):
    work = {"n_threads": n_threads, "rows_a_bucket": 2}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniques, "MOST_WAITING", 2)
        patch.setattr(keys, "LAST_BITS", 6)
        patch.setattr(keys, "WORD_BITS", 3)
        assert found_in(table[0], **work) == by_definition(table[0])
