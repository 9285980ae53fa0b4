"""The walk agrees with the plain definition on every table, however it is run."""

import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.kernels import keys
from microleak.kernels.records import AttributeCodes
from microleak.records.memory import Scratch
from tests import naive, walking
from tests.examples import examples
from tests.property.tables import attribute, records, tables


def kinds(histogram, sensitive):
    mine = histogram.sensitive == sensitive
    inner = (histogram.modal_count, histogram.n_distinct, histogram.choices)
    columns = (histogram.block_size, *inner)
    keys_ = zip(*(column[mine].tolist() for column in columns), strict=True)
    return Counter(dict(zip(keys_, histogram.n_blocks[mine].tolist(), strict=True)))


def walked(qids, sensitive, subsets, **work):
    coded = [attribute(q) for q in qids], [attribute(s) for s in sensitive]
    return walking.walked(*coded, subsets, **work)


def assert_as_defined(qids, sensitive, found):
    for subset, histogram in found.items():
        rows = records(qids, subset)
        for i, column in enumerate(sensitive or [[0] * len(rows)]):
            assert kinds(histogram, i) == naive.kinds_of_blocks(rows, column)


@given(tables(), st.integers(1, 3))
@examples(300)
def test_every_subset_has_the_blocks_of_the_definition(table, n_threads):
    qids, sensitive = table
    found = walked(qids, sensitive, range(1 << len(qids)), n_threads=n_threads)
    assert sorted(found) == list(range(1 << len(qids)))
    assert_as_defined(qids, sensitive, found)


@given(tables(max_qids=5, max_records=60), st.integers(1, 5), st.data())
def test_some_subsets_have_the_blocks_of_the_definition_in_buckets_of_any_size(
    table, rows_a_bucket, data
):
    qids, sensitive = table
    wanted = data.draw(st.sets(st.integers(0, (1 << len(qids)) - 1), min_size=1))
    work = {"n_threads": 2, "rows_a_bucket": rows_a_bucket, "tally_bytes": 0}
    found = walked(qids, sensitive, list(wanted), **work)
    assert set(found) == wanted
    assert_as_defined(qids, sensitive, found)


@given(tables(max_qids=5), st.integers(1, 40))
@examples(200)
def test_attributes_that_need_several_levels_of_keys_give_the_same(table, n_times):
    qids, sensitive = ([column * n_times for column in part] for part in table)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keys, "LAST_BITS", 24)
        patch.setattr(keys, "WORD_BITS", 6)
        patch.setattr(keys, "SENSITIVE_BITS", 13)
        found = walked(qids, sensitive, range(1 << len(qids)))
    assert_as_defined(qids, sensitive, found)


@given(tables(max_qids=3), st.data())
def test_determined_qids_in_any_place_and_shelves_on_disk_give_the_same(table, data):
    qids, sensitive = table
    determined = [(value or 0) % 3 for value in data.draw(st.sampled_from(qids))]
    qids = data.draw(st.permutations([*qids, determined, ["same"] * len(qids[0])]))
    n_times = data.draw(st.integers(1, 20))
    qids, sensitive = (
        [column * n_times for column in part] for part in (qids, sensitive)
    )
    with tempfile.TemporaryDirectory() as folder:
        found = walked(
            qids,
            sensitive,
            range(1 << len(qids)),
            n_threads=data.draw(st.integers(1, 3)),
            rows_a_bucket=data.draw(st.integers(1, 50)),
            tally_bytes=data.draw(st.sampled_from([0, 1 << 14, 1 << 30])),
            new_shelf=Scratch(Path(folder), data.draw(st.integers(0, 2000))).shelf,
        )
    assert_as_defined(qids, sensitive, found)
    assert sorted(found) == list(range(1 << len(qids)))


@given(tables(max_records=80), st.integers(1, 3), st.integers(1, 9))
def test_records_walked_are_told_about_once_for_each_subset(table, n_threads, rows):
    qids, sensitive = table
    told = []
    work = {"n_threads": n_threads, "rows_a_bucket": rows, "advance": told.append}
    walked(qids, sensitive, range(1 << len(qids)), **work)
    total = len(qids[0]) << len(qids)
    assert abs(sum(told) - total) <= len(told) / 2


def test_a_sensitive_attribute_of_any_number_of_values_is_counted_on_every_level():
    """Equal rows of upper levels, whose keys have other bits in its place."""
    rng = np.random.default_rng(11)
    for n_values in (3, 1025):
        part = [rng.integers(0, 6000, 9000).repeat(2) for _ in range(5)]
        alike = [rng.integers(0, 6000, 40).repeat(1500) for _ in range(5)]
        qids = [np.concatenate(both) for both in zip(part, alike, strict=True)]
        sensitive = np.arange(len(qids[0])) % n_values
        sensitive[len(part[0]) :] = 0
        coded = (
            [AttributeCodes(q, 6000) for q in qids],
            [AttributeCodes(sensitive, n_values)],
        )
        found = walking.walked(*coded, [7, 30, 31])
        for subset, histogram in found.items():
            chosen = [qids[q] for q in range(5) if subset >> q & 1]
            assert kinds(histogram, 0) == kinds_by_sorting(chosen, sensitive)


def kinds_by_sorting(qids, sensitive):
    """Blocks by size, modal count, distinct values and choices, of many records."""
    rows = np.column_stack([*qids, sensitive])
    values, counts = np.unique(rows, axis=0, return_counts=True)
    block = np.unique(values[:, :-1], axis=0, return_inverse=True)[1].ravel()
    sizes = np.bincount(block, weights=counts).astype(int)
    modal = np.zeros(len(sizes), dtype=int)
    np.maximum.at(modal, block, counts)
    distinct = np.bincount(block)
    is_alone = np.bincount(block, weights=counts == modal[block]) == 1
    runners_up = np.bincount(block, weights=counts == modal[block] - 1).astype(int)
    choices = np.where(is_alone & (modal > 1), 1 + runners_up, 0)
    columns = (sizes, modal, distinct, choices)
    return Counter(zip(*(column.tolist() for column in columns), strict=True))


def test_codes_that_no_record_has_change_nothing():
    qids = [AttributeCodes(np.full(10, 1), 2), AttributeCodes(np.arange(10) % 3 + 4, 9)]
    found = walking.walked(qids, [], range(4), rows_a_bucket=3)
    assert kinds(found[1], 0) == {(10, 10, 1, 1): 1}
    assert (
        kinds(found[2], 0) == kinds(found[3], 0) == {(4, 4, 1, 1): 1, (3, 3, 1, 1): 2}
    )


def test_large_tables_with_thousands_of_sensitive_values_agree_with_the_definition():
    rng = np.random.default_rng(7)
    qids = [rng.integers(0, 6, 4000).tolist(), rng.integers(0, 40, 4000).tolist()]
    sensitive = [rng.zipf(1.3, 4000).clip(max=4000).tolist()]
    assert_as_defined(qids, sensitive, walked(qids, sensitive, range(4)))


def test_many_kinds_of_large_blocks_are_each_counted_once():
    rng = np.random.default_rng(9)
    sizes = rng.integers(16, 400, 600)
    school = np.repeat(np.arange(600), sizes)
    rare = rng.random(len(school)) < 0.01
    qids = [school.tolist(), (school % 7).tolist()]
    sensitive = [rare.astype(int).tolist(), [0] * len(school)]
    found = walked(qids, sensitive, range(4))
    assert_as_defined(qids, sensitive, found)
    for histogram in found.values():
        columns = histogram.outer, histogram.modal_count, histogram.inner
        kinds_found = list(zip(*columns, strict=True))
        assert kinds_found == sorted(set(kinds_found))


def test_sensitive_attributes_of_any_number_and_size_are_walked():
    rng = np.random.default_rng(10)
    qids = [rng.integers(0, 30, 900).tolist()]
    wide = [rng.integers(0, 1 << 40, 900).tolist() for _ in range(5)]
    flags = [rng.integers(0, 2, 900).tolist() for _ in range(70)]
    assert_as_defined(qids, [*wide, *flags], walked(qids, [*wide, *flags], range(2)))
