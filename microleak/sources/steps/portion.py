"""Portions of a step: how far a query, or a stream of batches, has come."""

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event

import duckdb
import pyarrow as pa

from microleak.base.progress import Advance

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
