"""DuckDB, SQL over a table in its memory."""

from collections.abc import Sequence
from functools import partial

import duckdb

from benchmarks.counts import Counts
from benchmarks.peers import Counter, Given


def by_flags(given: Given) -> Counter:
    """Open the form with one filtered count a value, which needs few values."""
    database = _database(given)
    most = ", ".join(f"max({name})" for name in given.sensitive)
    last = _row(database, f"SELECT {most} FROM records")
    return partial(
        _count_flags, database, dict(zip(given.sensitive, last, strict=True))
    )


def by_values(given: Given) -> Counter:
    """Open the form with nested groups, which takes any sensitive attribute."""
    return partial(_count_values, _database(given), given.sensitive)


def _database(given: Given) -> duckdb.DuckDBPyConnection:
    database = duckdb.connect(
        config={
            "threads": given.n_threads,
            "memory_limit": f"{given.memory_mib}MiB",
            "temp_directory": str(given.scratch / "duckdb"),
        }
    )
    columns = ", ".join((*given.qids, *given.sensitive))
    database.execute(
        f"CREATE TABLE records AS SELECT {columns} FROM read_parquet(?)",
        [str(given.codes)],
    )
    return database


def _count_flags(
    database: duckdb.DuckDBPyConnection, last: dict[str, int], qids: Sequence[str]
) -> Counts:
    flags = {name: [f"{name}_{v}" for v in range(n)] for name, n in last.items()}
    sums = "".join(
        f", count(*) FILTER ({name} = {value}) AS {flag}"
        for name in flags
        for value, flag in enumerate(flags[name])
    )
    modal = "".join(f", {_modal(flags[name])} AS {name}" for name in flags)
    parts = "".join(f", {_inference(name)}" for name in flags)
    row = _row(
        database,
        f"SELECT {_SIZES}{parts} FROM (SELECT size{modal} FROM ("
        f"SELECT count(*) AS size{sums} FROM records GROUP BY {', '.join(qids)}))",
    )
    return Counts(row[0], row[1], row[2::2], row[3::2])


def _modal(flags: Sequence[str]) -> str:
    """Return SQL of the largest count; that of the last value is the rest."""
    rest = " - ".join(("size", *flags))
    return f"greatest({', '.join((*flags, rest))})"


def _count_values(
    database: duckdb.DuckDBPyConnection,
    sensitive: tuple[str, ...],
    qids: Sequence[str],
) -> Counts:
    by = ", ".join(qids)
    rows = [
        _row(
            database,
            f"SELECT {_SIZES}, {_inference('modal')} FROM ("
            f"SELECT sum(n) AS size, max(n) AS modal FROM (SELECT {by}, count(*) AS n "
            f"FROM records GROUP BY {by}, {name}) GROUP BY {by})",
        )
        for name in sensitive
    ]
    return Counts(
        rows[0][0],
        rows[0][1],
        tuple(row[2] for row in rows),
        tuple(row[3] for row in rows),
    )


_SIZES = "count(*), count(*) FILTER (size = 1)"


def _inference(modal: str) -> str:
    return (
        f"sum({modal})::BIGINT, coalesce(sum(size) FILTER ({modal} = size), 0)::BIGINT"
    )


def _row(database: duckdb.DuckDBPyConnection, query: str) -> tuple[int, ...]:
    try:
        row = database.execute(query).fetchone()
    except duckdb.OutOfMemoryException:
        raise MemoryError from None
    assert row
    return tuple(row)
