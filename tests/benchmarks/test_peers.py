from collections import Counter
from importlib import import_module
from itertools import combinations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from benchmarks.coded_tables import write_codes
from benchmarks.counts import Counts, is_identical, whole_number
from benchmarks.peers import PEERS, Given

QIDS, SENSITIVE = ("school", "year", "sex"), ("special", "transport")
SUBSETS = [chosen for size in (1, 2, 3) for chosen in combinations(QIDS, size)]


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    n_values = {"school": 9, "year": 7, "sex": 2, "special": 2, "transport": 3}
    columns = {
        name: [str(v) if v else None for v in rng.integers(0, n + 1, 120)]
        for name, n in n_values.items()
    }
    return pa.table(columns)


@pytest.fixture(scope="module")
def given(people, tmp_path_factory):
    folder = tmp_path_factory.mktemp("peers")
    pq.write_table(people, folder / "people.parquet")
    codes = folder / "codes.parquet"
    write_codes(str(folder / "people.parquet"), [*QIDS, *SENSITIVE], str(codes))
    return Given(codes, QIDS, SENSITIVE, 1, 500, folder)


def plain_counts(people, qids):
    records = people.to_pylist()
    block_of = [tuple(record[qid] for qid in qids) for record in records]
    size = Counter(block_of)
    modal, certain = [], []
    for name in SENSITIVE:
        values = {block: Counter() for block in size}
        for block, record in zip(block_of, records, strict=True):
            values[block][record[name]] += 1
        modal.append(sum(max(found.values()) for found in values.values()))
        certain.append(sum(size[b] for b, found in values.items() if len(found) == 1))
    n_unique = sum(n == 1 for n in size.values())
    return Counts(len(size), n_unique, tuple(modal), tuple(certain))


@pytest.mark.parametrize("peer", PEERS)
def test_a_peer_counts_what_the_definitions_say_also_of_missing_values(
    peer, people, given
):
    pytest.importorskip(PEERS[peer].package, reason="needs the oracles group")
    module, name = PEERS[peer].opens.split(":")
    count = getattr(import_module(module), name)(given)
    for qids in SUBSETS:
        assert is_identical(plain_counts(people, qids), count(qids)), qids


def test_a_count_that_a_peer_does_not_compute_is_not_compared():
    ours = Counts(5, 2, (7, 8), (3, 4))
    assert is_identical(ours, Counts(5, None, (7, 8), None))
    assert not is_identical(ours, Counts(5, None, (7, 9), None))


def test_a_share_that_is_no_whole_number_of_records_is_refused():
    assert whole_number(2 / 7, 7) == 2
    with pytest.raises(ValueError, match="not a whole number of 7 records"):
        whole_number(0.3, 7)


def test_codes_have_no_missing_values_and_the_smallest_type(given):
    codes = pq.read_table(given.codes)
    assert {str(column.type) for column in codes.columns} == {"uint8"}
    assert all(column.null_count == 0 for column in codes.columns)
