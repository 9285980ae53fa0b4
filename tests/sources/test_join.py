"""Releases put together: person by person, or one after the other."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from microleak.base.errors import TableError
from microleak.sources.steps.join import ReleaseLink, join
from microleak.sources.steps.pool import pool_people

IDS = st.lists(st.sampled_from([f"{n:02}" for n in range(20)]), unique=True)


def people(path, rows, row_group_size=2):
    columns = list(zip(*rows, strict=True)) or [[], [], []]
    arrays = [pa.array(column, pa.string()) for column in columns]
    table = pa.table(dict(zip(("ID", "home", "stage"), arrays, strict=True)))
    pq.write_table(table, path, row_group_size=row_group_size)
    return path


def joined(folder, focal, auxiliary):
    one = people(folder / "focal.parquet", focal)
    other = people(folder / "auxiliary.parquet", auxiliary)
    panel, receipt = folder / "panel.parquet", folder / "panel.json"
    join(ReleaseLink(one, other, "ID", "2015"), panel, receipt)
    return pq.read_table(panel), json.loads(receipt.read_text())


def rows_of(table):
    return [tuple(row.values()) for row in table.to_pylist()]


def test_each_focal_person_has_the_auxiliary_values_or_missing_ones(tmp_path):
    table, receipt = joined(
        tmp_path,
        [("01", "a", "x"), ("02", "a", "y"), ("10", "b", "x")],
        [("02", "c", None), ("03", "c", "z"), ("10", "d", "z")],
    )
    assert table.column_names == ["home|2015", "stage|2015"]
    assert rows_of(table) == [(None, None), ("c", None), ("d", "z")]
    assert receipt == {"n_focal": 3, "n_auxiliary": 3, "n_linked": 2}


def test_identifiers_are_text_with_their_leading_zeros(tmp_path):
    focal = [("007", "a", "x"), ("8", "a", "x")]
    table, _ = joined(tmp_path, focal, [("7", "b", "y"), ("8", "c", "y")])
    assert rows_of(table) == [(None, None), ("c", "y")]


def test_releases_that_share_nobody_are_refused(tmp_path):
    words = r"Nobody in focal is in 2\d*: no ID is in both"
    with pytest.raises(TableError, match=words):
        joined(tmp_path, [("007", "a", "x")], [("7", "b", "y")])
    assert not (tmp_path / "panel.parquet").exists()


def test_identifiers_are_compared_by_their_bytes(tmp_path):
    ids = ["10", "9", "Z", "a", "é"]
    rows = [(i, "a", i) for i in ids]
    table, _ = joined(tmp_path, rows, rows)
    assert [row[1] for row in rows_of(table)] == ids


@given(focal=IDS, auxiliary=IDS, size=st.integers(1, 5))
def test_a_panel_is_a_left_join(tmp_path_factory, focal, auxiliary, size):
    assume(not auxiliary or set(focal) & set(auxiliary))
    folder = tmp_path_factory.mktemp("panel")
    of = {i: (f"home of {i}", None) for i in auxiliary}
    one = people(folder / "a", [(i, "", "") for i in sorted(focal)], size)
    other = people(folder / "b", [(i, *of[i]) for i in sorted(auxiliary)], 3)
    join(ReleaseLink(one, other, "ID", "2015"), folder / "c", folder / "d")
    found = rows_of(pq.read_table(folder / "c"))
    assert found == [of.get(i, (None, None)) for i in sorted(focal)]
    assert json.loads((folder / "d").read_text()) == {
        "n_focal": len(focal),
        "n_auxiliary": len(auxiliary),
        "n_linked": len(set(focal) & set(auxiliary)),
    }


@pytest.mark.parametrize(
    "ids", [("1", "1"), ("2", "1"), ("1", "2", "2"), ("1", "2", "1")]
)
@pytest.mark.parametrize("is_focal", [True, False])
def test_two_records_of_a_person_are_refused_by_row(tmp_path, ids, is_focal):
    wrong, right = [(i, "secret", "x") for i in ids], [("1", "a", "x")]
    pair = (wrong, right) if is_focal else (right, wrong)
    words = rf": row {len(ids)} has the person of the row before it, or comes before"
    with pytest.raises(TableError, match=words) as refusal:
        joined(tmp_path, *pair)
    assert "secret" not in str(refusal.value)
    assert not (tmp_path / "panel.parquet").exists()


def test_a_row_without_a_person_is_refused_by_row(tmp_path):
    with pytest.raises(TableError, match=r"auxiliary\.parquet: row 3 has no person"):
        joined(
            tmp_path,
            [("1", "a", "x")],
            [("1", "a", "x"), ("2", "a", "x"), (None, "a", "x")],
        )


def test_a_file_without_the_identifier_is_refused(tmp_path):
    one = people(tmp_path / "focal.parquet", [("1", "a", "x")])
    with pytest.raises(TableError, match=r"focal\.parquet has no column PERSON"):
        join(ReleaseLink(one, one, "PERSON", "2015"), tmp_path / "p", tmp_path / "r")


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
def test_records_follow_one_another_in_any_groups(
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
