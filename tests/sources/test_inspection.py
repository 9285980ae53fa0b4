"""Bytes of a text as they are read, and the lines of what is wrong in it."""

import io
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.sources.files.archive import members
from microleak.sources.files.inspection import (
    CsvLayout,
    DamagedByteError,
    Inspected,
    KnownFile,
    line_of_offset,
    line_of_record,
    uneven_row,
)
from tests.sources.released import census, delimited, plain

KNOWN = KnownFile(sha256=True)
QUOTED = CsvLayout(",", '"', "utf-8", 2, KNOWN)
PLAIN = CsvLayout("|", None, "latin-1", 2, KNOWN)
SIZES = [4, 5, 7, 64]


def inspected(data, layout, size=64):
    text = Inspected(io.BytesIO(data), layout)
    return b"".join(iter(lambda: text.read(size), b""))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "data",
    [b"", b"a", b"a,b", b'a,b\r\n"x\n\ny","""z"""\r\n,""\n', "é,ü\n€,ß".encode()],
)
def test_well_formed_utf8_passes_unchanged(data, size):
    assert inspected(data, QUOTED, size) == data


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("encoding", "text"), [("latin-1", "São|João"), ("cp1252", "5 €|–")]
)
def test_single_byte_text_becomes_utf8(encoding, text, size):
    layout = CsvLayout("|", None, encoding, 2, KNOWN)
    assert inspected(text.encode(encoding), layout, size) == text.encode()


@pytest.mark.parametrize("size", SIZES)
def test_delimiters_in_a_quoted_value_are_no_rows_that_it_swallowed(size):
    """Another value has a line end, and none has both of them."""
    data = b'"x\ny",a\n",,,,",b\n"z\nz",c\n'
    assert inspected(data, QUOTED, size) == data


@pytest.mark.parametrize("layout", [QUOTED, PLAIN])
def test_a_byte_order_mark_is_left_out(layout):
    assert inspected(b"\xef\xbb\xbfa", layout) == b"a"
    assert inspected(b"\xef\xbb\xbf", layout) == b""


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    ("data", "layout", "offset", "what"),
    [
        (b"a|b\nc|\0\n", PLAIN, 6, "zero byte"),
        (b"a|b\n\nc|d\n", PLAIN, 4, "blank line"),
        (b"a|b\r\n\r\nc|d\r\n", PLAIN, 5, "blank line"),
        (b"a|b\r\rc|d\r", PLAIN, 4, "blank line"),
        (b"a|b\nc|d\n\n", PLAIN, 8, "blank line"),
        (b'a,b\n"x\n\n",y\n\nz', QUOTED, 12, "blank line"),
        (b"a,b\nxxxx,\xff\n", QUOTED, 9, "not utf-8"),
        (b"a,b\nxxxx,\xc3", QUOTED, 9, "not utf-8"),
        (b'a,b\nx,5" y\n', QUOTED, 7, "quotation mark inside"),
        (b'a,b\n"x"y,z\n', QUOTED, 6, "quotation mark inside"),
        (b'a,b\n1,"x""2,"y\n', QUOTED, 12, "quotation mark inside"),
        (b'a,b\n1,"x\n2,"y\n', QUOTED, 6, "as many delimiters as a row"),
        (b'a,b\n1,"x\n2,"y\n3,"z\n4,"\n', QUOTED, 6, "as many delimiters as a row"),
        (b'a,b\n"1",2\nx,"y\nz\n', QUOTED, 12, "never closed"),
        (b'a,b\nx,"y""', QUOTED, 6, "never closed"),
        (b"\xef\xbb\xbfa,\0", QUOTED, 5, "zero byte"),
    ],
)
def test_the_place_of_a_damaged_byte_is_found(data, layout, offset, what, size):
    with pytest.raises(DamagedByteError, match=what) as error:
        inspected(data, layout, size)
    assert error.value.offset == offset


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("swallowed", [b',""\n', b'\n"",', b"\r\n,", b"\r,", b",\r\n"])
def test_rows_that_a_value_swallows_are_seen_wherever_a_block_ends(swallowed, size):
    for n_before in range(size + 1):
        data = b'"' + b"x" * n_before + swallowed + b'",y\n'
        with pytest.raises(DamagedByteError, match="as many delimiters") as error:
            inspected(data, QUOTED, size)
        assert error.value.offset == 0


def blocks(data, size):
    text = Inspected(io.BytesIO(data), QUOTED)
    return list(iter(lambda: text.read(size), b""))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_no_block_ends_between_a_return_and_its_feed(mark, size):
    for n_before in range(size + 1):
        data = b'"' + b"x" * n_before + b'\r\n\r\n\r\r\n",y\r\n'
        given_ = blocks(mark + data, size)
        assert b"".join(given_) == data
        ends = pairwise(given_)
        assert not any(a[-1:] + b[:1] == b"\r\n" for a, b in ends)
        assert all(size - 1 <= len(block) <= size for block in given_[:-1])


@given(st.text('",\r\nxé', max_size=30), st.sampled_from(SIZES))
def test_the_verdict_does_not_depend_on_the_size_of_the_blocks(text, size):
    def verdict(size):
        try:
            return inspected(text.encode(), QUOTED, size)
        except DamagedByteError as damage:
            return damage.offset, damage.what

    assert verdict(size) == verdict(1000)


UTF8 = CsvLayout(";", '"', "utf-8", 2, KNOWN)
LATIN = CsvLayout(";", '"', "latin-1", 2, KNOWN)
CP1252 = CsvLayout(";", '"', "cp1252", 2, KNOWN)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", [UTF8, LATIN])
@pytest.mark.parametrize(
    ("data", "offset"),
    [
        (b"a;b\n\xef\xbb\xbfF;1\n", 4),
        (b"a;b\r\n\xef\xbb\xbfF;1\r\n", 5),
        (b"a;b\rF;1\r\xef\xbb\xbfF;1\r", 8),
        (b"\xef\xbb\xbf\xef\xbb\xbfa;b\nF;1\n", 3),
        (b'a;b\n"x\ny";1\n\xef\xbb\xbf"F";1\n', 12),
        (b"a;b\nF;1\nF;2\nF;3\nF;4\n\xef\xbb\xbfF;1\n", 20),
        (b"a;b\nF;1\n\xef\xbb\xbf\xef\xbb\xbfF;1\n", 8),
        (b"a;b\nF;1\n\xef\xbb\xbfa;b\nF;1\n", 8),
        (b"sep=;\n\xef\xbb\xbfa;b\nF;1\n", 6),
        (b"a;b\nF;1\n\xef\xbb\xbf", 8),
    ],
)
def test_a_mark_at_a_line_of_a_joined_file_is_found(data, offset, size, layout):
    with pytest.raises(DamagedByteError, match="a byte order mark, as where") as error:
        inspected(data, layout, size)
    assert error.value.offset == offset


@pytest.mark.parametrize("size", SIZES)
def test_a_mark_within_a_value_is_text(size):
    data = 'a,b\n"x\n\ufeffy",z\ufeff\nu\ufeffv,w\n'.encode()
    assert inspected(data, QUOTED, size) == data


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", [LATIN, CP1252])
@pytest.mark.parametrize("letter", "áãâçéêíóôõúüÃÇÉÊÚñšžğ")
def test_a_letter_in_utf8_in_a_text_of_single_bytes_is_found(letter, layout, size):
    data = b"a;b\nS\xe3o;1\n" + f"x{letter}y;2\n".encode()
    with pytest.raises(DamagedByteError, match="a letter written in UTF-8") as error:
        inspected(data, layout, size)
    assert error.value.offset == 11


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("layout", [LATIN, CP1252])
def test_text_of_single_bytes_without_utf8_is_read(text, layout, size):
    assert inspected(text.encode("latin-1"), layout, size) == text.encode()


@pytest.mark.parametrize("text", ["SÃ“;1\n", "Ã–;1\n", "Å…;1\n", "Ä‘x’;5 €\n"])
def test_signs_of_cp1252_after_a_capital_are_read(text):
    assert inspected(text.encode("cp1252"), CP1252) == text.encode()


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
