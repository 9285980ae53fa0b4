"""Reading fields at fixed places, of text or dBase, is slicing each record."""

import dataclasses
import io
import re
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.base.errors import ArchiveError, TableError
from microleak.base.progress import tell_no_progress
from microleak.sources.definitions.definition import source_definition
from microleak.sources.definitions.yearly import FixedWidth
from microleak.sources.files.archive import Member
from microleak.sources.formats.dbf import dbf_header, dbf_records, wanted_columns
from microleak.sources.formats.fixed_width import Shape, records
from microleak.sources.formats.reader import ReadSizes, chunks

PAGES = {0: "latin-1", 1: "cp437", 2: "cp850", 3: "latin-1"}
BYTES = st.integers(1, 255) | st.sampled_from(b"  0A")


@st.composite
def tables(draw):
    """Columns of a table, its records, a code page and the end of the file."""
    widths = draw(st.lists(st.integers(1, 9), min_size=1, max_size=6))
    kinds = [draw(st.sampled_from("CNFDL")) for _ in widths]
    n_bytes = sum(widths)
    content = st.lists(BYTES, min_size=n_bytes, max_size=n_bytes).map(bytes)
    records = draw(
        st.lists(st.tuples(st.sampled_from([b" ", b" ", b"*"]), content), min_size=1)
    )
    columns = [
        (f"C{place}", *pair)
        for place, pair in enumerate(zip(kinds, widths, strict=True))
    ]
    end = draw(st.sampled_from([b"", b"\x1a", b"\x1a\0\0"]))
    return columns, records, draw(st.sampled_from(sorted(PAGES))), end


def file_of(columns, records, page, end):
    n_record = 1 + sum(width for *_, width in columns)
    sizes = (len(records), 33 + 32 * len(columns), n_record, page)
    described = (
        struct.pack("<11sc4xB15x", name.encode(), kind.encode(), width)
        for name, kind, width in columns
    )
    first = struct.pack("<B3xIHH17xB2x", 3, *sizes)
    body = b"".join(mark + content for mark, content in records)
    return first + b"".join(described) + b"\r" + body + end


def plainly_read(columns, records, page):
    rows = []
    for mark, content in records:
        place, row = 0, []
        for _, kind, width in columns:
            text = content[place : place + width].decode(PAGES[page])
            text = text.rstrip(" ") if kind == "C" else text.strip(" ")
            row.append(text or None)
            place += width
        if mark == b" ":
            rows.append(tuple(row))
    return rows


@given(tables(), st.integers(1, 200), st.randoms(use_true_random=False))
def test_columns_are_slices_of_their_records(table, block_bytes, random):
    columns, records, page, end = table
    data = file_of(columns, records, page, end)
    member = Member("A.DBF", "in", len(data), lambda: io.BytesIO(data))
    header = dbf_header(member, "latin-1")
    order = random.sample(range(len(columns)), len(columns))
    wanted = wanted_columns(header, member, [columns[i][0] for i in order])
    raw = io.BytesIO(data)
    batches = dbf_records(raw, header, wanted, [], block_bytes, tell_no_progress)
    read = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    expected = plainly_read(columns, records, page)
    assert read == [tuple(row[i] for i in order) for row in expected]
    assert raw.read() == b""


LETTERS = st.characters(codec="latin-1", exclude_characters="\0\r\n")


@st.composite
def files(draw):
    """Lines of one length, fields anywhere in them, and how the lines end."""
    n_bytes = draw(st.integers(1, 12))
    text = st.text(LETTERS | st.just(" "), min_size=n_bytes, max_size=n_bytes)
    lines = draw(st.lists(text, min_size=1, max_size=30))
    starts = draw(st.lists(st.integers(0, n_bytes - 1), min_size=1, max_size=5))
    fields = {
        f"c{place}": (start, draw(st.integers(start + 1, n_bytes)))
        for place, start in enumerate(starts)
    }
    return lines, fields, draw(st.sampled_from(["\n", "\r\n"]))


def sliced(line, start, stop):
    return line[start:stop].strip(" ") or None


@given(files(), st.integers(0, 3), st.booleans(), st.integers(1, 60))
def test_fields_are_slices_of_their_lines(file, n_blanks, is_ended, block_bytes):
    lines, fields, end = file
    text = end.join(line + " " * n_blanks for line in lines) + end * is_ended
    shape = Shape(len(lines[0]), len(lines[0]) + n_blanks, end.encode())
    raw = io.BytesIO(text.encode("latin-1"))
    batches = records(raw, shape, fields, [], block_bytes)
    read = [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
    assert read == [tuple(sliced(line, *f) for f in fields.values()) for line in lines]


N_USED = 2
TWO_BYTES = dataclasses.replace(
    source_definition("inep_school_census", "2013", {}),
    layout=FixedWidth(N_USED, {"NU_DIA": (0, N_USED)}),
)
PIECES = ["ab", " é", "1 ", "  ", "\n", "\n", "\r\n", "\r", "\0", "x", " "]


def plain_lines(text):
    """Lines of a text that follows the rule, else None."""
    end = "\r\n" if re.match("[^\n]*\r\n", text) else "\n"
    lines = text.removesuffix(end).split(end)
    is_right = all(
        len(line) == len(lines[0]) >= N_USED
        and not line[N_USED:].strip(" ")
        and not set(line) & set("\r\n\0")
        for line in lines
    )
    return lines if is_right else None


@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(1, 20))
def test_a_text_is_read_or_one_of_its_lines_is_named(pieces, block_bytes):
    text = "".join(pieces)
    data = text.encode("latin-1")
    member = Member("TS_MATRICULA_SP.TXT", "in", len(data), lambda: io.BytesIO(data))
    read = chunks(member, TWO_BYTES, ["NU_DIA"], ReadSizes(block_bytes, 3))
    lines = plain_lines(text)
    if lines is None:
        told = r"^in: line [0-9]+:? |^in is no text: its first line has a zero byte"
        with pytest.raises((TableError, ArchiveError), match=told):
            list(read)
    else:
        days = [day for chunk in read for day in chunk["NU_DIA"].to_pylist()]
        assert days == [sliced(line, 0, N_USED) for line in lines]
