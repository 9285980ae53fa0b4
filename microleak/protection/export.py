"""Protected records as a file to publish, written as the source writes its own.

A delimited file has the delimiter, the encoding and the missing value of the release
that it is made of, and any file its names of columns and its codes. Nobody's identifier
is in it: `names_of` leaves out those of persons and of records, by which whoever has
another file could find a person again.
"""

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from gettext import gettext as _
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.arrays import Integers
from microleak.base.errors import StudyError, TableError
from microleak.base.progress import progress
from microleak.protection.lines import (
    OTHER_LABELS,
    Places,
    encoded_texts,
    places_of,
    write_lines,
)
from microleak.protection.methods import DataColumn, record_slices
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ParquetChunks
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.archive import released_files
from microleak.sources.files.header import header
from microleak.sources.steps.intermediate import (
    ROWS_IN_A_GROUP,
    schema_of,
    write_row_groups,
)

CSV, PACKED, LINES, PARQUET = ".csv", ".csv.gz", ".txt", ".parquet"
ENDINGS = (CSV, PACKED, LINES, PARQUET)
"""How a file's name may end, which says how it is written."""


def form_of(definition: SourceDefinition) -> SourceDefinition:
    """Return how text is written: as the source's, or a CSV of a table of dBase."""
    if definition.is_dbf:
        return replace(definition, quote='"', encoding="utf-8")
    # Empty if the source reads that as missing, or knows no other.
    texts = definition.missing
    missing = texts if texts and "" not in texts else ("", *texts)
    return replace(definition, missing=missing)


def ending_of(file: Path) -> str:
    found = [ending for ending in ENDINGS if file.name.lower().endswith(ending)]
    if not found:
        said = _(
            "{file} does not end in {endings} or {last}, by which it is known how to "
            "write it. Correct -o."
        )
        raise StudyError(
            said, file=file, endings=", ".join(ENDINGS[:-1]), last=ENDINGS[-1]
        )
    return found[0]


def names_of(
    people: Path, definition: SourceDefinition, archive: Path | None
) -> list[str]:
    """Return the attributes of protected records that are written, in their order."""
    identifiers = definition.identifiers
    names = [name for name in schema_of(people).names if name not in identifiers]
    if not names:
        raise StudyError(
            f"{people} has no attribute but identifiers, which are not written. Name "
            "some under attributes of the protection."
        )
    if archive is None or definition.is_dbf:
        return names
    with closing(released_files(archive, definition)) as found:
        member = next(found)
        if definition.is_fixed_width(member.name):
            return names
        there = header(member, definition, names)
    return sorted(names, key=lambda name: there.index(definition.official(name)))


def write_records(
    people: Path,
    to: Path,
    definition: SourceDefinition,
    names: Sequence[str],
    archive: Path | None = None,
) -> Places | None:
    """Write attributes of protected records; return where fields of lines are."""
    chunks = ParquetChunks([people], ROWS_IN_A_GROUP)
    columns = coded_columns(chunks, names)
    # Any other order would tell something: that of the release undoes swaps, and that
    # of persons names them.
    order = np.lexsort([columns[name].codes for name in reversed(names)])
    with progress("writing the file", chunks.n_rows) as advance:

        def tables() -> Iterator[pa.Table]:
            for part in record_slices(chunks.n_rows):
                table = {
                    name: _taken_values(columns[name], order[part]) for name in names
                }
                yield _released_records(pa.table(table), definition)
                advance(len(order[part]))

        headings = [definition.official(name) for name in names]
        ending = ending_of(to)
        if ending == LINES:
            values = {}
            for name in names:
                own = pa.array(columns[name].values[1:], pa.string())
                if name in definition.recodes:
                    own = _own_codes(own, definition.recodes[name], name)
                values[definition.official(name)] = own
            places = places_of(values, definition, archive)
            write_lines(to, tables(), places)
            return places
        if ending == PARQUET:
            fields = [(heading, pa.string()) for heading in headings]
            schema = pa.schema(fields, schema_of(people).metadata)
            batches = (b for table in tables() for b in table.cast(schema).to_batches())
            write_row_groups(to, batches, schema)
        else:
            _write_csv(to, headings, tables(), form_of(definition), ending == PACKED)
    return None


def _taken_values(column: DataColumn, rows: Integers) -> pa.DictionaryArray:
    codes = column.codes[rows].astype(np.int32)
    indices = pa.array(codes - 1, mask=codes == 0)
    return pa.DictionaryArray.from_arrays(indices, pa.array(column.values[1:]))


def _released_records(table: pa.Table, definition: SourceDefinition) -> pa.Table:
    columns = {}
    for name in table.column_names:
        column = table[name].unify_dictionaries().combine_chunks()
        if name in definition.recodes:
            values = _own_codes(column.dictionary, definition.recodes[name], name)
            column = pa.DictionaryArray.from_arrays(column.indices, values)
        columns[definition.official(name)] = column
    return pa.table(columns)


def _own_codes(values: pa.Array, newest: Mapping[str, str], name: str) -> pa.Array:
    own: dict[str, str] = {}
    for old, new in newest.items():
        own[new] = old if old == new else own.get(new, old)
    found = [own.get(value, value) for value in values.to_pylist()]
    read = [newest.get(value, value) for value in found]
    if read != values.to_pylist():
        raise TableError(
            f"{name} has labels that are codes of this release for something else. "
            "Give other labels in its hierarchy."
        )
    return pa.array(found, pa.string())


def _write_csv(
    to: Path,
    headings: Sequence[str],
    tables: Iterable[pa.Table],
    form: SourceDefinition,
    is_packed: bool,
) -> None:
    cells = _quoted_values(pa.array(headings, pa.large_string()), form)
    first = form.delimiter.join(cells.to_pylist()) + "\n"
    with (
        to.open("wb") as raw,
        # Packed with neither name nor time: the same bytes each time.
        gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0)
        if is_packed
        else nullcontext(raw) as file,
    ):
        file.write(first.encode(form.encoding))
        for table in tables:
            file.write(_records_text(table, form))


def _records_text(table: pa.Table, form: SourceDefinition) -> bytes | memoryview:
    cells = [
        _written_cells(table[name].combine_chunks(), name, form)
        for name in table.column_names
    ]
    if len(cells) == 1:
        cells = [_never_empty(cells[0], table.column_names[0], form)]
    nothing, end, delimiter = (
        pa.scalar(text, pa.large_string()) for text in ("", "\n", form.delimiter)
    )
    lines = pc.binary_join_element_wise(*cells, delimiter)
    lines = pc.binary_join_element_wise(lines, nothing, end)
    # The texts of an array of lines lie one after another.
    _, offsets, texts = lines.buffers()
    n_bytes = int(np.frombuffer(offsets, np.int64)[len(lines)])
    data = memoryview(texts)[:n_bytes]
    if form.encoding == "utf-8":
        return data
    return str(data, "utf-8").encode(form.encoding)


def _written_cells(
    column: pa.DictionaryArray, name: str, form: SourceDefinition
) -> pa.Array:
    """Return what is written for each record of a column; values are judged once."""
    values = column.dictionary.cast(pa.large_string())
    _refuse_unwritten(values, name, form)
    missing = _quoted_values(pa.array(form.missing[:1], pa.large_string()), form)[0]
    return _quoted_values(values, form).take(column.indices).fill_null(missing)


def _never_empty(cells: pa.Array, name: str, form: SourceDefinition) -> pa.Array:
    """Return cells that are lines, as readers skip an empty one: it is in quotes."""
    is_empty = pc.equal(cells, pa.scalar("", cells.type))
    if form.quote is None and pc.any(is_empty).as_py():
        raise TableError(
            f"{name} is the only attribute and has missing values, which would be "
            "empty lines, and readers skip these. Name one more under attributes of "
            "the protection, or a FILE that ends in .parquet."
        )
    return pc.if_else(is_empty, pa.scalar(2 * (form.quote or ""), cells.type), cells)


def _refuse_unwritten(values: pa.Array, name: str, form: SourceDefinition) -> None:
    missing = pa.array(form.missing, pa.large_string())
    if pc.any(pc.is_in(values, value_set=missing)).as_py():
        raise TableError(
            f"{name} has values that are written as a missing one is. Give other "
            "labels in its hierarchy or, if these values are missing ones, name them "
            "in missing under options in the study file."
        )
    if form.quote is None and pc.any(_is_broken(values, form)).as_py():
        raise TableError(
            f"{name} has values with a {form.delimiter!r} or a line end, which its "
            f"source cannot write, as it has no quotes. {OTHER_LABELS}"
        )
    if form.encoding != "utf-8" and not pc.all(pc.string_is_ascii(values)).as_py():
        encoded_texts(name, values, form.encoding)


def _quoted_values(values: pa.Array, form: SourceDefinition) -> pa.Array:
    if form.quote is None:
        return values
    doubled = pc.replace_substring(values, form.quote, 2 * form.quote)
    mark, nothing = (pa.scalar(text, values.type) for text in (form.quote, ""))
    marked = pc.binary_join_element_wise(mark, doubled, mark, nothing)
    return pc.if_else(_is_broken(values, form), marked, values)


def _is_broken(values: pa.Array, form: SourceDefinition) -> pa.BooleanArray:
    special = re.escape(f"{form.delimiter}{form.quote or ''}")
    return pc.match_substring_regex(values, rf"[{special}\r\n]")
