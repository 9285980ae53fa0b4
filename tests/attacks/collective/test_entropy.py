"""Entropies of an analysis: QIDs from its profile, sensitive ones from records."""

from collections import Counter
from math import log2

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import entropies
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
        "age": 3,
        "sex": 3,
        "age|sex": 7,
        "ill": 3,
        "bus": 3,
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
