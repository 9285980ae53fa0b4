"""How many people have each value is what a plain count finds."""

from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.records.singles import single_sizes, value_counts

ROWS = st.lists(st.tuples(st.sampled_from(["a", "b", "", None]), st.sampled_from("xy")))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("people")


def written(file, rows):
    columns = {name: [row[place] for row in rows] for place, name in enumerate("pq")}
    fields = [(name, pa.dictionary(pa.int32(), pa.string())) for name in "pq"]
    pq.write_table(pa.table(columns, pa.schema(fields)), file, row_group_size=3)
    return file


@given(ROWS)
def test_values_are_counted_in_pieces_and_a_missing_one_is_a_value(folder, rows):
    found = value_counts(written(folder / "people.parquet", rows), ["q", "p"])
    assert found == {
        "q": Counter(row[1] for row in rows),
        "p": Counter(row[0] for row in rows),
    }


def test_values_have_their_places_and_attributes_are_counted_once(tmp_path):
    rows = [("a", "x"), (None, "x"), ("b", "y"), ("b", "x")]
    files = {"1": written(tmp_path / "1", rows), "2": written(tmp_path / "2", rows[:1])}
    known = [("t", "1", ["p"]), ("t", "2", ["q"]), ("t", "1", ["q", "p"])]
    assert [*single_sizes(known, lambda _, release: files[release])] == [
        ("t", "1", "", "", 4),
        *(("t", "1", "p", str(n), size) for n, size in enumerate([2, 1, 1], 1)),
        ("t", "1", "q", "1", 3),
        ("t", "1", "q", "2", 1),
        ("t", "2", "", "", 1),
        ("t", "2", "q", "1", 1),
    ]
