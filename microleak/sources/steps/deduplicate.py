"""One record for each person of a table.

The queries speak of columns by position, `c0`, `c1` and so on, since DuckDB takes
`a` and `A` for one name. They need a view `records` with these columns.

A census holds some people twice: a student with two enrolments, a patient with
two procedures. The attacks are about people, so one record of each stays. Which
one must be a fair draw, and the same draw for whoever repeats it.
"""

import glob
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event
from typing import Any, TypeAlias

import duckdb
import pyarrow as pa

from microleak.base.errors import MicroleakError, TableError
from microleak.base.files import write_text
from microleak.base.machine import Resources
from microleak.base.progress import Advance, progress
from microleak.sources.steps.intermediate import (
    ROWS_IN_A_GROUP,
    receipt_text,
    schema_of,
    write_row_groups,
)

_ASK_EVERY_S = 0.25


@dataclass
class Portion:
    """So many units of a step, for work that tells the share of it that is done."""

    size: int
    advance: Advance
    n_done: int = 0

    def reach(self, share: float) -> None:
        """Advance to a share from 0 to 1; one smaller than before changes nothing."""
        n = int(self.size * share)
        if n > self.n_done:
            self.advance(n - self.n_done)
            self.n_done = n


def show_no_bar(database: duckdb.DuckDBPyConnection) -> None:
    """Let DuckDB know how far its queries are, and print nothing of it itself."""
    database.execute("SET enable_progress_bar = true")
    database.execute("SET enable_progress_bar_print = false")


@contextmanager
def followed(database: duckdb.DuckDBPyConnection, portion: Portion) -> Iterator[None]:
    """Advance by a portion while the one query within runs.

    The database needs `show_no_bar`. Where DuckDB does not know how far a query
    is, the portion is reached at its end.
    """
    over = Event()
    with ThreadPoolExecutor(max_workers=1) as pool:
        asking = pool.submit(_ask, database, portion, over)
        try:
            yield
        finally:
            over.set()
        asking.result()
    portion.reach(1)


def _ask(database: duckdb.DuckDBPyConnection, portion: Portion, over: Event) -> None:
    while not over.wait(_ASK_EVERY_S):
        portion.reach(database.query_progress() / 100)


def counted(
    batches: Iterable[pa.RecordBatch], n_rows: int, portion: Portion
) -> Iterator[pa.RecordBatch]:
    """Give batches of `n_rows` in all, and advance by a portion as they are taken."""
    n_given = 0
    for batch in batches:
        yield batch
        n_given += batch.num_rows
        portion.reach(n_given / n_rows)
    portion.reach(1)


Columns: TypeAlias = dict[str, str]
"""Names of a table's columns, in its order, each with its name in the queries."""


@dataclass(frozen=True)
class Choice:
    """What names a person and a record, and the seed of the draw.

    `person_id` None: every row is a person. `record_id` None: a row's whole
    content names the record.
    """

    person_id: str | None
    record_id: str | None
    seed: int


def positions_sql(names: Iterable[str]) -> Columns:
    """Columns of a table with these names."""
    return {name: f"c{i}" for i, name in enumerate(names)}


def several_sql(person: str) -> str:
    """Query of the persons that have several rows, and of `n_rows`."""
    return (
        f"SELECT {person}, count(*) AS n_rows FROM records "
        f"GROUP BY {person} HAVING count(*) > 1"
    )


def chosen_sql(columns: Columns, choice: Choice) -> str:
    """Query of one row of each person in the table `several`.

    Only these rows are hashed: they are few, and the others need no choice. `n_same`
    counts the person's rows with the same `record_id`.
    """
    person = _person(columns, choice)
    everything = ", ".join(columns.values())
    record = "1"
    if choice.record_id is not None:
        record = f"count(*) OVER (PARTITION BY {person}, {columns[choice.record_id]})"
    return (
        f"SELECT {everything}, {record} AS n_same "
        f"FROM records SEMI JOIN several USING ({person}) "
        f"QUALIFY row_number() OVER (PARTITION BY {person} ORDER BY "
        f"{_key(columns, choice)}, {_missing_first(columns.values())}) = 1"
    )


def people_sql(columns: Columns, choice: Choice) -> str:
    """Query of all persons in order, from `records`, `several` and `chosen`.

    Without `person_id` these are all rows, ordered by all that is written of them: so
    their order is another one if other columns are written.
    """
    kept = [column for name, column in columns.items() if name != choice.record_id]
    select = f"SELECT {', '.join(kept)} FROM"
    if choice.person_id is None:
        return f"{select} records ORDER BY {_missing_first(kept)}"
    person = _person(columns, choice)
    return (
        f"{select} records ANTI JOIN several USING ({person}) "
        f"UNION ALL {select} chosen ORDER BY {person}"
    )


def _person(columns: Columns, choice: Choice) -> str:
    assert choice.person_id is not None
    return columns[choice.person_id]


def _key(columns: Columns, choice: Choice) -> str:
    """Spell in SQL the key that the docstring of `deduplicate` specifies."""
    named = columns.values()
    record = named if choice.record_id is None else [columns[choice.record_id]]
    values = [_length_and_text(c) for c in (_person(columns, choice), *record)]
    return f"sha256('{choice.seed};' || {' || '.join(values)})"


def _length_and_text(column: str) -> str:
    return f"coalesce(strlen({column}) || ':' || {column}, '-')"


def _missing_first(columns: Iterable[str]) -> str:
    return ", ".join(f"{column} NULLS FIRST" for column in columns)


__all__ = ["Choice", "Receipt", "deduplicate", "people_schema"]

DUCKDB_SHARE = 0.7
"""Part of the memory that DuckDB may use; Arrow's row groups take the rest."""

_FINDING, _CHOOSING, _SORTING, _WRITING = 12, 16, 27, 45
"""Percent of the time that each part took for 10 million records of the twin:
persons with several rows are found, one row of each is chosen, all are sorted,
then written."""


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

    Only the rows of persons with several are hashed, and what exceeds the memory
    is sorted in temporary files: 20 million made-up rows of 15 columns took 71 s
    on two cores, and 3.2 of the 4 GB it was given.

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
    columns = positions_sql(schema.names)
    _require(columns, choice, table)
    with (
        _database(table, resources) as database,
        progress("one record a person", _total(choice)) as advance,
    ):
        _view_records(database, table, columns)
        if choice.person_id is not None:
            _refuse_missing(database, table, columns, choice)
            _choose(database, columns, choice, advance)
        counts = _counts(database, choice)
        query = people_sql(columns, choice)
        batches = _sorted(database, query, counts.n_records, advance)
        write_row_groups(people, batches, people_schema(schema, choice))
    write_text(receipt, receipt_text(asdict(counts)))


def _total(choice: Choice) -> int:
    """Units of the work, which are percents of it when all parts are needed."""
    n_choosing = 0 if choice.person_id is None else _FINDING + _CHOOSING
    return n_choosing + _SORTING + _WRITING


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


def _require(columns: Columns, choice: Choice, table: Path) -> None:
    given = {"person_id": choice.person_id, "record_id": choice.record_id}
    for role, name in given.items():
        if name is not None and name not in columns:
            raise TableError(
                f"{table} has no column {name}, which should be its {role}. It has: "
                f"{', '.join(columns)}. Correct {role} of the table's source."
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
            show_no_bar(database)
            yield database
    except (duckdb.Error, pa.ArrowException, OSError) as error:
        raise MicroleakError(
            f"{table}: choosing one record a person stopped ({type(error).__name__}). "
            f"Give the rule deduplicate more memory than {resources.memory_mb} MiB or "
            f"its disk more space; if the table is damaged, delete it and ingest the "
            "release again."
        ) from None


def _settings(resources: Resources, folder: str) -> dict[str, Any]:
    return {
        "threads": resources.threads,
        "memory_limit": f"{int(resources.memory_mb * DUCKDB_SHARE)}MiB",
        "temp_directory": folder,
        "autoinstall_known_extensions": False,
    }


def _view_records(
    database: duckdb.DuckDBPyConnection, table: Path, columns: Columns
) -> None:
    path = glob.escape(str(table)).replace("'", "''")
    database.execute(
        "CREATE TEMP VIEW records AS FROM "
        f"read_parquet('{path}', hive_partitioning = false) "
        f"AS t({', '.join(columns.values())})"
    )


def _refuse_missing(
    database: duckdb.DuckDBPyConnection, table: Path, columns: Columns, choice: Choice
) -> None:
    assert choice.person_id is not None
    person = columns[choice.person_id]
    query = f"SELECT count(*) FROM records WHERE {person} IS NULL"
    (n_missing,) = _numbers(database, query)
    if n_missing:
        raise TableError(
            f"{table}: {choice.person_id}, which should name the person of a row, is "
            f"missing in {n_missing:,} of the rows. Correct the release, or person_id "
            "of the table's source."
        )


def _choose(
    database: duckdb.DuckDBPyConnection,
    columns: Columns,
    choice: Choice,
    advance: Advance,
) -> None:
    assert choice.person_id is not None
    several = several_sql(columns[choice.person_id])
    with followed(database, Portion(_FINDING, advance)):
        database.execute(f"CREATE TEMP TABLE several AS {several}")
    chosen = chosen_sql(columns, choice)
    with followed(database, Portion(_CHOOSING, advance)):
        database.execute(f"CREATE TEMP TABLE chosen AS {chosen}")


def _sorted(
    database: duckdb.DuckDBPyConnection, query: str, n_rows: int, advance: Advance
) -> Iterator[pa.RecordBatch]:
    """Give the rows of a query that sorts, and is done when the first row comes."""
    rows = database.sql(query)
    with followed(database, Portion(_SORTING, advance)):
        batches = rows.to_arrow_reader(ROWS_IN_A_GROUP)
    return counted(batches, n_rows, Portion(_WRITING, advance))


def _counts(database: duckdb.DuckDBPyConnection, choice: Choice) -> Receipt:
    (n_read,) = _numbers(database, "SELECT count(*) FROM records")
    n_persons = n_rows = n_tied = 0
    if choice.person_id is not None:
        query = "SELECT count(*), coalesce(sum(n_rows), 0) FROM several"
        n_persons, n_rows = _numbers(database, query)
        (n_tied,) = _numbers(database, "SELECT count(*) FROM chosen WHERE n_same > 1")
    n_dropped = n_rows - n_persons
    n_records = n_read - n_dropped
    return Receipt(n_read, n_persons, n_dropped, n_records, n_tied, **asdict(choice))


def _numbers(database: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    (row,) = database.execute(query).fetchall()
    return tuple(int(number) for number in row)
