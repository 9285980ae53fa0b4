"""Some six hundred damaged inputs, each made from a seed, with what must become of it.

A damage is refused in certain words, or the rows come back exactly. What nobody can
see without a hash or a count (`UNSEEN`, named in decision 3) comes back as it is in
the file, and is refused where the study says more.
"""

import gzip
import hashlib
import random
import re
import threading
import traceback
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from functools import partial
from http.server import ThreadingHTTPServer
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from microleak.base.errors import MicroleakError
from microleak.sources.definitions.definition import source_definition
from microleak.sources.fetch import attempts
from microleak.sources.fetch.http import download
from microleak.sources.steps.ingest import ReadRelease, ingest
from tests.examples import seeds
from tests.sources.dbc_files import COLUMNS, month_table, packed, written
from tests.sources.released import delimited
from tests.sources.test_fetch import Handler, Office

RORAIMA = source_definition("datasus_sia_pa", "RR-2023", {})
DECISION = Path(__file__).parents[2] / "docs/decisions/0003-reading.md"

gzip_of = partial(gzip.compress, mtime=0)

UNSEEN = {
    "a letter changed": "another letter or digit within a value",
    "a row lost": "a row that is missing",
    "a row twice": "a row that is there twice",
    "cut after a row": "a file cut at the end of a row",
}
"""Damages that leave a sound file, and how decision 3 calls them."""


@dataclass(frozen=True)
class Text:
    """A table as delimited text, before and after a damage."""

    rows: list[list[str]]
    delimiter: str
    quote: str
    end: str

    @property
    def names(self):
        return [f"COL{place}" for place in range(len(self.rows[0]))]

    @property
    def lines(self):
        return [self.line(row) for row in (self.names, *self.rows)]

    @property
    def text(self):
        return "".join(line + self.end for line in self.lines)

    def line(self, values):
        quoted = (f"{self.quote}{value}{self.quote}" for value in values)
        return self.delimiter.join(quoted)

    def with_line(self, at, *lines):
        """Text with other lines in the place of one, the header being 0."""
        lines = [*self.lines[:at], *lines, *self.lines[at + 1 :]]
        return "".join(line + self.end for line in lines)


def some_table(rng):
    n = rng.randint(2, 5)

    def value():
        return "".join(rng.choices("abcdefghij0123456789", k=rng.randint(2, 8)))

    rows = [[value() for _ in range(n)] for _ in range(rng.randint(2, 30))]
    quote, end = rng.choice(["", '"']), rng.choice(["\n", "\r\n"])
    return Text(rows, rng.choice(",;|\t"), quote, end)


@dataclass
class Case:
    """What to read, and either the words of the refusal or the rows that come back."""

    data: bytes
    words: str | None = None
    rows: list[list[str]] = field(default_factory=list)


def refused(text, words):
    return Case(text.encode() if isinstance(text, str) else text, words)


def read(text, rows):
    return Case(text.encode() if isinstance(text, str) else text, None, rows)


def a_place(table, rng):
    """A row, from 0, its line in the file, and a column."""
    row = rng.randrange(len(table.rows))
    return row, row + 2, rng.randrange(len(table.rows[0]))


def in_value(table, rng, letter):
    """Text with a letter within a value; its line."""
    row, line, column = a_place(table, rng)
    value = table.rows[row][column]
    at = rng.randrange(1, len(value))
    values = list(table.rows[row])
    values[column] = value[:at] + letter + value[at:]
    return table.with_line(row + 1, table.line(values)), line, column


def letter_changed(table, rng):
    row, _, column = a_place(table, rng)
    rows = [list(values) for values in table.rows]
    rows[row][column] = "z" + rows[row][column][1:]
    return read(replace(table, rows=rows).text, rows)


def row_lost(table, rng):
    row = rng.randrange(len(table.rows))
    rows = table.rows[:row] + table.rows[row + 1 :]
    return read(table.with_line(row + 1), rows)


def row_twice(table, rng):
    row = rng.randrange(len(table.rows))
    rows = table.rows[: row + 1] + table.rows[row:]
    return read(replace(table, rows=rows).text, rows)


def cut_after_a_row(table, rng):
    rows = table.rows[: rng.randrange(1, len(table.rows))]
    return read(replace(table, rows=rows).text, rows)


def cut_within_a_row(table, rng):
    row, line, _ = a_place(table, rng)
    last = table.lines[row + 1]
    left = last[: rng.randrange(1, len(last) + 1)]
    text = "".join(line + table.end for line in table.lines[: row + 1]) + left
    n_values = left.count(table.delimiter) + 1
    if table.quote and left.count('"') % 2:
        return refused(text, f"line {line} has a quotation mark that is never closed")
    if n_values < len(table.names):
        expected = f"{n_values} values, {len(table.names)} expected"
        return refused(text, f"line {line} has {expected}")
    return refused(text, f"line {line} has no line end, unlike those above")


def cut_in_the_header(table, rng):
    last = rng.randrange(1, len(table.names))
    text = table.delimiter.join(table.names[:last]) + table.end
    return refused(text, f"line 1 has no column {', '.join(table.names[last:])}")


def zero_byte(table, rng):
    text, line, _ = in_value(table, rng, "\0")
    return refused(text, f"line {line} has a zero byte")


def byte_of_another_encoding(table, rng):
    text, line, _ = in_value(table, rng, rng.choice("éçÃ"))
    return refused(text.encode("latin-1"), f"line {line} has a byte that is not utf-8")


def delimiter_lost(table, rng):
    row, line, _ = a_place(table, rng)
    bare = replace(table, quote="")
    text = bare.with_line(row + 1, bare.lines[row + 1].replace(table.delimiter, "", 1))
    n = len(table.names)
    return refused(text, f"line {line} has {n - 1} values, {n} expected")


def delimiter_more(table, rng):
    row, line, _ = a_place(table, rng)
    text = table.with_line(row + 1, table.lines[row + 1] + table.delimiter)
    n = len(table.names)
    return refused(text, f"line {line} has {n + 1} values, {n} expected")


def line_end_lost(table, rng):
    row = rng.randrange(len(table.rows) - 1)
    both = table.delimiter.join(table.lines[row + 1 : row + 3])
    text = table.with_line(row + 2).replace(table.lines[row + 1], both, 1)
    n = len(table.names)
    return refused(text, f"line {row + 2} has {2 * n} values, {n} expected")


def line_end_within_a_value(table, rng):
    text, line, column = in_value(replace(table, quote=""), rng, table.end)
    n = len(table.names)
    if column == n - 1:
        return refused(text, f"line {line + 1} has 1 values, {n} expected")
    return refused(text, f"line {line} has {column + 1} values, {n} expected")


def blank_line(table, rng):
    row, line, _ = a_place(table, rng)
    text = table.with_line(row + 1, "", table.lines[row + 1])
    return refused(text, f"line {line} has a blank line")


def quote_within_a_value(table, rng):
    text, line, _ = in_value(table, rng, '"')
    return refused(text, f"line {line} has a quotation mark inside a value")


def quote_that_opens(table, rng):
    bare = replace(table, quote="")
    row, line, column = a_place(table, rng)
    values = list(table.rows[row])
    values[column] = '"' + values[column]
    text = bare.with_line(row + 1, bare.line(values))
    return refused(text, f"line {line} has a quotation mark that is never closed")


def two_quotes_rows_apart(table, rng):
    rows = [list(values) for values in table.rows]
    first, last = sorted(rng.sample(range(len(rows)), 2))
    column = rng.randrange(len(table.names))
    rows[first][column] = '"' + rows[first][column]
    rows[last][column] += '"'
    text = replace(table, quote="", rows=rows).text
    return refused(text, f"line {first + 2} has a quoted value with a line end and as")


def header_once_more(table, rng):
    at = rng.randrange(1, len(table.rows) + 1)
    text = table.with_line(at, table.lines[at], table.lines[0])
    return refused(text, f"line {at + 2} repeats the header")


def column_renamed(table, rng):
    name = rng.choice(table.names)
    return refused(table.text.replace(name, "OTHER", 1), f"line 1 has no column {name}")


def column_twice(table, rng):
    name, other = rng.sample(table.names, 2)
    text = table.text.replace(other, name, 1)
    return refused(text, f"line 1 has no column {other}")


def another_delimiter(table, rng):
    used = rng.choice([d for d in ",;|\t" if d != table.delimiter])
    said = f"line 1: values expected between {table.delimiter!r}, but {used!r} seems to"
    return refused(replace(table, delimiter=used).text, said)


def line_for_excel(table, rng):
    text = f"sep={table.delimiter}{table.end}{table.text}"
    return read(text, table.rows)


def another_line_for_excel(table, rng):
    other = rng.choice([d for d in ",;|\t" if d != table.delimiter])
    text = f"sep={other}{table.end}{table.text}"
    return refused(text, f"line 1 tells Excel that {other!r} stands between")


def two_bytes_a_letter(table, rng):
    encoding = rng.choice(["utf-16", "utf-32"])
    return read(table.text.encode(encoding), table.rows)


def gzipped_and_cut(table, rng):
    data = gzip_of(table.text.encode())
    return refused(data[: rng.randrange(2, len(data))], "damaged or cut short")


def gzipped_and_flipped(table, rng):
    data = gzip_of(table.text.encode())
    at = rng.randrange(10, len(data))
    bit = rng.randrange(8)
    changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
    try:
        is_same = gzip.decompress(changed) == table.text.encode()
    except (OSError, EOFError, zlib.error):
        is_same = False
    if is_same:
        return read(changed, table.rows)
    return refused(changed, "damaged or cut short")


MARKS = ("", "\ufeff")
PAGE = "<!doctype html>\n<html>\n<body>503</body>\n</html>\n"
DAMAGES = {
    "none": lambda table, rng: read(rng.choice(MARKS) + table.text, table.rows),
    "a letter changed": letter_changed,
    "a row lost": row_lost,
    "a row twice": row_twice,
    "cut after a row": cut_after_a_row,
    "only_a_header": lambda table, rng: refused(
        table.lines[0] + table.end * rng.randrange(2),
        "line 2: a record expected, but there is only a header",
    ),
    "nothing": lambda _, rng: refused(
        rng.choice(MARKS), "line 1: a header expected, but it is"
    ),
    "page": lambda *_: refused(PAGE, "is HTML or XML, not a table"),
    "gzipped": lambda table, _: read(gzip_of(table.text.encode()), table.rows),
    **{
        damage.__name__: damage
        for damage in [
            cut_within_a_row, cut_in_the_header, zero_byte,
            byte_of_another_encoding, delimiter_lost, delimiter_more, line_end_lost,
            line_end_within_a_value, blank_line, quote_within_a_value,
            quote_that_opens, two_quotes_rows_apart, header_once_more, column_renamed,
            column_twice, another_delimiter, line_for_excel, another_line_for_excel,
            two_bytes_a_letter, gzipped_and_cut, gzipped_and_flipped,
        ]
    },
}  # fmt: skip
SEEDS = range(10)


def rows_of(archive, table, tmp_path, **known):
    definition = delimited(delimiter=table.delimiter)
    out = tmp_path / "out.parquet"
    release = ReadRelease(archive, tuple(table.names), **known)
    ingest(release, definition, out, tmp_path / "out.json")
    return [list(row.values()) for row in pq.read_table(out).to_pylist()]


def damaged(folder, damage, seed):
    rng = random.Random(f"{damage} {seed}")
    table = some_table(rng)
    case = DAMAGES[damage](table, rng)
    archive = folder / "in.csv"
    archive.write_bytes(case.data)
    return case, archive, table


def check(case, archive, table, tmp_path):
    """Refused in one line with certain words, or read exactly."""
    if case.words is None:
        assert rows_of(archive, table, tmp_path) == case.rows
        return
    with pytest.raises(MicroleakError, match=re.escape(case.words)) as error:
        rows_of(archive, table, tmp_path)
    assert str(error.value).startswith(f"{archive.name}")
    assert str(error.value).isprintable()
    assert not (tmp_path / "out.parquet").exists()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_text_is_refused_by_its_line_or_read_exactly(tmp_path, damage, seed):
    case, archive, table = damaged(tmp_path, damage, seed)
    check(case, archive, table, tmp_path)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("damage", UNSEEN)
def test_what_cannot_be_seen_is_refused_by_the_hash_or_a_count(tmp_path, damage, seed):
    case, archive, table = damaged(tmp_path, damage, seed)
    sha256 = hashlib.sha256(table.text.encode()).hexdigest()
    with pytest.raises(MicroleakError, match=f"expected {sha256}"):
        rows_of(archive, table, tmp_path, sha256=sha256)
    if len(case.rows) != len(table.rows):
        words = f"has {len(case.rows)} records, {len(table.rows)} expected"
        with pytest.raises(MicroleakError, match=words):
            rows_of(archive, table, tmp_path, n_rows=len(table.rows))


@pytest.mark.parametrize("name", UNSEEN.values())
def test_what_cannot_be_seen_is_named_in_the_decision_on_reading(name):
    assert name in DECISION.read_text("utf-8").replace("\n", " ")


def zip_of(table, path, method):
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("folder/in.csv", table.text)
        archive.writestr("readme.pdf", "x" * 50)
    return path.read_bytes()


def values_of(table):
    """Values so long that no word is one by chance."""
    return [value for row in table.rows for value in row if len(value) > 6]


def flipped(data, rng, first=0, end=None):
    at = rng.randrange(first, len(data) if end is None else end)
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


@pytest.mark.parametrize("seed", seeds(40))
def test_a_stored_member_with_a_flipped_bit_is_damaged(tmp_path, seed):
    rng = random.Random(f"stored {seed}")
    table, path = some_table(rng), tmp_path / "in.zip"
    data = zip_of(table, path, zipfile.ZIP_STORED)
    first = data.index(table.lines[0].encode())
    path.write_bytes(flipped(data, rng, first, first + len(table.text)))
    case = refused("", "in.zip: in.csv is damaged or cut short")
    check(case, path, table, tmp_path)


def directory_changed(data, rng):
    """Up to three other bytes, of the directory or early, as of no chance bit."""
    data, at = bytearray(data), data.rfind(b"PK\x01\x02")
    for _ in range(rng.randint(1, 3)):
        first = rng.choice([0, at])
        data[first + rng.randrange(46)] = rng.randrange(256)
    return data


@pytest.mark.parametrize("change", [flipped, directory_changed])
@pytest.mark.parametrize(
    "method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
@pytest.mark.parametrize("seed", seeds(30))
def test_a_changed_zip_is_refused_or_read_exactly(tmp_path, method, seed, change):
    rng = random.Random(f"flipped {method} {seed}")
    table, path = some_table(rng), tmp_path / "in.zip"
    path.write_bytes(change(zip_of(table, path, method), rng))
    try:
        rows = rows_of(path, table, tmp_path)
    except MicroleakError as error:
        assert str(error).startswith("in.zip")
        assert str(error).isprintable()
        shown = "".join(traceback.format_exception(error))
        assert not any(value in shown for value in values_of(table))
    else:
        assert rows == table.rows


@pytest.mark.parametrize("seed", seeds(20))
def test_a_zip_that_was_cut_is_damaged(tmp_path, seed):
    rng = random.Random(f"cut {seed}")
    table, path = some_table(rng), tmp_path / "in.zip"
    data = zip_of(table, path, zipfile.ZIP_DEFLATED)
    path.write_bytes(data[: rng.randrange(len(data))])
    check(refused("", "in.zip is damaged or cut short"), path, table, tmp_path)


@pytest.mark.parametrize("seed", seeds(40))
def test_a_gzipped_file_with_a_flipped_bit_is_refused_or_read_exactly(tmp_path, seed):
    rng = random.Random(f"gzipped {seed}")
    table, path = some_table(rng), tmp_path / "in.csv.gz"
    path.write_bytes(flipped(gzip_of(table.text.encode()), rng, 0, seed + 1))
    try:
        rows = rows_of(path, table, tmp_path)
    except MicroleakError as error:
        assert str(error).startswith("in.csv.gz")
        assert str(error).isprintable()
    else:
        assert rows == table.rows


@pytest.mark.parametrize("more", [b"\0x", b"more", gzip_of(b"more")[:-4]])
def test_a_gzipped_file_with_something_behind_it_is_damaged(tmp_path, more):
    table, path = some_table(random.Random(1)), tmp_path / "in.csv.gz"
    path.write_bytes(gzip_of(table.text.encode()) + more)
    check(refused("", "in.csv.gz is damaged or cut short"), path, table, tmp_path)


def test_a_file_that_was_gzipped_in_parts_is_read_whole(tmp_path):
    table, path = some_table(random.Random(1)), tmp_path / "in.csv.gz"
    parts = (gzip_of(line.encode()) for line in table.text.splitlines(True))
    path.write_bytes(b"".join(parts))
    assert rows_of(path, table, tmp_path) == table.rows


AGES = [f"{age:03}" for age in range(40)]


def year(folder, data):
    months = {}
    for month in range(2, 13):
        own = {"PA_MVM": f"2023{month:02}", "PA_IDADE": f"{month:03}"}
        months[f"PARR23{month:02}.dbc"] = packed(month_table(own))
    return written(folder, months | {"PARR2301.dbc": data})


def ages_of(folder, tmp_path):
    out = tmp_path / "out.parquet"
    ingest(ReadRelease(folder, ("PA_IDADE",)), RORAIMA, out, tmp_path / "out.json")
    return pq.read_table(out).column("PA_IDADE").to_pylist()[:-11]


def january(rng):
    ages = [rng.choice(AGES) for _ in range(rng.randint(1, 60))]
    return ages, packed(month_table(*({"PA_IDADE": age} for age in ages)))


def refused_year(folder, tmp_path, words):
    with pytest.raises(MicroleakError, match=words) as error:
        ages_of(folder, tmp_path)
    assert str(error.value).isprintable()


N_HEADER = 32 + 32 * len(COLUMNS) + 1


@pytest.mark.parametrize("seed", seeds(30))
def test_a_packed_table_that_was_cut_is_refused(tmp_path, seed):
    rng = random.Random(f"dbc cut {seed}")
    ages, data = january(rng)
    assert ages_of(year(tmp_path / "RR", data), tmp_path) == ages
    cut = data[: rng.randrange(len(data) - 1)]
    words = r"^RR: PARR2301\.dbc( |:).*(damaged|cut|unpacked|empty|header|table|bytes)"
    refused_year(year(tmp_path / "RR", cut), tmp_path, words)


@pytest.mark.parametrize("seed", seeds(30))
def test_a_packed_table_of_another_number_of_records_is_refused(tmp_path, seed):
    rng = random.Random(f"dbc count {seed}")
    ages, data = january(rng)
    n = rng.choice([k for k in range(len(ages) + 5) if k != len(ages)])
    told = data[:4] + n.to_bytes(4, "little") + data[8:]
    refused_year(year(tmp_path / "RR", told), tmp_path, r"^RR: PARR2301\.dbc")


@pytest.mark.parametrize("seed", seeds(30))
def test_a_packed_table_with_a_flipped_bit_is_refused_by_its_hash(tmp_path, seed):
    """Without one a letter in the stream may be another one: there is no checksum."""
    rng = random.Random(f"dbc bit {seed}")
    ages, data = january(rng)
    folder = year(tmp_path / "RR", flipped(data, rng, N_HEADER))
    try:
        assert len(ages_of(folder, tmp_path)) <= len(ages)
    except MicroleakError as error:
        assert str(error).startswith("RR: PARR2301.dbc")
    sums = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.iterdir()
    }
    sums["PARR2301.dbc"] = hashlib.sha256(data).hexdigest()
    lines = "".join(f"{sum_}  {name}\n" for name, sum_ in sums.items())
    (folder / "SHA256SUMS").write_text(lines, encoding="utf-8")
    (tmp_path / "out.parquet").unlink(missing_ok=True)
    refused_year(folder, tmp_path, "PARR2301.dbc has SHA-256|^RR: PARR2301.dbc")
    assert not (tmp_path / "out.parquet").exists()


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server
        server.shutdown()


@pytest.fixture
def office(server, monkeypatch):
    monkeypatch.setattr(attempts, "PAUSES_S", (0.0, 0.0))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    server.office = Office(port=server.server_port)
    return server.office


def some_bytes(rng):
    return b"a,b\n" + rng.randbytes(rng.randint(2000, 9000)).replace(b"<", b"x")


@pytest.mark.parametrize("seed", seeds(60))
def test_a_broken_download_gives_one_version_of_a_file_or_none(tmp_path, office, seed):
    """Tags and times of change, lengths and chunks, drops and versions at random."""
    rng = random.Random(f"http {seed}")
    path = tmp_path / "release.zip"
    old, new = some_bytes(rng), some_bytes(rng)
    office.length = rng.choice(["Content-Length", "Content-Length", "chunked"])
    office.etag = rng.choice([None, 'W/"1"', '"1"'])
    office.modified = rng.choice([None, "Mon, 17 Jun 2024 09:55:00 GMT"])
    office.takes_ranges = rng.random() < 0.8
    office.data = old
    office.faults = [rng.randrange(len(old)), -503, -503, -503]
    with pytest.raises(MicroleakError, match="could not be fetched"):
        download(office.url, path, None)
    office.data = new
    office.etag = office.etag and office.etag.replace("1", "2")
    office.modified = office.modified and "Tue, 18 Jun 2024 09:55:00 GMT"
    office.faults = [rng.randrange(len(new)) for _ in range(rng.randrange(2))]
    assert not path.exists()
    sha256 = rng.choice([None, hashlib.sha256(new).hexdigest()])
    assert download(office.url, path, sha256) == hashlib.sha256(new).hexdigest()
    assert path.read_bytes() == new


@pytest.mark.parametrize("seed", seeds(20))
def test_a_cut_download_without_a_length_is_never_kept(tmp_path, office, seed):
    rng = random.Random(f"no length {seed}")
    path = tmp_path / "release.zip"
    office.data, office.length = some_bytes(rng), None
    office.faults = [rng.randrange(len(office.data))] * 9
    sha256 = rng.choice([None, hashlib.sha256(office.data).hexdigest()])
    words = "does not say how long" if sha256 is None else "has SHA-256|is empty|is XML"
    with pytest.raises(MicroleakError, match=words):
        download(office.url, path, sha256)
    assert list(tmp_path.iterdir()) == []
