"""Where rows wait between two steps of the walk, by the step that takes them."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Rows = Sequence[NDArray[Any]]
"""Columns of equal length."""

Types = Sequence[np.dtype[Any]]


class Shelf(Protocol):
    """Rows by a number; threads may use it at the same time."""

    @property
    def types(self) -> Types:
        """Types of the rows' columns."""

    def put(self, number: int, rows: Rows) -> None:
        """Add a copy of some rows."""

    def n_rows(self, number: int) -> int:
        """Return how many rows are there to be taken."""

    def pieces(self, number: int) -> Iterator[Rows]:
        """Yield all rows put under a number, piece by piece, and forget them."""


NewShelf = Callable[[Types], Shelf]
"""Makes an empty shelf for rows whose columns have these types."""


class MemoryShelf:
    """A shelf without bound."""

    def __init__(self, types: Types) -> None:
        self.types = types
        self._pieces: dict[int, list[Rows]] = defaultdict(list)
        self._lock = Lock()

    def put(self, number: int, rows: Rows) -> None:
        """Add a copy of some rows."""
        piece = [column.copy() for column in rows]
        with self._lock:
            self._pieces[number].append(piece)

    def n_rows(self, number: int) -> int:
        """Return how many rows are there to be taken."""
        return sum(len(piece[0]) for piece in self._pieces.get(number, []))

    def pieces(self, number: int) -> Iterator[Rows]:
        """Yield all rows put under a number, piece by piece, and forget them."""
        pieces = self._pieces.pop(number, [])
        while pieces:
            yield pieces.pop()


def joined(pieces: Iterable[Rows], types: Types) -> list[NDArray[Any]]:
    """Return pieces of rows as one, by column."""
    empty = [np.empty(0, dtype=kind) for kind in types]
    return [np.concatenate(column) for column in zip(empty, *pieces, strict=True)]
