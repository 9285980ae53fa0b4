"""Entropies of an analysis: QIDs from its profile, sensitive ones from records."""

from collections import Counter
from fractions import Fraction
from math import log2

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import entropies
from microleak.attacks.collective.definitions.entropy import (
    expected_block_size,
    mean_block_size,
    shannon_entropy,
)
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.study.tables import result_tables as specs

ENTROPY = tuple(specs()["entropy"].names)

PEOPLE = {
    "age": ["25", "25", None, "60", None, "60", None, "60"],
    "sex": ["f", "m", "f", "f", "m", None, None, "f"],
    "ill": ["y", "n", None, "y", None, None, "y", "y"],
    "bus": ["y", "n", "n", "n", "n", "n", "n", None],
}
QIDS, SENSITIVE = ("age", "sex"), ("ill", "bus")


def found(folder, people=PEOPLE, analysis=("all", SENSITIVE), rows_a_group=3):
    """Entropies of a table, whose file has several row groups."""
    subsets, sensitive = analysis
    demo = Collective("demo", "people", "1", QIDS, sensitive, subsets)
    path, profiles = folder / "people.parquet", folder / "profiles.parquet"
    pq.write_table(pa.table(people), path, row_group_size=rows_a_group)
    resources = Resources(1, 8_000, folder)
    profile_analysis([path], demo, False, resources, profiles)
    return entropies(profiles, path, demo)


def naive(*names):
    """Entropy of columns together, in bits, null being a value."""
    rows = Counter(zip(*(PEOPLE[name] for name in names), strict=True))
    n = sum(rows.values())
    return -sum(count / n * log2(count / n) for count in rows.values())


def test_rows_are_the_subsets_by_size_and_then_the_sensitive_attributes(tmp_path):
    table = found(tmp_path)
    assert tuple(table.columns) == ENTROPY
    assert table[["role", "attributes", "n_attributes"]].to_numpy().tolist() == [
        ["qid", "age", 1],
        ["qid", "sex", 1],
        ["qid", "age|sex", 2],
        ["sensitive", "ill", 1],
        ["sensitive", "bus", 1],
    ]
    names = ["analysis", "table", "focal"]
    assert (table[names] == ["demo", "people", "1"]).all(axis=None)


def test_a_missing_value_is_one_value_of_its_own(tmp_path):
    table = found(tmp_path).set_index("attributes")
    assert table["n_blocks"].to_dict() == {
        **{"age": 3, "sex": 3, "age|sex": 7, "ill": 3, "bus": 3}
    }
    for attributes, entropy in table["entropy"].items():
        assert entropy == pytest.approx(naive(*attributes.split("|")), abs=1e-12)


def test_sizes_of_blocks_are_means_over_blocks_and_over_records(tmp_path):
    table = found(tmp_path).set_index("attributes")
    sizes = ["n_records", "mean_block_size", "expected_block_size"]
    # Four records are ill, one is not and of three it is missing.
    assert table.loc["ill", sizes].tolist() == [8, 8 / 3, (16 + 1 + 9) / 8]
    assert table.loc["age", sizes].tolist() == [8, 8 / 3, (4 + 9 + 9) / 8]


def test_the_order_of_records_and_their_row_groups_do_not_matter(tmp_path):
    upside_down = {name: column[::-1] for name, column in PEOPLE.items()}
    assert found(tmp_path).equals(found(tmp_path, upside_down, rows_a_group=8))


def test_an_analysis_without_sensitive_attributes_has_the_wanted_subsets(tmp_path):
    table = found(tmp_path, analysis=("full", ()))
    assert table[["role", "attributes"]].to_numpy().tolist() == [["qid", "age|sex"]]
    assert table["entropy"].tolist() == [pytest.approx(naive("age", "sex"), abs=1e-12)]


values = st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=60)


def blocks(*sizes):
    """Sizes of blocks, and one block of each."""
    return np.array(sizes), np.ones(len(sizes), dtype=np.int64)


@pytest.mark.parametrize(
    ("sizes", "bits"),
    [([7], 0), ([1, 1], 1), ([3, 3, 3, 3], 2), ([4, 2, 1, 1], 1.75), ([1] * 1024, 10)],
)
def test_entropy_of_worked_tables_is_exact(sizes, bits):
    assert shannon_entropy(*blocks(*sizes)) == bits


@given(values)
def test_entropy_is_that_of_the_definition_with_missing_values_as_one(column):
    counts = Counter(column)
    shares = [count / len(column) for count in counts.values()]
    found = shannon_entropy(*blocks(*counts.values()))
    assert found == pytest.approx(-sum(p * log2(p) for p in shares), abs=1e-12)
    assert 0 <= found <= log2(len(counts)) + 1e-12


@given(values)
def test_sizes_are_means_over_blocks_and_over_records(column):
    counts = Counter(column)
    sizes = blocks(*counts.values())
    of_records = [counts[value] for value in column]
    assert mean_block_size(*sizes) == Fraction(len(column), len(counts))
    assert expected_block_size(*sizes) == Fraction(sum(of_records), len(column))
    assert mean_block_size(*sizes) <= expected_block_size(*sizes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=40), st.randoms())
def test_neither_order_nor_merging_of_kinds_changes_a_bit(sizes, random):
    shuffled = random.sample(sizes, len(sizes))
    merged = np.array(list(Counter(sizes).items())).T
    found = {shannon_entropy(*blocks(*order)) for order in (sizes, shuffled)}
    assert found == {shannon_entropy(*merged)}


def test_a_country_of_one_size_of_blocks_does_not_overflow():
    largest = 2**31 - 1
    assert expected_block_size(*blocks(largest)) == largest


@given(st.lists(st.tuples(st.integers(1, 2**36), st.integers(1, 9)), min_size=1))
def test_the_expected_size_of_blocks_of_more_than_32_bits_is_exact(kinds):
    squares = sum(size * size * n for size, n in kinds)
    n_records = sum(size * n for size, n in kinds)
    expected = Fraction(squares, n_records)
    assert expected_block_size(*np.array(kinds).T) == expected
