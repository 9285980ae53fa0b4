"""Pooled records are those of the releases, one after the other, and say of which."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import TableError
from microleak.sources.steps.pool import pool_people

values = st.one_of(st.none(), st.sampled_from(["a", "b", ""]))
records = st.lists(st.tuples(values, values), max_size=9)


def write(path, rows, metadata=None, **options):
    fields = [("AGE", pa.string()), ("SEX", pa.string()), ("LEFT_OUT", pa.string())]
    columns = [[row[i] for row in rows] for i in (0, 1)] + [["x"] * len(rows)]
    table = pa.table(columns, schema=pa.schema(fields, metadata))
    pq.write_table(table, path, **options)
    return path


def pooled(folder, people, names=("SEX", "STATE", "AGE")):
    out, receipt = folder / "pooled.parquet", folder / "pooled.json"
    pool_people(people, names, "STATE", out, receipt)
    return pq.read_table(out), json.loads(receipt.read_text("utf-8"))


@given(records, records, st.integers(1, 4))
def test_records_follow_one_another_whatever_the_row_groups(
    tmp_path_factory, first, second, size
):
    folder = tmp_path_factory.mktemp("pool")
    people = {
        "RR": write(folder / "1.parquet", first, row_group_size=size),
        "AC": write(folder / "2.parquet", second, row_group_size=size),
    }
    table, told = pooled(folder, people)
    expected = [(s, "RR", a) for a, s in first] + [(s, "AC", a) for a, s in second]
    found = zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    assert table.column_names == ["SEX", "STATE", "AGE"]
    assert list(found) == expected
    assert told["n_records"] == len(expected)
    assert told["releases"] == {"RR": len(first), "AC": len(second)}
    assert told["person_id"] is None


def test_the_attribute_may_be_the_only_one_and_may_be_left_out(tmp_path):
    people = {
        name: write(tmp_path / f"{name}.parquet", [("a", "b")] * n)
        for name, n in (("RR", 2), ("AC", 1))
    }
    only, _ = pooled(tmp_path, people, ["STATE"])
    assert only.to_pydict() == {"STATE": ["RR", "RR", "AC"]}
    without, _ = pooled(tmp_path, people, ["AGE"])
    assert without.to_pydict() == {"AGE": ["a"] * 3}


def test_a_mark_of_any_release_is_kept(tmp_path):
    people = {
        "RR": write(tmp_path / "1.parquet", [("a", "b")]),
        "AC": write(tmp_path / "2.parquet", [("a", "b")], {"made": "SYNTHETIC"}),
    }
    table, _ = pooled(tmp_path, people)
    assert table.schema.metadata == {b"made": b"SYNTHETIC"}


@pytest.mark.parametrize("last", ["AC", "RR"])
def test_records_are_synthetic_if_those_of_any_release_are(tmp_path, last):
    marks = {"RR": "SYNTHETIC", "AC": "released"}
    people = {
        name: write(tmp_path / name, [("a", "b")], {"data": marks[name]})
        for name in sorted(marks, key=last.__eq__)
    }
    table, _ = pooled(tmp_path, people)
    assert table.schema.metadata == {b"data": b"SYNTHETIC"}


def test_a_release_that_is_not_there_is_named(tmp_path):
    people = {"RR": write(tmp_path / "1.parquet", []), "AC": tmp_path / "2.parquet"}
    with pytest.raises(TableError, match=r"2\.parquet cannot be read"):
        pooled(tmp_path, people)
    assert not (tmp_path / "pooled.parquet").exists()
