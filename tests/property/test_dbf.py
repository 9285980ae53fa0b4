"""Reading a table of dBase gives what slicing each of its records gives."""

import io
import struct

from hypothesis import given
from hypothesis import strategies as st

from microleak.base.progress import tell_no_progress
from microleak.sources.files.member import Member
from microleak.sources.formats.dbf import dbf_header, dbf_records, wanted_columns

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
