"""Tables that are no delimited text, and packed files, as the text that is read.

A member that holds one gives a CSV in UTF-8 in which each value has the text that it
has in a frame (`base.same_values`), and a value with a name, as in SPSS, that name.
"""

import bz2
import codecs
import csv
import gzip
import io
import lzma
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from gettext import gettext as _
from importlib import import_module
from itertools import count
from shutil import copyfileobj
from typing import Any, BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from microleak.base.errors import ArchiveError, TableError
from microleak.base.same_values import value_texts

ENDINGS = r"\.(xls[xmb]?|ods|parquet|feather|arrow|z?sav|por|dta|sas7bdat|xpt)"
"""Of files that stand for the CSV of their name where there is no CSV."""

PACKED_ENDINGS = (".gz", ".bz2", ".xz", ".zst")
SHEET = (
    rb"PK\x03\x04.{26}((?=.*xl/(_rels|w|s|t))(xl/|_rels/|docProps/|\[Content_Types)|"
    rb"mimetypeapplication/vnd\.oasis\.opendocument\.spreadsheet)"
)
_PIECE_BYTES = 1 << 20
_RECORDS, _CELLS = 1 << 16, 1 << 21  # Of a table, read at once

Column = Any  # Values of records: an Arrow array, or a list of Python's objects
# Names of columns, and the columns of ever more records
Columns = tuple[list[str], Iterator[Sequence[Column]]]


@dataclass(frozen=True)
class MadeText:
    """How text is made of a member, and what then differs from its definition."""

    # `text` takes the file and what messages call it, and closes it
    written: Mapping[str, str]
    text: Callable[[BinaryIO, str], Iterator[bytes]]


def sheet_setting() -> str:
    return _("sheet under options in the study file")


def is_workbook(data: bytes) -> bool:
    return _told_by(data, _TABLES) is _of_sheet


def sheet_rows(
    data: bytes, where: str, sheet: str | None
) -> list[tuple[int, list[str]]]:
    with _library("python_calamine", where) as calamine:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        if sheet is None and len(book.sheet_names) == 1:
            (sheet,) = book.sheet_names
        if sheet not in book.sheet_names:
            said = _(
                "{where} has tables in the sheets {sheets}. Name one in {setting}."
            )
            sheets = ", ".join(map(repr, book.sheet_names))
            raise TableError(said, where=where, sheets=sheets, setting="sheet")
        rows = book.get_sheet_by_name(sheet).to_python(skip_empty_area=False)
    return [
        (number, [_shown(cell) for cell in row])
        for number, row in enumerate(rows, start=1)
    ]


def _shown(cell: Any) -> str:
    return f"{cell:.15g}" if isinstance(cell, float) else str(cell)


def unpacked(head: bytes) -> Callable[[BinaryIO], BinaryIO] | None:
    """Return what unpacks a file that begins so; None if nothing has to."""
    opener = _told_by(head, _PACKED)
    return opener and (lambda file: joined(_pieces(file, opener)))


def made(head: bytes, sheet: str | None, release: str) -> MadeText | None:
    """Return how text is made of a file that begins so; None of what is read as it is.

    Of several sheets with tables, the one named `sheet` or like the release is read.
    """
    if encoding := _told_by(head, _TEXTS):
        return MadeText({"encoding": "utf-8"}, partial(_as_utf8, encoding))
    if columns := _told_by(head, _TABLES):
        if columns is _of_sheet:
            columns = partial(_of_sheet, sheet=sheet, release=release)
        written = {"delimiter": ",", "quote": '"', "encoding": "utf-8"}
        return MadeText(written, partial(_as_csv, columns))
    return None


def _told_by(head: bytes, table: Mapping[bytes, Any]) -> Any:
    found = (is_so for begins, is_so in table.items() if re.match(begins, head, re.S))
    return next(found, None)


def joined(parts: Iterator[bytes]) -> BinaryIO:
    """Return a file of parts, which are made as it is read and closed with it."""
    return cast(BinaryIO, io.BufferedReader(_Joined(parts)))


class _Joined(io.RawIOBase):
    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts = parts
        self._part = memoryview(b"")

    def readable(self) -> bool:
        return True

    # A buffered reader, the only one to call it, gives a memoryview.
    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while not self._part and (part := next(self._parts, None)) is not None:
            self._part = memoryview(part)
        n_bytes = min(len(buffer), len(self._part))
        buffer[:n_bytes] = self._part[:n_bytes]
        self._part = self._part[n_bytes:]
        return n_bytes

    def close(self) -> None:
        self._parts.close()  # type: ignore[attr-defined]
        super().close()


def is_plain(file: BinaryIO) -> bool:
    """Whether a file can be read in any order without being unpacked."""
    return isinstance(getattr(file, "raw", None), io.FileIO)


def _pieces(file: BinaryIO, opener: Callable[..., Any]) -> Iterator[bytes]:
    with closing(file), closing(opener(file)) as plain:
        yield from iter(partial(plain.read, _PIECE_BYTES), b"")


_PACKED: Mapping[bytes, Callable[..., Any]] = {
    rb"\x1f\x8b": gzip.open,
    rb"BZh[1-9](1AY&SY|\x17rE8P\x90)": bz2.open,
    rb"\xfd7zXZ\0": lzma.open,
    rb"\x28\xb5\x2f\xfd": lambda file: pa.CompressedInputStream(file, "zstd"),
}
_TEXTS = {
    rb"\xff\xfe\0\0|\0\0\xfe\xff": "utf-32",
    rb"\xff\xfe|\xfe\xff": "utf-16",
    rb"([\t-~]\0\0\0){2}": "utf-32-le",
    rb"(\0\0\0[\t-~]){2}": "utf-32-be",
    rb"([\t-~\xa0-\xff]\0){3}": "utf-16-le",
    rb"(\0[\t-~\xa0-\xff]){3}": "utf-16-be",
}


def _as_utf8(encoding: str, file: BinaryIO, where: str) -> Iterator[bytes]:
    with closing(file):
        pieces = iter(partial(file.read, _PIECE_BYTES), b"")
        yield from (text.encode() for text in codecs.iterdecode(pieces, encoding))


def _as_csv(
    columns: Callable[[BinaryIO, str], Columns], file: BinaryIO, where: str
) -> Iterator[bytes]:
    with closing(file), tempfile.TemporaryFile() as spool:
        if not is_plain(file):
            copyfileobj(file, spool)  # as what is packed cannot be read in any order
            spool.seek(0)
            file = cast(BinaryIO, spool)
        names, parts = columns(file, where)
        header = io.StringIO()
        csv.writer(header, quoting=csv.QUOTE_ALL, lineterminator="\n").writerow(names)
        yield header.getvalue().encode()
        for part in parts:
            texts = [_texts(*named, where) for named in zip(part, names, strict=True)]
            out = io.BytesIO()
            form = pa.csv.WriteOptions(include_header=False)
            pa.csv.write_csv(pa.table(texts, [*map(str, range(len(texts)))]), out, form)
            yield out.getvalue()


def _texts(values: Column, name: str, where: str) -> pa.Array:
    """Return the text of each value; objects may be of several types."""
    try:
        if not isinstance(values, list):
            if pa.types.is_dictionary(values.type):
                values = values.dictionary_decode()
            return value_texts(values).cast(pa.string())
        kinds = {type(value): None for value in values if value is not None}
        parts = [
            value_texts(pa.array([v if type(v) is kind else None for v in values]))
            for kind in kinds
        ]
        return pc.coalesce(pa.nulls(len(values), pa.string()), *parts)
    except pa.ArrowNotImplementedError:
        said = _(
            "{where}: column {name} has lists or other values that are no text. Leave "
            "it out of the file, or write it as text."
        )
        raise TableError(said, where=where, name=name) from None


def _of_parquet(file: BinaryIO, where: str) -> Columns:
    found = import_module("pyarrow.parquet").ParquetFile(file)
    batches = found.iter_batches(_RECORDS)
    return found.schema_arrow.names, (batch.columns for batch in batches)


def _of_arrow(file: BinaryIO, where: str) -> Columns:
    found = pa.ipc.open_file(file)
    parts = range(found.num_record_batches)
    return found.schema.names, (found.get_batch(i).columns for i in parts)


def _of_statistics(function: str, file: BinaryIO, where: str) -> Columns:
    def read(**how: Any) -> Any:
        file.seek(0)
        with _library("pyreadstat", where) as library:
            return getattr(library, function)(file, output_format="dict", **how)

    meta = read(metadataonly=True)[1]
    names, labels = meta.column_names, meta.variable_value_labels
    n_most = 1 + _CELLS // (1 + len(names))

    def parts() -> Iterator[Sequence[Column]]:
        for first in count(0, n_most):
            values = read(row_offset=first, row_limit=n_most)[0]
            yield [_named(values[n], labels.get(n, {}), n, where) for n in names]
            if len(values[names[0]]) < n_most:
                return

    return names, parts()


def _named(
    values: Column, labels: Mapping[Any, str], name: str, where: str
) -> pa.Array:
    """Return values by their names, with the code where a name tells no two apart."""
    texts = _texts(values, name, where)
    if not labels:
        return texts
    n_of = Counter(labels.values())
    codes = _texts([*labels], name, where).to_pylist()
    names = {
        code: f"{label} ({code})"
        if n_of[label] > 1 or (label != code and re.fullmatch(r"[-\d.,]+", label))
        else label or code
        for code, label in zip(codes, labels.values(), strict=True)
    }
    coded = texts.dictionary_encode()
    known = pa.array([names.get(t, t) for t in coded.dictionary.to_pylist()], "string")
    return known.take(coded.indices)


def _of_sheet(
    file: BinaryIO, where: str, *, sheet: str | None, release: str
) -> Columns:
    names, columns = _sheet(file.read(), where, sheet, release)
    return names, iter([columns])


@lru_cache(maxsize=1)  # as a workbook is opened several times, and takes long
def _sheet(
    data: bytes, where: str, sheet: str | None, release: str
) -> tuple[list[str], Sequence[Column]]:
    tables = _tables(data, where)
    name = sheet or release
    if sheet is None and len(tables) == 1:
        (name,) = tables
    if name not in tables:
        said = _("{where} has tables in the sheets {sheets}. Name one in {setting}.")
        if not tables:
            said = _("{where} has no sheet with a header and a record below it.")
        sheets = ", ".join(map(repr, tables))
        raise TableError(said, where=where, sheets=sheets, setting=sheet_setting())
    columns = zip(*(map(_cell, row) for row in tables[name]), strict=True)
    filled = [column for column in columns if {*column} != {None}]
    names = _texts([c[0] for c in filled], "", where).fill_null("").to_pylist()
    named = zip(names, filled, strict=True)
    return names, [_texts([*column[1:]], name, where) for name, column in named]


def _tables(data: bytes, where: str) -> Mapping[str, Sequence[Sequence[Any]]]:
    """Return the rows of each sheet that has a table and is not hidden."""
    with _library("python_calamine", where) as calamine:
        book = calamine.CalamineWorkbook.from_filelike(io.BytesIO(data))
        shown = calamine.SheetTypeEnum.WorkSheet, calamine.SheetVisibleEnum.Visible
        found = {
            each.name: book.get_sheet_by_name(each.name).to_python()
            for each in book.sheets_metadata
            if (each.typ, each.visible) == shown
        }
    filled = {n: [r for r in rows if {*r} != {""}] for n, rows in found.items()}
    several = {n: rows for n, rows in filled.items() if len(rows) > 1}
    return {n: rows for n, rows in several.items() if len(rows[0]) > 1} or several


def _cell(value: Any) -> Any:
    """Return what a cell shows: of a number 15 digits, of an empty one nothing."""
    if isinstance(value, float):
        return float(f"{value:.15g}")
    return None if value == "" else value


@contextmanager
def _library(name: str, where: str) -> Iterator[Any]:
    """Lend a library of the extra `files`; what it raises says that the file is bad."""
    try:
        library = import_module(name)
    except ImportError:
        said = _(
            "To read {where}, install more: pip install 'microleak[files]'. Or save "
            "its table as CSV."
        )
        raise ArchiveError(said, where=where) from None
    kinds = "CalamineError", "ReadstatError", "PyreadstatError"
    own = tuple(getattr(library, kind) for kind in kinds if hasattr(library, kind))
    try:
        yield library
    except own as error:
        if type(error).__name__ == "PasswordError":
            said = _("{where} has a password. Save it without one.")
            raise ArchiveError(said, where=where) from None
        raise ValueError from None


_TABLES: Mapping[bytes, Callable[..., Columns]] = {
    SHEET: _of_sheet,
    rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": _of_sheet,
    rb"PAR1.*\0": _of_parquet,
    rb"ARROW1\0": _of_arrow,
    rb"\$FL[23]@\(#\)": partial(_of_statistics, "read_sav"),
    rb".{0,200}SPSS PORT FILE": partial(_of_statistics, "read_por"),
    rb"<stata_dta>|[h-s][\x01\x02]\x01\0": partial(_of_statistics, "read_dta"),
    rb"\0{12}\xc2\xea\x81\x60": partial(_of_statistics, "read_sas7bdat"),
    rb"HEADER RECORD\*{7}LIB": partial(_of_statistics, "read_xport"),
}
