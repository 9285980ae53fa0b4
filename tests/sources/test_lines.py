import pytest

from microleak.sources.files.archive import members
from microleak.sources.files.inspection import (
    line_of_offset,
    line_of_record,
    uneven_row,
)
from tests.sources.released import census, delimited, plain


def member(tmp_path, data):
    return next(members(plain(tmp_path / "a.csv", data), ""))


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_end_with_a_feed_a_return_or_both(tmp_path, end):
    data = b"aa" + end + b"bb" + end + b"cc"
    assert line_of_offset(member(tmp_path, data), data.index(b"b")) == 2
    assert line_of_offset(member(tmp_path, data), data.index(b"c")) == 3


def test_without_quotes_a_record_is_a_line_below_the_header(tmp_path):
    assert line_of_record(member(tmp_path, b"a|b\n" * 9), census(), record=5) == 7


def test_with_quotes_a_record_begins_after_the_lines_of_those_before(tmp_path):
    data = b'"a\na",b\n"x\r\ny",1\nz,2\n'
    assert line_of_record(member(tmp_path, data), delimited(), record=0) == 3
    assert line_of_record(member(tmp_path, data), delimited(), record=1) == 5


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b'a,b\n"x,\n""y",1\nz\n', (4, 1, False)),
        (b'a,b\n"x",1,2\nz\n', (2, 3, False)),
        (b'a,b\nx,1\n"Fonte: IBGE"\n', (3, 1, True)),
        (b"a,b\nx,1\n(20 rows affected)\n", (3, 1, True)),
        (b"a,b\nx,1\nz20 rows\n", (3, 1, False)),
        (b'a,b\n"x",1\n', None),
    ],
)
def test_the_first_row_of_another_width_is_found(tmp_path, data, found):
    assert uneven_row(member(tmp_path, data), delimited(), n_columns=2) == found
