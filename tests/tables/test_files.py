"""Result tables as text: one row a line, whatever a value holds."""

import csv

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.tables.files import write_csv

TEXTS = st.text(st.sampled_from('a,"\r\n '), max_size=4)


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=4))
def test_a_reader_finds_every_value_again(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "table.csv"
    write_csv(path, pd.DataFrame(rows, columns=["one", "two"]))
    with path.open(encoding="utf-8", newline="") as file:
        assert [tuple(row) for row in csv.reader(file)] == [("one", "two"), *rows]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("a\rb", b'"a\rb"'),
        ("a\nb", b'"a\nb"'),
        ("a\r\n", b'"a\r\n"'),
        ("a,b", b'"a,b"'),
        ("a b", b"a b"),
        ("é", "é".encode()),
        (0.1, b"0.1"),
        (None, b""),
    ],
)
def test_a_value_is_quoted_where_it_would_end_a_cell_or_row(tmp_path, value, written):
    write_csv(tmp_path / "table.csv", pd.DataFrame({"one": [value], "two": [7]}))
    assert (tmp_path / "table.csv").read_bytes() == b"one,two\n" + written + b",7\n"
