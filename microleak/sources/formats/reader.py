"""Records of a member, streamed as text, with every faulty line an error."""

import os
import re
import time
import weakref
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from gettext import gettext as _
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, cast

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from microleak.base.errors import ArchiveError, TableError
from microleak.base.progress import Advance, tell_no_progress
from microleak.sources.definitions.definition import ROW, SourceDefinition
from microleak.sources.definitions.yearly import Claim
from microleak.sources.files.contents import if_right, lines_at_end
from microleak.sources.files.header import header
from microleak.sources.files.inspection import (
    BOM,
    NOTHING,
    CsvLayout,
    DamagedByteError,
    Inspected,
    KnownFile,
    MarkError,
    MissingEndError,
    line_of_offset,
    n_lines,
    repeated_header,
    uneven_row,
)
from microleak.sources.files.member import Member
from microleak.sources.formats.dbf import (
    DbfHeader,
    FaultyRecordError,
    check_length,
    dbf_header,
    dbf_records,
    wanted_columns,
)
from microleak.sources.formats.fixed_width import (
    UnevenLineError,
    records,
    shape_of,
    uneven_line,
)
from microleak.sources.steps.intermediate import regrouped

_DIGITS = 32


def row_digests(batch: pa.RecordBatch) -> pa.Array:
    """Digest of each row: the same in any order of the columns.

    The first 32 hexadecimal digits of the SHA-256 of a text with all names in the
    order of their bytes, then the values in the same order. Each is written as its
    length in bytes, ":" and itself, a missing value as "-:-", with ":" between.

    >>> row = pa.record_batch({"b": ["é"], "a": pa.array([None], pa.string())})
    >>> row_digests(row)[0].as_py()
    'ac6740ad2e7f7e6f14c1c28c88eec3be'
    >>> sha256("1:a:1:b:-:-:2:é".encode()).hexdigest()[:32]
    'ac6740ad2e7f7e6f14c1c28c88eec3be'
    """
    columns = sorted(
        zip(batch.schema.names, batch.columns, strict=True), key=itemgetter(0)
    )
    names = ":".join(f"{len(name.encode())}:{name}" for name, _ in columns)
    cells = [
        part
        for _, each in columns
        for part in (pc.binary_length(each).cast(pa.string()), each)
    ]
    rows = pc.binary_join_element_wise(
        *(names, *cells, ":"), null_handling="replace", null_replacement="-"
    )
    digests = (sha256(row).hexdigest() for row in rows.cast(pa.binary()).to_pylist())
    return pa.array((each[:_DIGITS] for each in digests), pa.string())


def selected(
    batch: pa.RecordBatch, definition: SourceDefinition, attributes: Sequence[str]
) -> pa.RecordBatch:
    """Columns of attributes by their newest names, among them the digests of rows."""
    names = batch.schema.names
    columns = [
        row_digests(batch)
        if attribute == ROW
        else batch.column(names.index(definition.official(attribute)))
        for attribute in attributes
    ]
    return pa.RecordBatch.from_arrays(columns, [*attributes])


_MOST_WAIT_S = 10.0


def claims_of(
    member: Member, definition: SourceDefinition, header: DbfHeader
) -> list[Claim]:
    named = re.fullmatch(definition.members, member.name, re.IGNORECASE)
    if definition.monthly is None or named is None:
        return []
    names = [column.name.casefold() for column in header.columns]
    there = {
        column.name
        for column in header.columns
        if column.is_written and names.count(column.name.casefold()) == 1
    }
    claims = definition.monthly.claims(named["month"])
    return [claim for claim in claims if claim.column in there]


def check_claims(
    batch: pa.RecordBatch, claims: Sequence[Claim], member: Member
) -> None:
    """Refuse records that are of another state or month than their file's name says."""
    # Each distinct value is looked at once. A missing value says nothing.
    for claim in claims:
        values = pc.drop_null(pc.unique(batch.column(claim.column)))
        is_own = pc.starts_with(values, claim.begins)
        if foreign := values.filter(pc.invert(is_own)).to_pylist():
            raise ArchiveError(
                f"{member.where} has records of {claim.found(foreign[0])} (in "
                f"{claim.column}), {claim.meaning} expected by its name. Fetch it "
                "again, or give it its right name."
            )


@dataclass(frozen=True)
class ReadSizes:
    """Bytes of UTF-8 parsed at once, and records given at once."""

    # Every row of so many bytes is read, none of twice as many; between, it depends.
    block_bytes: int = 2 << 20
    chunk_records: int = 1 << 18


DEFAULT_SIZES = ReadSizes()


def chunks(
    member: Member,
    definition: SourceDefinition,
    attributes: Sequence[str],
    sizes: ReadSizes = DEFAULT_SIZES,
    advance: Advance = tell_no_progress,
    known: KnownFile = NOTHING,
) -> Iterator[pa.Table]:
    """Give a member's records in their order, `sizes.chunk_records` at a time."""
    # All values are text, null where the definition says a value is missing. Messages
    # name the archive, the member and the line, and no content. `advance` is told the
    # bytes read, `member.n_bytes` in all.
    definition = definition.of(member)
    read: Callable[..., Iterator[pa.RecordBatch]] = partial(_of_delimiters, known=known)
    if definition.is_dbf:
        read = _of_dbf
    elif definition.is_fixed_width(member.name):
        read = _of_places
    batches = read(member, definition, attributes, sizes.block_bytes, advance)
    yield from regrouped(batches, sizes.chunk_records)


def columns_of(member: Member, definition: SourceDefinition) -> list[str]:
    """Return the names of all columns of a member, as it has them."""
    if definition.is_dbf:
        found = dbf_header(member, definition.encoding).columns
        return [column.name for column in found if column.is_written]
    if definition.layout and definition.is_fixed_width(member.name):
        return [*definition.layout.fields]
    return header(member, definition, [])


def _of_dbf(
    member: Member,
    definition: SourceDefinition,
    attributes: Sequence[str],
    block_bytes: int,
    advance: Advance,
) -> Iterator[pa.RecordBatch]:
    header = dbf_header(member, definition.encoding)
    check_length(member, header)
    claims = claims_of(member, definition, header)
    every = (column.name for column in header.columns if column.is_written)
    read = [*every] if ROW in attributes else [*attributes]
    names = dict.fromkeys((*read, *(claim.column for claim in claims)))
    columns = wanted_columns(header, member, [*names])
    try:
        with member.open() as raw:
            for batch in dbf_records(
                raw, header, columns, definition.missing, block_bytes, advance
            ):
                check_claims(batch, claims, member)
                yield selected(batch.select(read), definition, attributes)
    except FaultyRecordError as fault:
        raise ArchiveError(
            f"{member.where}: record {fault.record} of {header.n_records} "
            f"{fault.what}: the file is damaged. Fetch it again."
        ) from None


def _of_places(
    member: Member,
    definition: SourceDefinition,
    attributes: Sequence[str],
    block_bytes: int,
    advance: Advance,
) -> Iterator[pa.RecordBatch]:
    shape = shape_of(member, definition)
    assert definition.layout and definition.encoding == "latin-1"
    places = definition.layout.fields
    official = map(definition.official, attributes)
    fields = places if ROW in attributes else {name: places[name] for name in official}
    try:
        with member.open() as raw:
            told = _Told(raw, advance)
            for batch in records(told, shape, fields, definition.missing, block_bytes):
                yield selected(batch, definition, attributes)
    except UnevenLineError:
        raise uneven_line(member, shape) from None


def _of_delimiters(
    member: Member,
    definition: SourceDefinition,
    attributes: Sequence[str],
    block_bytes: int,
    advance: Advance,
    known: KnownFile,
) -> Iterator[pa.RecordBatch]:
    names = header(member, definition, attributes, known)
    n_columns = len(names)
    wanted = [*map(definition.official, attributes)]
    layout = CsvLayout(
        definition.delimiter,
        definition.quote,
        definition.encoding,
        n_columns,
        # Marks that microleak wrote are right.
        KnownFile(n_rows=True) if "quote" in member.written else known,
    )
    of_header = _names_of_header(names, definition.encoding)
    try:
        with (
            member.open() as raw,
            closing(Inspected(cast(BinaryIO, _Told(raw, advance)), layout)) as told,
            _lent(told) as text,
        ):
            is_searched = known.n_rows
            for batch in _stream(text, definition, wanted, names, block_bytes):
                missing = definition.missing
                if not is_searched and _may_repeat_header(batch, of_header, missing):
                    is_searched = True
                    if line := repeated_header(member, definition):
                        raise _repeated(member, line) from None
                yield selected(batch, definition, attributes)
        if not known.n_rows:
            _refuse_odd_end(told.tail, member, definition, n_columns)
    except MissingEndError as damage:
        cut = _uneven(member, definition, n_columns)
        raise cut or _damaged(member, damage) from None
    except DamagedByteError as damage:
        is_joined = isinstance(damage, MarkError)
        line = repeated_header(member, definition) if is_joined else None
        raise (_repeated(member, line) if line else _damaged(member, damage)) from None
    except pa.ArrowInvalid:
        # The fast reader's message holds the row.
        uneven = _uneven(member, definition, n_columns)
        raise uneven or TableError(
            f"{member.where}: cannot be read as {n_columns} columns: a row is longer "
            f"than {block_bytes} bytes."
        ) from None


def _refuse_odd_end(
    tail: bytes, member: Member, definition: SourceDefinition, n_columns: int
) -> None:
    """Refuse last lines that are no records, judged by the end of the text."""
    at_end = tail.decode(errors="replace")
    if n_odd := lines_at_end(at_end, n_columns, definition):
        said = _(
            "{where}: line {line} looks like a total, a note or an empty line. If it "
            "is one, delete it and all below it. If it is a record, give n_rows under "
            "releases in a study file."
        )
        raise TableError(said, where=member.where, line=n_lines(member) + 1 - n_odd)


def check_end(
    file: Path, member: Member, definition: SourceDefinition, n_columns: int
) -> None:
    """Refuse a member whose last line has no end, by its last byte alone."""
    with file.open("rb") as raw:
        raw.seek(-1, os.SEEK_END)
        is_ended = raw.read() in (b"\n", b"\r")
    if not is_ended:
        cut = _uneven(member, definition, n_columns)
        raise cut or _damaged(member, MissingEndError(member.n_bytes - 1))


@dataclass(frozen=True)
class _Told:
    raw: BinaryIO
    advance: Advance

    def read(self, size: int) -> bytes:
        data = self.raw.read(size)
        self.advance(len(data))
        return data


class _Lent:
    """A text whose blocks are lent to the fast reader, and known until given back."""

    closed = False

    def __init__(self, text: Inspected) -> None:
        self._text = text
        self._blocks: list[weakref.ref[memoryview]] = []

    def read(self, size: int) -> memoryview:
        block = memoryview(self._text.read(size))
        self._blocks = [each for each in self._blocks if each() is not None]
        self._blocks.append(weakref.ref(block))
        return block

    @property
    def n_lent(self) -> int:
        return sum(each() is not None for each in self._blocks)


@contextmanager
def _lent(text: Inspected) -> Iterator[_Lent]:
    """Lend a text to the fast reader; it ends once all blocks are given back."""
    # A thread that gives one back while the process ends is killed within C++, which
    # aborts the process in place of its exit.
    lent = _Lent(text)
    try:
        yield lent
    finally:
        deadline = time.monotonic() + _MOST_WAIT_S
        while lent.n_lent and time.monotonic() < deadline:
            time.sleep(0.001)


def _stream(
    text: _Lent,
    definition: SourceDefinition,
    wanted: Sequence[str],
    names: Sequence[str],
    block_bytes: int,
) -> csv.CSVStreamingReader:
    return csv.open_csv(
        text,
        read_options=csv.ReadOptions(block_size=block_bytes),
        parse_options=csv.ParseOptions(
            delimiter=definition.delimiter,
            quote_char=definition.quote or False,
            newlines_in_values=definition.quote is not None,
            ignore_empty_lines=False,
        ),
        convert_options=csv.ConvertOptions(
            # None means all, also those of the same name.
            include_columns=[] if ROW in wanted else wanted,
            column_types=dict.fromkeys(names, pa.string()),
            null_values=list(definition.missing),
            strings_can_be_null=True,
        ),
    )


def _names_of_header(names: Sequence[str], encoding: str) -> pa.Array:
    mark = BOM.decode(encoding)
    given = [name.strip() for name in names]
    return pc.utf8_lower(pa.array([*given, *(mark + name for name in given)]))


def _may_repeat_header(
    batch: pa.RecordBatch, names: pa.Array, missing: Collection[str]
) -> bool:
    """Whether some record has the name of a column in each, in any order and case."""
    # Names that stand for a missing value tell nothing of their columns.
    shortest = pc.min(pc.utf8_length(names)).as_py()
    given = batch.schema.names
    told_by = [name for name in given if name not in missing and given.count(name) == 1]
    # Codes are shorter than names as a rule: then the first column tells at once.
    for name in sorted(told_by, key=lambda name: batch.column(name).nbytes):
        if (pc.max(pc.binary_length(batch.column(name))).as_py() or 0) < shortest:
            return False
        is_long = pc.greater_equal(pc.utf8_length(batch.column(name)), shortest)
        batch = batch.filter(is_long)
        small = pc.utf8_lower(pc.utf8_trim_whitespace(batch.column(name)))
        batch = batch.filter(pc.is_in(small, value_set=names))
    return bool(batch.num_rows)


def _repeated(member: Member, line: int) -> TableError:
    return TableError(
        _(
            "{where}: line {line} repeats the header, as happens when files are "
            "joined. Delete the line, or put the separate files into one folder and "
            "give that folder as archive."
        ).format(where=member.where, line=line)
        + f" {if_right()}"
    )


def _damaged(member: Member, damage: DamagedByteError) -> TableError:
    line = line_of_offset(member, damage.offset)
    said = _("{where}: line {line} has {what}. {remedy}.")
    return TableError(
        said, where=member.where, line=line, what=damage.what, remedy=damage.remedy
    )


def _uneven(
    member: Member, definition: SourceDefinition, n_columns: int
) -> TableError | None:
    found = uneven_row(member, definition, n_columns)
    if found is None:
        return None
    line, n_values, is_note = found
    if is_note:
        said = _(
            "{where}: line {line} is a note, not a record. Delete it, and other notes "
            "below it."
        )
        return TableError(said, where=member.where, line=line)
    said = _(
        "{where}: line {line} has {n_values} values, {n_columns} expected as in the "
        "header: the row is cut, or a value holds the delimiter or a line end. Fetch "
        "the release again, or correct the file."
    )
    return TableError(
        said, where=member.where, line=line, n_values=n_values, n_columns=n_columns
    )
