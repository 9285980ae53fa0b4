"""Measures from profiles: their rows, order, worst subsets and distributions."""

import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given

from microleak.attacks.collective import measure as success_file
from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.measure import measure_analysis, worst_subsets
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from microleak.records.profile_file import profiles_of, read_profiles, write_profiles
from microleak.records.subsets import names_of
from microleak.tables import parquet as table_files
from tests import naive
from tests.assessing import assess
from tests.property.tables import attribute, records, tables
from tests.walking import walked
from tests.watched import steps_watched

PEOPLE = pa.table(
    {
        "age": ["25", "25", "25", "25", "25", "49", "49", "49", "49", None],
        "sex": list("FFFMMFFFMM"),
        "ill": list("nyyynyynnn"),
    }
)
ANALYSIS = Collective("demo", "people", "1", ("age", "sex"), ("ill",), "all")


@pytest.fixture
def profiles(tmp_path):
    pq.write_table(PEOPLE, tmp_path / "people.parquet")
    path = tmp_path / "profiles.parquet"
    resources = Resources(1, 8_000, tmp_path)
    profile_analysis([tmp_path / "people.parquet"], ANALYSIS, False, resources, path)
    return path


@pytest.fixture
def success(tmp_path):
    return tmp_path / "success" / "demo.parquet"


@pytest.fixture
def measures(profiles, success):
    return measure_analysis([profiles], ANALYSIS, False, success)


@pytest.fixture
def exact(measures, success):
    return pq.read_table(success).to_pandas()


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


def test_distribution_is_the_success_of_the_worst_subsets_in_bins(exact, measures):
    which = ["attack", "qids", "sensitive"]
    rows = exact.astype(dict.fromkeys(which, "str"))
    rows = rows.merge(measures.worst[which].drop_duplicates())
    binned = rows.groupby([*which, "bin"], sort=False, as_index=False)["n_records"]
    shared = measures.distribution[[*which, "bin", "n_records"]]
    pd.testing.assert_frame_equal(shared, binned.sum())


def test_success_says_what_the_measures_say_of_the_panel(exact):
    panel = exact[["analysis", "table", "focal", "auxiliary"]].drop_duplicates()
    assert panel.to_numpy().tolist() == [["demo", "people", "1", ""]]
    assert (exact["n_qids"] == exact["qids"].str.count(r"\|") + 1).all()


@pytest.mark.parametrize(
    ("is_synthetic", "note"), [(True, b"SYNTHETIC"), (False, b"released")]
)
def test_success_says_whether_its_data_are_synthetic(
    profiles, success, is_synthetic, note
):
    measure_analysis([profiles], ANALYSIS, is_synthetic, success)
    assert pq.read_schema(success).metadata[b"data"] == note


def test_no_row_group_cuts_an_attack_with_a_subset(profiles, success, monkeypatch):
    monkeypatch.setattr(table_files, "ROWS_A_GROUP", 4)
    measure_analysis([profiles], ANALYSIS, False, success)
    file = pq.ParquetFile(success)
    groups = [file.read_row_group(i).to_pandas() for i in range(file.num_row_groups)]
    attacks = [set(zip(g["qids"], g["sensitive"], strict=True)) for g in groups]
    assert sum(map(len, attacks)) == len(set.union(*attacks)) == 6
    assert all(len(group) >= 4 for group in groups[:-1])


def test_nothing_but_the_file_is_left_beside_it(measures, success):
    assert list(success.parent.iterdir()) == [success]


def test_progress_tells_of_every_subset_and_every_attack(profiles, success):
    with steps_watched() as steps:
        measure_analysis([profiles], ANALYSIS, False, success)
    assert steps == [("measuring subsets", 3, [1] * 3), ("writing success", 6, [6])]


def plain_success(rows, values):
    """Numerator, denominator, bin and records of each success, by the definition."""
    shares = Counter()
    for block in naive.blocks(rows).values():
        modal = max(Counter(values[row] for row in block).values())
        shares[Fraction(modal, len(block))] += len(block)
    return [
        (*share.as_integer_ratio(), 100 * share // 1, n_records)
        for share, n_records in sorted(shares.items())
    ]


@given(tables(max_qids=3))
def test_success_is_that_of_the_plain_definition_wherever_it_waits(table):
    qids, sensitive = table
    names = tuple("abc"[: len(qids)]), tuple("xy"[: len(sensitive)])
    analysis = Collective("demo", "people", "1", *names, "all")
    coded = [attribute(q) for q in qids], [attribute(s) for s in sensitive]
    found = walked(*coded, range(1 << len(qids)))
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(success_file, "BYTES_HELD", 20)
        patch.setattr(table_files, "ROWS_A_GROUP", 3)
        profiles, success = Path(folder) / "profiles", Path(folder) / "success"
        write_profiles(profiles, sorted(found.items()), is_synthetic=True)
        measure_analysis([profiles], analysis, True, success)
        rows = pq.read_table(success).to_pandas()
    columns = ["qids", "sensitive", "numerator", "denominator", "bin", "n_records"]
    identity = range(len(qids[0]))
    assert list(rows[columns].itertuples(index=False, name=None)) == [
        ("|".join(names_of(subset, names[0])), name, *row)
        for name, values in zip(("", *names[1]), (identity, *sensitive), strict=True)
        for subset in analysis.subsets
        for row in plain_success(records(qids, subset), values)
    ]


@given(tables(max_qids=3))
def test_profiles_come_back_from_their_file_as_they_were(table):
    qids, sensitive = table
    coded = [attribute(q) for q in qids], [attribute(s) for s in sensitive]
    found = walked(*coded, range(1 << len(qids)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profiles.parquet"
        write_profiles(path, sorted(found.items()), is_synthetic=True)
        assert pq.read_schema(path).metadata[b"data"] == b"SYNTHETIC"
        read = dict(read_profiles(path))
    assert sorted(read) == sorted(found)
    for subset, by_sensitive in read.items():
        expected = profiles_of(found[subset])
        assert by_sensitive.keys() == expected.keys()
        for i, profile in by_sensitive.items():
            for name in ("block_size", "modal_count", "n_distinct", "n_blocks"):
                own, other = (getattr(each, name) for each in (profile, expected[i]))
                assert np.array_equal(own, other)
