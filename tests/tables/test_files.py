"""Result tables as files: checked, and one row a line, whatever a value holds."""

import csv

import pandas as pd
import pandera.pandas as pandera
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandera.errors import SchemaError, SchemaErrors

from microleak.base.errors import TableError
from microleak.schemas import release_model, table_model
from microleak.tables.files import (
    _checked_table,
    check_parquet,
    read_table,
    write_table,
)
from microleak.tables.rows import as_table
from microleak.tables.spec import ARROW, PANDAS, Column, TableSpec

TEXTS = st.text(st.sampled_from('a,"\r\n '), max_size=4)
SAID = {"en": "Something.", "pt": "Algo."}


def spec(*columns):
    return TableSpec("demo", "measures/demo.csv", SAID, columns)


ANY = spec(
    Column("one", "string", SAID, missing=SAID),
    Column("two", "string", SAID, missing=SAID),
)
SPEC = spec(
    Column("kind", "string", SAID, values=("all", "some")),
    Column("name", "string", SAID),
    Column("n", "integer", SAID, least=0),
    Column("share", "number", SAID, missing=SAID, least=0, most=1),
    Column("is_sure", "boolean", SAID, missing=SAID),
)
ROWS = {
    "kind": ["all", "some"],
    "name": ["2018", "NA"],
    "n": [0, 7],
    "share": [0.1, None],
    "is_sure": ["true", ""],
}


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_a_reader_finds_every_value_again(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    write_table(path, pd.DataFrame(rows, columns=["one", "two"]), ANY)
    with path.open(encoding="utf-8", newline="") as file:
        assert [tuple(row) for row in csv.reader(file)] == [("one", "two"), *rows]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *(("a\rb", b'"a\rb"'), ("a\nb", b'"a\nb"'), ("a\r\n", b'"a\r\n"')),
        *(("a,b", b'"a,b"'), ("a b", b"a b"), ("é", "é".encode()), (None, b"")),
    ],
)
def test_a_value_is_quoted_where_it_would_end_a_cell_or_row(tmp_path, value, written):
    path = tmp_path / "table.csv"
    write_table(path, pd.DataFrame({"one": [value], "two": ["7"]}), ANY)
    assert path.read_bytes() == b"one,two\n" + written + b",7\n"


def test_a_table_is_read_as_it_was_written(tmp_path):
    """Truth values in small letters; without rows it has its columns."""
    path, header = tmp_path / "table.csv", "kind,name,n,share,is_sure\n"
    write_table(path, pd.DataFrame(ROWS), SPEC)
    assert path.read_text("utf-8") == header + "all,2018,0,0.1,true\nsome,NA,7,,\n"
    table = read_table(path, SPEC)
    assert table.astype(object).where(table.notna(), None).to_dict("list") == ROWS
    write_table(path, pd.DataFrame(ROWS | {"is_sure": [True, False]}), SPEC)
    assert read_table(path, SPEC)["is_sure"].tolist() == ["true", "false"]
    write_table(path, as_table(SPEC, []), SPEC)
    assert path.read_text("utf-8") == header
    assert read_table(path, SPEC).empty


FAULTS = {
    "kind: 1 rows have another text than all, some where a": ["all", "secret"],
    "name: 1 rows have no text where a text is expected": ["", "NA"],
    "n: 1 rows have a number below 0 where an integer is": [0, -4321],
    "n: 1 rows have nothing where an integer is expected": [None, 1],
    "n: something else where an integer is": ["secret", 4321],
    "n: something else where an integer is expected": [1.5, 4321],
    "share: 2 rows have a number above 1": [4321.5, 2],
    "share: something else where a number": ["secret", "secret2"],
    "is_sure: 1 rows have another text than true, false": ["true", "secret"],
}


@pytest.mark.parametrize(("said", "values"), FAULTS.items())
def test_a_wrong_table_is_neither_written_nor_read_and_its_column_is_named(
    tmp_path, said, values
):
    path, (name, _) = tmp_path / "table.csv", said.split(":")
    table = pd.DataFrame(ROWS | {name: values})
    with pytest.raises(TableError) as not_written:
        write_table(path, table, SPEC)
    assert str(not_written.value).startswith(f"{path}: column {said}")
    assert not path.exists()
    table.to_csv(path, index=False)
    with pytest.raises(TableError) as not_read:
        read_table(path, SPEC)
    message = str(not_read.value)
    assert message.startswith(f"{path}: column {name}: ")
    assert "is expected" in message
    assert "run microleak resume" in message
    for error in (not_written, not_read):
        assert "secret" not in str(error.value)
        assert "4321" not in str(error.value)


@pytest.mark.parametrize(
    ("said", "change"),
    [
        ("there is no column n, share[.]", lambda t: t.drop(columns=["n", "share"])),
        ("1 columns are none of those of the table demo[.]", lambda t: t.assign(x=1)),
        (
            "the columns are not in the order kind, name, n, share, is_sure[.]",
            lambda t: t[["name", "kind", "n", "share", "is_sure"]],
        ),
    ],
)
def test_other_columns_are_neither_written_nor_read(tmp_path, said, change):
    path, table = tmp_path / "table.csv", change(pd.DataFrame(ROWS))
    with pytest.raises(TableError, match=said):
        write_table(path, table, SPEC)
    table.to_csv(path, index=False)
    with pytest.raises(TableError, match=said):
        read_table(path, SPEC)


@pytest.mark.parametrize(
    "damage",
    [b"", b"\xff\xfe", b'kind,name,n,share,is_sure\n"', b"kind,name\nall,a,1,1,true,9"],
)
def test_a_file_that_is_no_such_csv_is_named(tmp_path, damage):
    path = tmp_path / "table.csv"
    path.write_bytes(damage)
    with pytest.raises(TableError, match=r"table[.]csv: .*run microleak resume"):
        read_table(path, SPEC)


def test_a_parquet_file_with_other_columns_is_refused(tmp_path):
    path, texts = tmp_path / "table.parquet", pa.array(["a"]).dictionary_encode()
    pq.write_table(pa.table({"one": texts, "two": ["b"]}), path)
    check_parquet(path, ANY)
    pq.write_table(pa.table({"one": texts, "two": [4321]}), path)
    with pytest.raises(TableError, match=r"not one [(]string[)], two [(]string[)]"):
        check_parquet(path, ANY)


@pytest.mark.parametrize("is_new", [True, False])
def test_a_parquet_file_with_other_numbers_is_refused_without_showing_them(
    tmp_path, column, values, said, is_new
):
    path = tmp_path / "table.parquet"
    kinds = [(each.name, ARROW[each.type]) for each in SPEC.columns]
    rows = dict(ROWS) | {"is_sure": [True, None], column: values}
    pq.write_table(pa.table(rows, schema=pa.schema(kinds)), path, row_group_size=1)
    with pytest.raises(TableError, match=said) as error:
        check_parquet(path, SPEC, is_new)
    assert ("fault of microleak" in str(error.value)) == is_new
    assert path.exists() != is_new


GOOD = {
    "kind": ["all", "some"],
    "name": ["a", "NA"],
    "n": [0, 1],
    "share": [0, 1.0, None],
    "is_sure": ["true", "false", ""],
}
FAULTY = {
    "kind": ["", "none", None],
    "name": ["", None],
    "n": [-1, 0.5, 2**53 + 1, None, "x"],
    "share": [1.5, -0.1, "x"],
    "is_sure": ["yes", None, True],
}


CHECKS = {
    "kind": [pandera.Check.isin(["all", "some"])],
    "name": [pandera.Check.ne("")],
    "n": [pandera.Check.ge(0)],
    "share": [pandera.Check.ge(0), pandera.Check.le(1)],
    "is_sure": [pandera.Check.isin(["true", "false", ""])],
}
PANDERA = pandera.DataFrameSchema(
    {
        each.name: pandera.Column(
            PANDAS[each.type], CHECKS[each.name], nullable=each.name == "share"
        )
        for each in SPEC.columns
    },
    **{"strict": True, "ordered": True, "coerce": True},
)


def test_a_release_has_the_domains_of_its_options():
    model = release_model("delimited", "2020", {"domains": {"age": "[0-9]+"}})
    accepted = model.validate(pd.DataFrame({"age": ["30", None]}))
    assert accepted["age"].isna().tolist() == [False, True]
    with pytest.raises(SchemaError):
        model.validate(pd.DataFrame({"age": ["x"]}))


@pytest.mark.parametrize("schema", [PANDERA, table_model(SPEC)], ids=["own", "model"])
@given(one=st.sampled_from([*GOOD]), data=st.data())
def test_a_table_is_accepted_if_it_is_what_pandera_accepts(schema, one, data):
    cells = {
        name: st.sampled_from(good + FAULTY[name] if name == one else good)
        for name, good in GOOD.items()
    }
    table = pd.DataFrame(data.draw(st.lists(st.fixed_dictionaries(cells), min_size=1)))
    try:
        accepted = schema.validate(table, lazy=True)
    except SchemaErrors:
        with pytest.raises(TableError, match=f"t: (column {one}: |the columns are)"):
            _checked_table("t", table, SPEC, "")
    else:
        checked = _checked_table("t", table, SPEC, "")
        pd.testing.assert_frame_equal(checked, accepted)
