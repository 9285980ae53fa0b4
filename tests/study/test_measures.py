"""Measures from profiles: their rows, order, worst subsets and distributions."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from microleak import assess
from microleak.kernels.walk import walk
from microleak.study.measures import measure_analysis, worst_subsets
from microleak.study.model import Collective
from microleak.study.profile_file import (
    profiles_of,
    read_profiles,
    write_profiles,
)
from microleak.study.profiling import profile_analysis
from tests.property.tables import attribute, tables

PEOPLE = pa.table(
    {
        "age": ["25", "25", "25", "25", "25", "49", "49", "49", "49", None],
        "sex": list("FFFMMFFFMM"),
        "ill": list("nyyynyynnn"),
    }
)
ANALYSIS = Collective("demo", "people", "1", ("age", "sex"), ("ill",), "all")


@pytest.fixture
def measures(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    path = tmp_path / "profiles.parquet"
    profile_analysis(tmp_path / "people.parquet", ANALYSIS, False, 1, path)
    return measure_analysis(path, ANALYSIS)


def test_rows_are_sorted_by_attack_and_then_the_study_file(measures):
    rows = measures.collective
    assert rows["attack"].tolist() == ["CRS"] * 3 + ["CAS"] * 3
    assert rows["qids"].tolist() == ["age", "sex", "age|sex"] * 2


def test_the_file_gives_the_same_as_assess(measures):
    direct = assess(PEOPLE, ["age", "sex"], ["ill"])
    shared = measures.collective[direct.columns]
    pd.testing.assert_frame_equal(shared, direct)


def test_the_worst_subset_of_each_size_is_given_by_each_criterion(measures):
    crs = measures.worst[measures.worst["attack"] == "CRS"]
    assert crs[["criterion", "n_qids", "qids"]].to_numpy().tolist() == [
        ["deterministic", 1, "age"],
        ["probabilistic", 1, "age"],
        ["deterministic", 2, "age|sex"],
        ["probabilistic", 2, "age|sex"],
    ]


def test_among_equals_the_first_in_the_study_file_is_the_worst(measures):
    tied = measures.collective.assign(n_certain=5, n_modal=5)
    assert worst_subsets(tied)["qids"].unique().tolist() == ["age", "age|sex"]


def test_success_and_distribution_count_every_record_once(measures):
    exact = measures.success.to_pandas()
    per_subset = exact.groupby(["qids", "sensitive"], observed=True)["n_records"].sum()
    assert set(per_subset) == {10}
    binned = measures.distribution.groupby(["qids", "sensitive"])["n_records"].sum()
    assert set(binned) == {10}


def test_success_of_the_ages_is_one_over_their_blocks(measures):
    exact = measures.success.to_pandas()
    ages = exact[(exact["qids"] == "age") & (exact["sensitive"] == "")]
    columns = ["numerator", "denominator", "bin", "n_records"]
    assert ages[columns].to_numpy().tolist() == [
        [1, 5, 20, 5],
        [1, 4, 25, 4],
        [1, 1, 100, 1],
    ]


@given(tables(max_qids=3))
def test_profiles_come_back_from_their_file_as_they_were(table):
    qids, sensitive = table
    coded = [attribute(q) for q in qids], [attribute(s) for s in sensitive]
    found = walk(*coded, range(1 << len(qids)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profiles.parquet"
        write_profiles(path, found, is_synthetic=True)
        assert pq.read_schema(path).metadata[b"data"] == b"SYNTHETIC"
        read = dict(read_profiles(path))
    assert sorted(read) == sorted(found)
    for subset, by_sensitive in read.items():
        expected = profiles_of(found[subset])
        assert by_sensitive.keys() == expected.keys()
        for i, profile in by_sensitive.items():
            assert np.array_equal(profile.block_size, expected[i].block_size)
            assert np.array_equal(profile.modal_count, expected[i].modal_count)
            assert np.array_equal(profile.n_distinct, expected[i].n_distinct)
            assert np.array_equal(profile.n_blocks, expected[i].n_blocks)
