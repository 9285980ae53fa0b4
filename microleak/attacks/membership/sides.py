"""Columns that a population or a sample has alone, beside those of both."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from microleak.records.compared import MARK, SAMPLED, BothChunks

_POPULATION, _SAMPLE = "population|", "sample|"


def of_population(attribute: str) -> str:
    """Return the name of an attribute as the population alone has it."""
    return _POPULATION + attribute


def of_sample(attribute: str) -> str:
    """Return the name of an attribute as the sample alone has it, in its own codes."""
    return _SAMPLE + attribute


class SidedChunks:
    """The records of a population, and then of its sample, with columns of one alone.

    These have the names of `of_population` and `of_sample`, and are missing in the
    records of the other.
    """

    def __init__(self, both: BothChunks) -> None:
        self._both = both
        self.n_rows = both.n_rows
        self.n_chunks = both.n_chunks
        self.most_rows = both.most_rows

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        own = [name for name in names if "|" not in name]
        found = self._both.read(chunk, [*own, SAMPLED])
        part, place = self._both.part_of(chunk)
        side = _SAMPLE if part.mark == MARK.values[0] else _POPULATION
        columns = {name: found[name] for name in found.column_names}
        for name in names:
            if name.startswith(side):
                columns[name] = part.own(place, name.removeprefix(side))
            elif name not in columns:
                columns[name] = _missing(len(found))
        return pa.table({name: columns[name] for name in names})


def _missing(n_rows: int) -> pa.ChunkedArray:
    codes = pa.array(np.zeros(n_rows, dtype=np.int32), mask=np.ones(n_rows, dtype=bool))
    texts = pa.array([""], pa.string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(codes, texts)])
