"""One record for each person of a table.

A census holds some people twice: a student with two enrolments, a patient with
two procedures. The attacks are about people, so one record of each stays. Which
one must be a fair draw, and the same draw for whoever repeats it.
"""

import tempfile
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import partial
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from microleak.base.errors import MicroleakError, TableError
from microleak.base.files import UNFINISHED, write_text
from microleak.base.machine import Resources
from microleak.base.progress import Advance, progress
from microleak.definitions.exact import run_starts
from microleak.kernels.ordering import order_of
from microleak.kernels.spilled_rows import Shelf, by_bucket, joined_rows
from microleak.kernels.texts import TextWords, ranges_of
from microleak.sources.definitions.definition import ROW
from microleak.sources.steps import odd_values
from microleak.sources.steps.coded_rows import MIB, CodedRows, coded_rows
from microleak.sources.steps.intermediate import (
    ROWS_IN_A_GROUP,
    metadata_of,
    receipt_text,
    schema_of,
    write_row_groups,
)
from microleak.sources.steps.scratch import Scratch


@dataclass(frozen=True)
class Choice:
    """What names a person and a record, and the seed of the draw."""

    # `person_id` None: every row is a person. `record_id` None: a row's whole content
    # names the record.
    person_id: str | None
    record_id: str | None
    seed: int


# Shares of the memory: hashing of rows, and of what values leave of it, rows that
# wait and buckets at work
DUCKDB, WAITING, BUCKETS = 0.2, 0.4, 0.25
# Most rows of a bucket, about, and the fewest that are worth one
MOST_ROWS, LEAST_ROWS = 1 << 19, 1 << 12
# What a bucket needs for each word of a row, and for each text that it becomes
BYTES_A_WORD, BYTES_A_TEXT = 32, 24


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
    bytes. Rows of equal content are one record. So that the draw does not depend on
    which columns a study reads, `ingest` names rows by a digest of all of their file
    (`row_digests`) where nothing else does.

    The table is read twice: once for the values that there are, then as words that
    wait, by ranges of persons, in memory or a temporary file. Then each range is
    sorted by itself, and only the rows of persons with several are hashed. The rows of
    one person, one row group of the table a thread, and all distinct values of the
    columns that name neither person nor record are always in memory.

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
        texts, coded = _texts_and_codes(schema, choice)
        rows = coded_rows(table, texts, coded, resources, pool, advance)
        _refuse_missing(rows, table, choice)
        for name, column in rows.coded.items():
            odd_values.tell_values(name, column.values, partial(rows.n_of_values, name))
        picks = (
            _EveryRow(rows)
            if choice.person_id is None
            else _OneAPerson(rows, schema.names, choice, database)
        )
        waiting = _by_range(picks, resources, pool, advance)
        left = [name for name in schema.names if name != choice.record_id]
        kept = pa.schema([(name, pa.string()) for name in left], schema.metadata)

        def work(bucket: int) -> _Picked:
            return picks.picked(waiting.take(bucket), kept)

        counted = _Counted()
        picked = _ahead(pool, work, waiting.n_buckets, resources.threads)
        write_row_groups(people, counted.batches(picked, advance), kept)
    counts = counted.counts
    if choice.person_id is not None:
        odd_values.tell_totals(choice.person_id, counted.n_totals)
        if counted.most:
            n_rows, n_persons = counts["n_read"], counts["n_records"]
            odd_values.tell_placeholders(
                choice.person_id, counted.most, n_rows, n_persons
            )
    write_text(receipt, receipt_text(asdict(choice) | counts))


def _texts_and_codes(schema: pa.Schema, choice: Choice) -> tuple[list[str], list[str]]:
    """Return the columns that name a person and a record, and all others."""
    # Where rows have no person, what names a record is not needed.
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


@contextmanager
def _database(table: Path, resources: Resources) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open DuckDB with bounds; leave no file, and let no error quote a cell."""
    resources.scratch.mkdir(parents=True, exist_ok=True)
    try:
        with (
            tempfile.TemporaryDirectory(
                prefix=f"{UNFINISHED}deduplicate-", dir=resources.scratch
            ) as folder,
            duckdb.connect(":memory:", config=_settings(resources, folder)) as database,
        ):
            yield database
    except (duckdb.Error, pa.ArrowException, OSError, MemoryError) as error:
        raise MicroleakError(
            f"{table}: choosing one record a person stopped ({type(error).__name__}). "
            f"Give the rule deduplicate more memory than {resources.memory_mib} MiB or "
            f"its disk more space; if the table is damaged, delete it and ingest the "
            "release again."
        ) from None


def _settings(resources: Resources, folder: str) -> dict[str, Any]:
    return {
        "threads": 1,
        "memory_limit": f"{int(resources.memory_mib * DUCKDB)}MiB",
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
class _Picked:
    """What is written of some rows, and what the receipt counts in them."""

    kept: Iterable[pa.RecordBatch]
    counts: Mapping[str, int]  # As the receipt has them
    most: Sequence[tuple[int, str]] = ()
    n_totals: int = 0


@dataclass(frozen=True)
class _OneAPerson:
    """Picks one row of each person; the first words of a row name the person."""

    rows: CodedRows
    names: Sequence[str]  # Columns of the table, in its order
    choice: Choice
    database: duckdb.DuckDBPyConnection  # What hashes

    @property
    def n_keys(self) -> int:
        assert self.choice.person_id is not None
        return self.rows.texts[self.choice.person_id].n_columns

    @property
    def n_words(self) -> int:
        return self.rows.n_words

    def words(self, group: int) -> list[TextWords]:
        return self.rows.words(group)

    def picked(self, words: Sequence[TextWords], schema: pa.Schema) -> _Picked:
        order = order_of(*words[: self.n_keys])
        firsts = run_starts(*(word[order] for word in words[: self.n_keys]))
        n_each = np.diff(firsts, append=len(order))
        kept = order[firsts]
        n_several, n_tied = int(np.count_nonzero(n_each > 1)), 0
        if n_several:
            rows = order[np.repeat(n_each > 1, n_each)]
            person = np.repeat(np.arange(len(n_each)), n_each * (n_each > 1))
            of, row, n_same = self._chosen([word[rows] for word in words], person)
            kept[of] = rows[row]
            n_tied = int(np.count_nonzero(n_same > 1))
        texts = self.rows.columns([word[kept] for word in words], schema.names)
        batch = pa.record_batch(texts, schema=schema)
        top = np.argsort(n_each)[-odd_values.LOOKED_AT :]
        several = top[n_each[top] > 1]
        rows_of = [word[kept[several]] for word in words]
        person_id = self.choice.person_id or ""
        (names,) = self.rows.columns(rows_of, [person_id])
        most = [*zip(n_each[several].tolist(), names.to_pylist(), strict=True)]
        named = [batch.column(person_id)] if person_id in schema.names else []
        n_totals = sum(map(odd_values.n_named_as_totals, named))
        counts = _counts(len(order), len(kept), n_several, n_tied)
        return _Picked([batch], counts, most, n_totals)

    def _chosen(
        self, words: Sequence[TextWords], person: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], ...]:
        """Return persons, the row that stays of each, and rows of the same record."""
        # Rows with equal keys go by their codes, which sort as the columns do.
        person_id, record_id = self.choice.person_id, self.choice.record_id
        assert person_id is not None
        record = self.names if record_id is None else [record_id]
        texts = self.rows.columns(words, [person_id, *record])
        codes = words[len(words) - self.rows.n_code_words :]
        columns = {f"c{i}": text for i, text in enumerate(texts)}
        columns |= {f"code{i}": code for i, code in enumerate(codes)}
        columns |= {"person": person, "place": np.arange(len(person))}
        with self.database.cursor() as cursor:
            cursor.register("several", pa.table(columns))
            sql = chosen_sql(self.choice, len(texts), len(codes))
            return tuple(cursor.execute(sql).fetchnumpy().values())


@dataclass(frozen=True)
class _EveryRow:
    """Picks every row; rows that are alike wait as one, with their number behind."""

    rows: CodedRows

    @property
    def n_keys(self) -> int:
        return self.rows.n_words

    @property
    def n_words(self) -> int:
        return self.rows.n_words + 1

    def words(self, group: int) -> list[TextWords]:
        words = self.rows.words(group)
        order = order_of(*words)
        words = [word[order] for word in words]
        firsts = run_starts(*words)
        n_each = np.diff(firsts, append=len(order))
        return [*(word[firsts] for word in words), n_each]

    def picked(self, words: Sequence[TextWords], schema: pa.Schema) -> _Picked:
        *keys, n_each = words
        order = order_of(*keys)
        texts = self.rows.columns([word[order] for word in keys], schema.names)
        batch = pa.record_batch(texts, schema=schema)
        n_rows = int(n_each.sum())
        return _Picked(_repeated(batch, n_each[order]), _counts(n_rows, n_rows))


def _counts(
    n_read: int, n_records: int, n_several: int = 0, n_tied: int = 0
) -> dict[str, int]:
    """Return how many rows came in, and how many people and records went out."""
    # `n_tied` counts the persons whose smallest key several rows have, because they
    # have the same `record_id`: which of these stays depends on their other values.
    return {
        "n_read": n_read,
        "n_persons_with_several": n_several,
        "n_dropped": n_read - n_records,
        "n_records": n_records,
        "n_tied": n_tied,
    }


def _repeated(
    batch: pa.RecordBatch, n_each: NDArray[np.int64]
) -> Iterator[pa.RecordBatch]:
    if (n_each == 1).all():
        yield batch
        return
    ends = np.cumsum(n_each)
    for begin in range(0, int(ends[-1]), ROWS_IN_A_GROUP):
        places = np.arange(begin, min(begin + ROWS_IN_A_GROUP, ends[-1]))
        yield batch.take(pa.array(np.searchsorted(ends, places, side="right")))


@dataclass(frozen=True)
class _Waiting:
    """Rows as words, in buckets that ascend by the keys that the rows are sorted by."""

    shelf: Shelf
    n_buckets: int
    most_rows: int

    def take(self, bucket: int) -> list[TextWords]:
        """Return the words of a bucket's rows, which are forgotten."""
        if self.shelf.n_rows(bucket) > self.most_rows:
            raise MemoryError
        return joined_rows(self.shelf.pieces(bucket), self.shelf.types)


def _by_range(
    picks: _OneAPerson | _EveryRow,
    resources: Resources,
    pool: Executor,
    advance: Advance,
) -> _Waiting:
    """Let all rows wait, by ranges of the keys, which are their first words."""
    rows, n_keys = picks.rows, picks.n_keys
    n_bytes = resources.memory_mib * MIB - rows.n_bytes
    n_texts = len(rows.texts) + len(rows.coded)
    bytes_a_row = BYTES_A_WORD * rows.n_words + BYTES_A_TEXT * n_texts
    most_rows = int(BUCKETS * n_bytes / bytes_a_row)
    rows_a_bucket = min(MOST_ROWS, most_rows // (resources.threads + 1))
    if most_rows < LEAST_ROWS:
        raise MemoryError
    n_buckets = -(-rows.n_rows // rows_a_bucket) or 1
    bounds = np.empty((n_keys, 0), dtype=np.int64)
    if n_buckets > 1:
        sample = rows.sample()[:n_keys]
        places = np.arange(1, n_buckets) * len(sample[0]) // n_buckets
        bounds = np.stack(sample)[:, order_of(*sample)[places]]
    scratch = Scratch(resources.scratch, int(WAITING * n_bytes))
    shelf = scratch.shelf([np.dtype(np.int64)] * picks.n_words)

    def put(group: int) -> None:
        words = picks.words(group)
        range_of = ranges_of(words[:n_keys], bounds)
        for number, part in by_bucket(words, range_of, n_buckets):
            shelf.put(number, part)
        advance(rows.n_rows_of[group])

    for _ in pool.map(put, range(len(rows.n_rows_of))):
        pass
    return _Waiting(shelf, n_buckets, most_rows)


@dataclass
class _Counted:
    """What is written of all buckets, and what the receipt counts, once it is."""

    counts: Counter[str] = field(default_factory=Counter)
    most: list[tuple[int, str]] = field(default_factory=list)
    n_totals: int = 0

    def batches(
        self, picked: Iterable[_Picked], advance: Advance
    ) -> Iterator[pa.RecordBatch]:
        for each in picked:
            yield from each.kept
            self.counts.update(each.counts)
            self.n_totals += each.n_totals
            self.most = nlargest(odd_values.LOOKED_AT, [*self.most, *each.most])
            advance(2 * each.counts["n_read"])


def _ahead(
    pool: Executor, work: Callable[[int], _Picked], n_buckets: int, n_ahead: int
) -> Iterator[_Picked]:
    """Give what the work makes of each bucket; of so many it is made ahead."""
    numbers = iter(range(n_buckets))
    waiting = deque(pool.submit(work, each) for each in islice(numbers, n_ahead))
    while waiting:
        picked = waiting.popleft().result()
        waiting.extend(pool.submit(work, each) for each in islice(numbers, 1))
        yield picked


def chosen_sql(choice: Choice, n_texts: int, n_codes: int) -> str:
    """Query of one row of each person in the table `several`, by its place."""
    # Spells in SQL the key that the docstring of `deduplicate` specifies. The texts
    # `c0`, `c1` and so on are the person, then what names the record. `n_same` counts
    # the person's rows with the same `record_id`.
    parts = (f"coalesce(strlen(c{i}) || ':' || c{i}, '-')" for i in range(n_texts))
    texts = " || ".join(parts)
    key = f"sha256('{choice.seed};' || {texts})"
    codes = "".join(f", code{i}" for i in range(n_codes))
    is_alike = choice.record_id in (None, ROW)
    n_same = "1" if is_alike else "count(*) OVER (PARTITION BY person, c1)"
    return (
        f"SELECT person, place, {n_same} AS n_same "
        "FROM several QUALIFY row_number() OVER "
        f"(PARTITION BY person ORDER BY {key}{codes}) = 1"
    )
