"""One record for each person of a table.

A census holds some people twice: a student with two enrolments, a patient with
two procedures. The attacks are about people, so one record of each stays. Which
one must be a fair draw, and the same draw for whoever repeats it.
"""

import tempfile
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microleak.base.errors import MicroleakError, TableError
from microleak.base.files import write_text
from microleak.base.machine import Resources
from microleak.base.progress import Advance, progress
from microleak.kernels.ordering import order_of
from microleak.kernels.spilled_rows import Shelf, by_bucket, joined
from microleak.kernels.text_words import Words, ranges_of
from microleak.sources.steps.coded_rows import CodedRows, coded_rows
from microleak.sources.steps.intermediate import (
    metadata_of,
    receipt_text,
    schema_of,
    write_row_groups,
)
from microleak.sources.steps.scratch import Scratch


@dataclass(frozen=True)
class Choice:
    """What names a person and a record, and the seed of the draw.

    `person_id` None: every row is a person. `record_id` None: a row's whole
    content names the record.
    """

    person_id: str | None
    record_id: str | None
    seed: int


__all__ = ["Choice", "Receipt", "deduplicate", "people_schema"]

MIB = 2**20

DUCKDB, WAITING, BUCKETS = 0.2, 0.4, 0.25
"""Shares of the memory: hashing of rows, rows that wait, and buckets at work."""

MOST_ROWS, LEAST_ROWS = 1 << 19, 1 << 12
"""Most rows of a bucket, about, and the fewest that are worth one."""

BYTES_A_WORD, BYTES_A_TEXT = 32, 24
"""What a bucket needs for each word of a row, and for each text that it becomes."""


@dataclass(frozen=True)
class Receipt:
    """How many rows came in, and how many people and records went out.

    `n_tied` counts the persons whose smallest key several rows have, because they
    have the same `record_id`: which of these stays depends on their other values.
    """

    n_read: int
    n_persons_with_several: int
    n_dropped: int
    n_records: int
    n_tied: int
    seed: int
    person_id: str | None
    record_id: str | None


def deduplicate(
    table: Path, people: Path, receipt: Path, choice: Choice, resources: Resources
) -> None:
    """Write one record for each person of a table, and a receipt of the counts.

    Of a person's records the one with the smallest key stays. The key is the
    SHA-256, in lower-case hexadecimal digits, of the UTF-8 text

        seed ";" person record

    without the blanks, where a value is written as its length in bytes, ":" and
    itself, or as "-" where it is missing: no two pairs give the same text. So the
    draw depends neither on the order of the rows nor on the machine, and each of
    a person's k records has the chance 1/k.

    Without `record_id` the record is all values of the row, in the order of the
    columns. Where rows of a person have the same key and other contents, the
    first in the order of the columns stays: missing before any value, then by
    bytes. Rows of equal content are one record.

    The table is read twice: once for the values that there are, then as words that
    wait, by ranges of persons, in memory or a temporary file. Then each range is
    sorted by itself, and only the rows of persons with several are hashed. The rows of
    one person, and one row group of the table a thread, are always in memory.

    Parameters
    ----------
    table
        Parquet file of text columns. A missing value is null; "" is a value.
    people
        Parquet file to write: the columns but `record_id`, sorted by the bytes
        of `person_id`; without `person_id` by all columns, missing first.
    receipt
        JSON file to write, the fields of `Receipt`.
    choice
        Names and seed.
    resources
        Bounds, which change neither file. Temporary files are removed. Given
        less than 1,000 MiB the process takes up to 250 MiB more.

    Raises
    ------
    TableError
        If the table is not Parquet, has a column that is not text, lacks a
        column that `choice` names, or has rows without a person.
    MicroleakError
        If memory or temporary space does not suffice.

    Examples
    --------
    The key of record "é" of person "ana" with seed 7:

    >>> import hashlib
    >>> hashlib.sha256("7;3:ana2:é".encode()).hexdigest()[:16]
    '0669915ad0e451db'
    """
    schema = _text_schema(table)
    _require(schema.names, choice, table)
    with (
        _database(table, resources) as database,
        progress("one record a person", 4 * metadata_of(table).num_rows) as advance,
        ThreadPoolExecutor(resources.threads) as pool,
    ):
        rows = coded_rows(table, *_texts_and_codes(schema, choice), pool, advance)
        _refuse_missing(rows, table, choice)
        picking = _Picking(rows, choice, schema, database)
        waiting = _by_range(rows, picking.n_keys, resources, pool, advance)
        batches = picking.batches(waiting, pool, resources.threads, advance)
        write_row_groups(people, batches, people_schema(schema, choice))
    write_text(receipt, receipt_text(asdict(picking.receipt())))


def _texts_and_codes(schema: pa.Schema, choice: Choice) -> tuple[list[str], list[str]]:
    """Return the columns that name a person and a record, and all others.

    Where rows have no person, what names a record is not needed.
    """
    named = [name for name in (choice.person_id, choice.record_id) if name is not None]
    others = [name for name in schema.names if name not in named]
    return ([] if choice.person_id is None else [*dict.fromkeys(named)]), others


def _text_schema(table: Path) -> pa.Schema:
    schema = schema_of(table)
    other = [field.name for field in schema if not _is_text(field.type)]
    if other:
        raise TableError(
            f"{table}: every column must be text, but {', '.join(other)} is not. "
            "Delete it and ingest the release again."
        )
    return schema


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _require(names: Sequence[str], choice: Choice, table: Path) -> None:
    given = {"person_id": choice.person_id, "record_id": choice.record_id}
    for role, name in given.items():
        if name is not None and name not in names:
            raise TableError(
                f"{table} has no column {name}, which should be its {role}. It has: "
                f"{', '.join(names)}. Correct {role} of the table's source."
            )


def people_schema(schema: pa.Schema, choice: Choice) -> pa.Schema:
    """Text columns but `record_id`, with what the table says of itself."""
    names = [name for name in schema.names if name != choice.record_id]
    return pa.schema([(name, pa.string()) for name in names], schema.metadata)


@contextmanager
def _database(table: Path, resources: Resources) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB with bounds; leave no file, and let no error quote a cell."""
    resources.scratch.mkdir(parents=True, exist_ok=True)
    try:
        with (
            tempfile.TemporaryDirectory(
                prefix=".unfinished-deduplicate-", dir=resources.scratch
            ) as folder,
            duckdb.connect(":memory:", config=_settings(resources, folder)) as database,
        ):
            yield database
    except (duckdb.Error, pa.ArrowException, OSError, MemoryError) as error:
        raise MicroleakError(
            f"{table}: choosing one record a person stopped ({type(error).__name__}). "
            f"Give the rule deduplicate more memory than {resources.memory_mb} MiB or "
            f"its disk more space; if the table is damaged, delete it and ingest the "
            "release again."
        ) from None


def _settings(resources: Resources, folder: str) -> dict[str, Any]:
    return {
        "threads": 1,
        "memory_limit": f"{int(resources.memory_mb * DUCKDB)}MiB",
        "temp_directory": folder,
        "autoinstall_known_extensions": False,
    }


def _refuse_missing(rows: CodedRows, table: Path, choice: Choice) -> None:
    if choice.person_id is not None and (n := rows.n_missing[choice.person_id]):
        raise TableError(
            f"{table}: {choice.person_id}, which should name the person of a row, is "
            f"missing in {n:,} of the rows. Correct the release, or person_id of the "
            "table's source."
        )


@dataclass(frozen=True)
class _Waiting:
    """Rows as words, in buckets that ascend by the keys that the rows are sorted by."""

    shelf: Shelf
    n_buckets: int

    def take(self, bucket: int) -> list[Words]:
        """Return the words of a bucket's rows, which are forgotten."""
        return joined(self.shelf.pieces(bucket), self.shelf.types)


def _by_range(
    rows: CodedRows, n_keys: int, resources: Resources, pool: Executor, advance: Advance
) -> _Waiting:
    """Let all rows wait, by ranges of the keys, which are their first words."""
    sample = rows.sample()[:n_keys]
    n_buckets = -(-rows.n_rows // _rows_a_bucket(rows, resources)) or 1
    places = np.arange(1, n_buckets) * len(sample[0]) // n_buckets
    bounds = np.stack(sample)[:, order_of(*sample)[places]]
    scratch = Scratch(resources.scratch, int(WAITING * resources.memory_mb * MIB))
    shelf = scratch.shelf([np.dtype(np.int64)] * rows.n_words)

    def put(group: int) -> None:
        words = rows.words(group)
        range_of = ranges_of(words[:n_keys], bounds)
        for number, part in by_bucket(words, range_of, n_buckets):
            shelf.put(number, part)
        advance(len(range_of))

    for _ in pool.map(put, range(rows.n_groups)):
        pass
    return _Waiting(shelf, n_buckets)


def _rows_a_bucket(rows: CodedRows, resources: Resources) -> int:
    n_texts = len(rows.texts) + len(rows.coded)
    n_bytes = BYTES_A_WORD * rows.n_words + BYTES_A_TEXT * n_texts
    room = BUCKETS * resources.memory_mb * MIB / (resources.threads + 1)
    if room < LEAST_ROWS * n_bytes:
        raise MemoryError
    return min(MOST_ROWS, int(room / n_bytes))


@dataclass
class _Picking:
    """One row of each person, bucket by bucket, and how many there are.

    Attributes
    ----------
    rows, choice, schema
        The table.
    database
        What hashes.
    """

    rows: CodedRows
    choice: Choice
    schema: pa.Schema
    database: duckdb.DuckDBPyConnection
    n_several: int = 0
    n_dropped: int = 0
    n_tied: int = 0

    @property
    def n_keys(self) -> int:
        """How many words name the person of a row, or are all that is written of it."""
        if self.choice.person_id is None:
            return self.rows.n_words
        return self.rows.texts[self.choice.person_id].n_columns

    def batches(
        self, waiting: _Waiting, pool: Executor, n_ahead: int, advance: Advance
    ) -> Iterator[pa.RecordBatch]:
        """Give what is written, in order; so many buckets are at work ahead of it."""
        numbers = iter(range(waiting.n_buckets))
        work = deque(
            pool.submit(self._picked, waiting, each)
            for each in islice(numbers, n_ahead)
        )
        while work:
            picked = work.popleft().result()
            work.extend(
                pool.submit(self._picked, waiting, each) for each in islice(numbers, 1)
            )
            yield picked.kept
            self.n_several += picked.n_several
            self.n_tied += picked.n_tied
            self.n_dropped += picked.n_rows - picked.kept.num_rows
            advance(2 * picked.n_rows)

    def receipt(self) -> Receipt:
        """Return the counts, once all is written."""
        n_read, n_records = self.rows.n_rows, self.rows.n_rows - self.n_dropped
        counts = self.n_several, self.n_dropped, n_records, self.n_tied
        return Receipt(n_read, *counts, **asdict(self.choice))

    def _picked(self, waiting: _Waiting, bucket: int) -> "_Picked":
        words = waiting.take(bucket)
        n_rows = len(words[0])
        kept = order_of(*words[: self.n_keys])
        n_several = n_tied = 0
        if self.choice.person_id is not None:
            firsts = _firsts([word[kept] for word in words[: self.n_keys]])
            n_each = np.diff(firsts, append=n_rows)
            order, kept = kept, kept[firsts]
            several = np.flatnonzero(n_each > 1)
            n_several = len(several)
            if n_several:
                of = np.repeat(several, n_each[several])
                rows = order[np.repeat(n_each > 1, n_each)]
                person, row, n_same = self._chosen([word[rows] for word in words], of)
                kept[person] = rows[row]
                n_tied = int(np.count_nonzero(n_same > 1))
        schema = people_schema(self.schema, self.choice)
        texts = self.rows.columns([word[kept] for word in words], schema.names)
        batch = pa.record_batch(texts, schema=schema)
        return _Picked(batch, n_rows, n_several, n_tied)

    def _chosen(
        self, words: Sequence[Words], person: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], ...]:
        """Return persons, the row that stays of each, and rows of the same record.

        Rows with equal keys go by their codes, which sort as the columns do.
        """
        person_id, record_id = self.choice.person_id, self.choice.record_id
        named = self.schema.names if record_id is None else [record_id]
        texts = self.rows.columns(words, [person_id, *named])
        codes = words[len(words) - self.rows.n_code_words :]
        columns = {f"c{i}": text for i, text in enumerate(texts)}
        columns |= {f"code{i}": code for i, code in enumerate(codes)}
        several = pa.table(
            columns | {"person": person, "place": np.arange(len(person))}
        )
        with self.database.cursor() as cursor:
            cursor.register("several", several)
            sql = chosen_sql(self.choice, len(texts), len(codes))
            return tuple(cursor.execute(sql).fetchnumpy().values())


@dataclass(frozen=True)
class _Picked:
    """What is written of a bucket, and how many rows it has."""

    kept: pa.RecordBatch
    n_rows: int
    n_several: int
    n_tied: int


def _firsts(keys: Sequence[Words]) -> NDArray[np.int64]:
    """Return where rows that are sorted by keys differ from the row before."""
    is_new = np.ones(len(keys[0]), dtype=np.bool_)
    is_new[1:] = np.logical_or.reduce([key[1:] != key[:-1] for key in keys])
    return np.flatnonzero(is_new)


def chosen_sql(choice: Choice, n_texts: int, n_codes: int) -> str:
    """Query of one row of each person in the table `several`, by its place.

    Spells in SQL the key that the docstring of `deduplicate` specifies. The texts `c0`,
    `c1` and so on are the person, then what names the record. `n_same` counts the
    person's rows with the same `record_id`.
    """
    texts = " || ".join(_length_and_text(f"c{i}") for i in range(n_texts))
    key = f"sha256('{choice.seed};' || {texts})"
    codes = "".join(f", code{i}" for i in range(n_codes))
    same = "count(*) OVER (PARTITION BY person, c1)"
    return (
        f"SELECT person, place, {'1' if choice.record_id is None else same} AS n_same "
        "FROM several QUALIFY row_number() OVER "
        f"(PARTITION BY person ORDER BY {key}{codes}) = 1"
    )


def _length_and_text(column: str) -> str:
    return f"coalesce(strlen({column}) || ':' || {column}, '-')"
