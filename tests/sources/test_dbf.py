"""Tables of dBase, plain and packed: what is read of them, and which are refused."""

import io
import struct

import pytest

from microleak.base.errors import ArchiveError, MicroleakError, TableError
from microleak.base.progress import tell_no_progress
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.archive import members
from microleak.sources.files.member import Member
from microleak.sources.formats.dbc import n_bytes_of, unpacked
from microleak.sources.formats.reader import ReadSizes, chunks
from tests.sources.dbc_files import COLUMNS, dbf, header, month_table, packed, record
from tests.sources.released import SECRET, plain

RORAIMA = source_definition("datasus_sia_pa", "RR-2023", {})
TWO = [("NAME", 4), ("AGE", 3)]


def read(path, attributes, sizes=None, advance=tell_no_progress):
    rows = []
    for member in members(path, RORAIMA.members):
        table = unpacked(member, RORAIMA)
        for chunk in chunks(table, RORAIMA, attributes, sizes or ReadSizes(), advance):
            rows += [tuple(row.values()) for row in chunk.to_pylist()]
    return rows


@pytest.mark.parametrize("name", ["PARR2301.dbf", "PARR2301.dbc", "parr2301.DBC"])
@pytest.mark.parametrize("end", [b"", b"\x1a", b"\x1a\0\0\x1a"])
@pytest.mark.parametrize("sizes", [None, ReadSizes(block_bytes=1, chunk_records=2)])
def test_a_table_is_read_plain_or_packed_in_any_blocks(tmp_path, name, end, sizes):
    rows = [["ana", "041"], ["", "7"], ["eva ", ""]]
    data = dbf(TWO, rows, end=end)
    path = plain(tmp_path / name, packed(data) if name[-1] in "cC" else data)
    expected = [("041", "ana"), ("7", None), (None, "eva")]
    assert read(path, ["AGE", "NAME"], sizes) == expected
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_progress_comes_to_the_bytes_of_the_table_plain_or_packed(tmp_path):
    data = dbf(TWO, [["ana", "041"]] * 100)
    for name, file in {"a.dbf": data, "b.dbc": packed(data)}.items():
        told = []
        path = plain(tmp_path / name, file)
        read(path, ["AGE"], ReadSizes(20, 7), told.append)
        (member,) = members(path, RORAIMA.members)
        assert sum(told) == n_bytes_of(member, RORAIMA, ["AGE"]) == len(data) - 1


@pytest.fixture
def opened():
    """Packed files, in the order that they were opened, and a member of them."""
    data = header(TWO, 400_000) + b" ana 041" * 400_000
    stored, files = packed(data), []

    def open_one():
        files.append(io.BytesIO(stored))
        return files[-1]

    return files, Member("PARR2301.dbc", "in", len(stored), open_one)


def test_a_packed_table_is_unpacked_no_further_than_it_is_read(opened):
    files, member = opened
    with unpacked(member, RORAIMA).open() as table:
        assert table.read(105) == header(TWO, 400_000) + b" ana 041"
        assert files[-1].tell() < member.n_bytes / 3


def test_a_packed_table_that_is_not_read_to_its_end_is_closed(opened):
    files, member = opened
    with unpacked(member, RORAIMA).open() as table:
        table.read(1)
        assert not files[-1].closed
    assert all(file.closed for file in files)


@pytest.mark.parametrize(
    ("page", "byte", "letter"),
    [(0, 0xE9, "é"), (3, 0xE9, "é"), (0x57, 0xE9, "é"), (2, 0x82, "é"), (2, 0xB3, "│")],
)
def test_text_is_of_the_code_page_that_the_header_says(tmp_path, page, byte, letter):
    data = header(TWO, 1, page) + b" S" + bytes([byte]) + b"o 041"
    assert read(plain(tmp_path / "a.dbf", data), ["NAME"]) == [(f"S{letter}o",)]


def test_blanks_before_a_text_belong_to_it_and_before_a_number_do_not(tmp_path):
    columns = [("T", 4), ("N", 4, "N"), ("D", 8, "D")]
    data = header(columns, 1) + b"   7  7.0        "
    assert read(plain(tmp_path / "a.dbf", data), ["T", "N", "D"]) == [
        ("  7", "7.0", None)
    ]


def test_zero_bytes_at_the_end_of_a_value_are_filling(tmp_path):
    data = header(TWO, 2) + b" an\0\0\0\0\0" + b" a \0 041"
    assert read(plain(tmp_path / "a.dbf", data), ["NAME", "AGE"]) == [
        ("an", None),
        ("a", "041"),
    ]


def test_records_marked_as_deleted_are_none(tmp_path):
    rows = [record(TWO, ["a", "1"]), record(TWO, ["b\0b", "2"], b"*")]
    data = header(TWO, 3) + rows[0] + rows[1] + rows[0]
    assert read(plain(tmp_path / "a.dbf", data), ["AGE"]) == [("1",), ("1",)]


@pytest.mark.parametrize("version", [0x03, 0x30])
def test_columns_that_are_not_asked_for_may_be_of_any_type(tmp_path, version):
    columns = [("I", 4, "I"), *TWO, ("_NullFlags", 1, "0")]
    data = dbf(columns, [["\1\2\3\0", "ana", "041", "\0"]], version=version)
    assert read(plain(tmp_path / "a.dbf", data), ["AGE"]) == [("041",)]


TWICE = [("CNES", 3), ("AGE", 3), ("cnes", 2), ("CNES", 2, "D"), ("NAME", 4)]


@pytest.mark.parametrize("ending", ["dbf", "dbc"])
@pytest.mark.parametrize("places", [(0, 3), (0, 2), (2, 3), (0, 2, 3)])
def test_a_column_there_twice_and_not_needed_is_none_of_ours(tmp_path, ending, places):
    columns = [each for n, each in enumerate(TWICE) if n in (1, 4, *places)]
    rows = [[{"AGE": "041", "NAME": "ana"}.get(c[0], "x") for c in columns]] * 2
    data = dbf(columns, rows)
    path = plain(tmp_path / f"a.{ending}", packed(data) if ending == "dbc" else data)
    assert read(path, ["AGE", "NAME"]) == [("041", "ana")] * 2
    with pytest.raises(TableError, match=r"has CNES as columns \d and \d, either of"):
        read(path, ["AGE", next(c[0] for c in columns if c[0] != "AGE").upper()])


END = 32 + 32 * len(TWO)
HEADERS = {
    "a zero byte for the mark of the end": (b"\0", 1),
    "no mark of the end": (b"", 0),
    "two of them": (b"\r\r", 2),
    "a mark and a zero byte": (b"\r\0", 2),
    "zero bytes for a further column": (bytes(33), 33),
    "a mark and zero bytes for a further column": (b"\r" + bytes(32), 33),
    "the path to a database of FoxPro": (b"\r" + bytes(263), 264),
    "that path after a zero byte": (bytes(264), 264),
    "a line feed": (b"\n", 1),
    "other bytes after the mark": (b"\r" + b"\xff" * 31, 32),
}


@pytest.mark.parametrize("kind", HEADERS)
@pytest.mark.parametrize("ending", ["dbf", "dbc"])
def test_columns_end_where_the_length_of_a_record_says_so(tmp_path, kind, ending):
    end, n_bytes = HEADERS[kind]
    data = dbf(TWO, [["ana", "041"], ["eva", "7"]])
    data = data[:8] + struct.pack("<H", END + n_bytes) + data[10:END] + end
    data += dbf(TWO, [["ana", "041"], ["eva", "7"]])[END + 1 :]
    path = plain(tmp_path / f"a.{ending}", packed(data) if ending == "dbc" else data)
    assert read(path, ["NAME", "AGE"]) == [("ana", "041"), ("eva", "7")]


GOOD = month_table({}, {"PA_MUNPCN": SECRET[:6]}, {})
ROW = 1 + sum(width for _, width in COLUMNS)
N_HEADER = 32 + 32 * len(COLUMNS) + 1


def changed(at, new, data=GOOD):
    return data[:at] + new + data[at + len(new) :]


def first_part(form, at, value, data=GOOD):
    return changed(at, struct.pack(form, value), data)


DAMAGES = {
    "empty": (b"", "is empty"),
    "a web page": (b"<!DOCTYPE html>" + b"x" * 500, "is a web page"),
    "a web page after blanks": (b"\r\n <html>" + b"x" * 500, "is a web page"),
    "a zip": (b"PK\x05\x06" + b"\0" * 100, "does not begin as a table of dBase"),
    "text": (b"PA_SEXO,PA_IDADE\n" * 9, "does not begin as a table of dBase"),
    "another version": (changed(0, b"\x04"), "does not begin as a table"),
    "ten bytes": (GOOD[:10], "does not begin as a table"),
    "a cut header": (GOOD[:100], "its header contradicts itself"),
    "a header without its end": (GOOD[: N_HEADER - 1], "its header contradicts"),
    "a longer header": (first_part("<H", 8, 0xFFFF), "its header contradicts"),
    "a shorter header": (first_part("<H", 8, 97), "its header contradicts"),
    "no header": (first_part("<H", 8, 0), "its header contradicts"),
    "a longer record": (first_part("<H", 10, ROW + 1), "its header contradicts"),
    "a shorter record": (first_part("<H", 10, ROW - 1), "its header contradicts"),
    "a record of nothing": (first_part("<H", 10, 0), "its header contradicts"),
    "a wider column": (changed(32 + 16, b"\x08"), "its header contradicts"),
    "a column of nothing": (changed(32 + 16, b"\0"), "its header contradicts"),
    "a column without a name": (changed(32, b"\0"), "its header contradicts"),
    "a name that is none": (changed(32, b"\x1b[31m"), "its header contradicts"),
    "a type that is none": (changed(32 + 11, b"\0"), "its header contradicts"),
    "no record": (dbf(COLUMNS, []), "has no record"),
    "fewer records than said": (
        first_part("<I", 4, 4),
        r"\d+ expected for the 4 records",
    ),
    "billions of records": (
        first_part("<I", 4, 2**32 - 1),
        "4294967295 records of its header",
    ),
    "more records than said": (first_part("<I", 4, 2), "record 2 of 2 is the last"),
    "a cut record": (GOOD[:-3], r"has \d+ bytes, \d+ expected for the 3 records"),
    "a lost record": (GOOD[:-ROW], "it was cut"),
    "a byte too many": (GOOD + b"x", "record 3 of 3 is the last by the header"),
    "zero bytes for an end": (GOOD[:-1] + b"\0\0", "record 3 of 3 is the last"),
    "a mark that is none": (changed(N_HEADER + ROW, b"x"), "record 2 of 3 does not"),
    "records shifted by a byte": (
        GOOD[: N_HEADER + 5] + GOOD[N_HEADER + 6 :] + b" ",
        "record [12] of 3 does not begin with the mark of a record",
    ),
    "a zero byte in the first record": (
        changed(N_HEADER + 31, b"\0"),
        "record 1 of 3 has a zero byte inside a value",
    ),
    "a zero byte in a value": (
        changed(N_HEADER + ROW + 31, b"\0"),
        "record 2 of 3 has a zero byte inside a value",
    ),
}
CUT_BEFORE_PACKING = {
    "fewer records than said": "record 4 of 4 is cut: the file is damaged",
    "a cut record": "record 3 of 3 is cut: the file is damaged",
    "a lost record": "record 3 of 3 is cut: the file is damaged",
}
NAMED_TWICE = dbf([("PA_SEXO", 1), ("pa_sexo", 1)], [["F", "M"]])
WITHOUT = dbf([("PA_SEX", 1), ("A", 1)], [["F", "M"]])
BINARY = dbf([("PA_IDADE", 3), ("PA_SEXO", 4, "I")], [["041", "\1\2\3\4"]])
COLUMN_FAULTS = {
    "a column twice": (NAMED_TWICE, "has PA_SEXO as columns 1 and 2"),
    "a column missing": (WITHOUT, "no column PA_SEXO. Did you mean PA_SEX"),
    "a column of numbers": (BINARY, "column PA_SEXO is of type I, which is not text"),
}


def refused(path, kind, words):
    with pytest.raises(kind, match=words) as error:
        read(path, ["PA_SEXO", "PA_IDADE", "PA_MUNPCN", "PA_RACACOR"])
    said = str(error.value)
    assert said.startswith(f"{path.name}")
    assert SECRET not in said
    assert said.isprintable()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("fault", DAMAGES)
@pytest.mark.parametrize("ending", ["dbf", "dbc"])
def test_a_damaged_table_is_refused_by_name(tmp_path, fault, ending):
    data, words = DAMAGES[fault]
    if ending == "dbc":
        if len(data) < N_HEADER or "header" in words or "begin as" in words:
            words = f"{words}|cannot be unpacked|is an unpacked table"
        else:
            data, words = packed(data), CUT_BEFORE_PACKING.get(fault, words)
    path = plain(tmp_path / f"PARR2301.{ending}", data)
    refused(path, MicroleakError, words)


@pytest.mark.parametrize("fault", COLUMN_FAULTS)
def test_a_table_with_other_columns_is_refused_by_name(tmp_path, fault):
    data, words = COLUMN_FAULTS[fault]
    refused(plain(tmp_path / "PARR2301.dbf", data), TableError, words)


PACKED = packed(GOOD)
STREAM = N_HEADER + 4
CUT = "cannot be unpacked: it is cut before its end"
OTHER = "cannot be unpacked: it does not begin as a packed stream does"
PACKED_DAMAGES = {
    "cut in the stream": (PACKED[:-9], CUT),
    "cut by its last byte": (PACKED[:-1], CUT),
    "cut before the stream": (PACKED[:STREAM], CUT),
    "cut in the checksum": (PACKED[: STREAM - 2], CUT),
    "another coding": (changed(STREAM, b"\x07", PACKED), OTHER),
    "another dictionary": (changed(STREAM + 1, b"\x09", PACKED), OTHER),
    "zero bytes": (changed(STREAM, b"\0" * 60, PACKED), OTHER),
    "a copy of what was not there": (
        changed(STREAM + 2, b"\xff", PACKED),
        "cannot be unpacked: it copies from before its first byte",
    ),
    "a shorter table": (packed(GOOD[: -2 * ROW]), "record 2 of 3 is cut"),
    "more records than packed bytes can hold": (
        first_part("<I", 4, 200 * len(PACKED) // ROW + 1, PACKED),
        r"\d+ packed bytes cannot hold the \d+ records of its header",
    ),
    "a longer table": (
        packed(GOOD[:-1] + GOOD[-ROW - 1 : -1] * 3),
        "record 3 of 3 is the last by the header, but others follow",
    ),
}


@pytest.mark.parametrize("fault", PACKED_DAMAGES)
def test_a_damaged_packed_table_is_refused_by_name(tmp_path, fault):
    data, words = PACKED_DAMAGES[fault]
    path = plain(tmp_path / "PARR2301.dbc", data)
    refused(path, ArchiveError, words)


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("PARR2301.dbc", GOOD, "is an unpacked .* Rename it to end in .dbf"),
        ("PARR2301.dbf", PACKED, "is a packed .* Rename it to end in .dbc"),
    ],
)
def test_a_table_not_of_the_form_of_its_ending_is_refused(tmp_path, name, data, words):
    path = plain(tmp_path / name, data)
    (member,) = members(path, RORAIMA.members)
    with pytest.raises(ArchiveError, match=f"^{name} {words}"):
        n_bytes_of(member, RORAIMA, ["PA_SEXO"])
