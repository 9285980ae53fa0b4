"""Files of earlier jobs: what is whole is read, what is cut is named."""

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from microleak.base.errors import TableError
from microleak.sources.steps.intermediate import (
    metadata_of,
    parquet,
    receipt,
    rows_where,
    schema_of,
)

SECRET = "canary"
READERS = [
    metadata_of,
    parquet,
    schema_of,
    lambda path: rows_where(path, pc.field("name") == SECRET),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.parquet"
    pq.write_table(pa.table({"name": [SECRET, "x"], "age": [1, 2]}), path)
    return path


def test_a_whole_file_is_read(table):
    assert schema_of(table).names == ["name", "age"]
    assert metadata_of(table).num_rows == 2
    assert parquet(table, ["name"]).read().column(0).type == pa.dictionary(
        pa.int32(), pa.string()
    )
    found = rows_where(table, pc.field("name") == SECRET, ["age"])
    assert found.to_pydict() == {"age": [1]}


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("n_bytes", [0, 3, -1, -9])
def test_a_cut_table_is_named_with_what_to_do(table, read, n_bytes):
    table.write_bytes(table.read_bytes()[:n_bytes])
    words = r"people\.parquet cannot be read as Parquet: it is cut .* Delete it and run"
    with pytest.raises(TableError, match=words) as error:
        read(table)
    assert SECRET not in str(error.value)


@pytest.mark.parametrize("content", [b"", b'{"n_read": 1', b'{"name": "\xff"}'])
def test_a_cut_receipt_is_named_with_what_to_do(tmp_path, content):
    path = tmp_path / "1.json"
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"1\.json cannot be read as JSON: .*resume"):
        receipt(path)


@pytest.mark.parametrize("read", [*READERS, receipt])
def test_a_file_that_is_not_there_is_no_cut_one(tmp_path, read):
    with pytest.raises(TableError, match=r"none cannot be .* it is not there\. Run m"):
        read(tmp_path / "none")
