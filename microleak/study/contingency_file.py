"""How many records have each pair of values, as a file.

`profiles/ANALYSIS/contingency.parquet` has one row a pair of values that occurs:
`first` and `second` (places of two attributes in the analysis, see
`microleak.study.mechanism_model.Counted.pairs`), `first_value`, `second_value` (null
is a missing value) and `n_records`. Rows are sorted by the attributes and then the
values, first by first, as their bytes in UTF-8 are; a missing one comes last.
Values of the release that no record has which a filter keeps stand there too, with
themselves and 0 records.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.sources.made import rows_where
from microleak.study.pair_tally import Pairs
from microleak.study.tables import ROWS_A_GROUP, write_parquet

SCHEMA = pa.schema(
    [
        ("first", pa.int16()),
        ("second", pa.int16()),
        ("first_value", pa.string()),
        ("second_value", pa.string()),
        ("n_records", pa.int64()),
    ]
)

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Contingency:
    """Records by the values of two attributes.

    Attributes
    ----------
    first_values, second_values
        Those that occur, sorted as in the file; null is a missing value.
    first, second
        Places of a pair's values there.
    n_records
        Of each pair, from 1.
    """

    first_values: pa.Array
    second_values: pa.Array
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    n_records: Counts

    @property
    def transposed(self) -> "Contingency":
        """The same, second attribute first."""
        return Contingency(
            self.second_values,
            self.first_values,
            self.second,
            self.first,
            self.n_records,
        )

    @cached_property
    def table(self) -> Counts:
        """Records of all pairs, shape (n_first_values, n_second_values)."""
        shape = (len(self.first_values), len(self.second_values))
        table = np.zeros(shape, dtype=np.int64)
        table[self.first, self.second] = self.n_records
        return table


def tables_of(
    pairs: Pairs, places: tuple[int, int], values: tuple[pa.Array, pa.Array]
) -> Iterator[pa.Table]:
    """Yield the rows of one pair of attributes, so many at once.

    Parameters
    ----------
    pairs
        By codes of values, as `values` has them.
    places
        Of the attributes in the analysis.
    values
        Of both, sorted as in the file.
    """
    first, second = np.divmod(pairs.key, len(values[1]))
    for start in range(0, len(first), ROWS_A_GROUP):
        part = slice(start, start + ROWS_A_GROUP)
        n_rows = len(first[part])
        columns = [
            *(pa.array(np.full(n_rows, place, np.int16)) for place in places),
            values[0].take(pa.array(first[part])),
            values[1].take(pa.array(second[part])),
            pa.array(pairs.n_records[part]),
        ]
        yield pa.table(columns, schema=SCHEMA)


def write_contingency(
    path: Path, tables: Iterable[pa.Table], is_synthetic: bool
) -> None:
    """Write the rows of all pairs of attributes, which come in their order."""
    write_parquet(path, SCHEMA, tables, is_synthetic)


def read_contingency(path: Path, places: tuple[int, int]) -> Contingency:
    """Return the records by the values of one pair of attributes.

    Parameters
    ----------
    path
        The file; only rows of the pair are kept in memory.
    places
        Of the attributes in the analysis, ascending.
    """
    table = rows_where(path, _is_pair(places) & (pc.field("n_records") > 0))
    first_values, first = _coded(table["first_value"])
    second_values, second = _coded(table["second_value"])
    n_records = table["n_records"].to_numpy()
    return Contingency(first_values, second_values, first, second, n_records)


def released_values(path: Path, place: int) -> pa.Array:
    """Return all values of one attribute, also of records that a filter leaves out.

    By its place in the analysis; each once, sorted as in the file.
    """
    column = rows_where(path, _is_pair((place, place)), ["first_value"])[0]
    return column.combine_chunks()


def _is_pair(places: tuple[int, int]) -> pc.Expression:
    return (pc.field("first") == places[0]) & (pc.field("second") == places[1])


def _coded(column: pa.ChunkedArray) -> tuple[pa.Array, NDArray[np.int64]]:
    """Return a column's distinct values, sorted, and the place of each row's."""
    both = column.dictionary_encode("encode").unify_dictionaries().combine_chunks()
    order = pc.array_sort_indices(both.dictionary, null_placement="at_end").to_numpy()
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return both.dictionary.take(pa.array(order)), place[both.indices.to_numpy()]
