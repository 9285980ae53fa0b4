"""Records by exact success as a file: one part a row of the collective measures.

Profiles come by bit mask, measures are sorted by attack: the parts wait on a
shelf, so that neither the number of subsets nor of records needs memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from microleak.attacks.success import SuccessDistribution, success_bin
from microleak.columns import WHICH
from microleak.kernels.shelf import joined
from microleak.progress import progress
from microleak.study.scratch import Scratch
from microleak.study.tables import grouped, write_parquet

_TEXT = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        *((name, pa.int64() if name == "n_qids" else _TEXT) for name in WHICH),
        ("numerator", pa.int64()),
        ("denominator", pa.int64()),
        ("bin", pa.int64()),
        ("n_records", pa.int64()),
    ]
)

BYTES_HELD = 1 << 26
"""Parts that wait use so much memory, and then a temporary file."""


class Waiting:
    """Distributions of success that wait for their turn, by a number of their own.

    Parameters
    ----------
    folder
        An existing folder for the temporary file, which has no name.
    n_records
        Size of the attacked table, which no number of a distribution exceeds.
    """

    def __init__(self, folder: Path, n_records: int) -> None:
        types = [np.min_scalar_type(n_records)] * 3
        self._shelf = Scratch(folder, BYTES_HELD).shelf(types)

    def put(self, number: int, part: SuccessDistribution) -> None:
        """Add a distribution, whose number nothing that waits has."""
        columns = (part.numerator, part.denominator, part.n_records)
        kinds = self._shelf.types
        rows = [c.astype(kind) for c, kind in zip(columns, kinds, strict=True)]
        self._shelf.put(number, rows)

    def take(self, number: int) -> SuccessDistribution:
        """Return a distribution, which waits no more."""
        rows = joined(self._shelf.pieces(number), self._shelf.types)
        return SuccessDistribution(*(column.astype(np.int64) for column in rows))


def write_success(
    path: Path,
    collective: pd.DataFrame,
    parts: Iterable[SuccessDistribution],
    is_synthetic: bool,
) -> None:
    """Write the records at each exact success, for every row of the measures.

    Parameters
    ----------
    path
        The file, in an existing folder or not.
    collective
        The columns that say which attack with which QIDs, indexed from 0 up.
    parts
        The distribution of each of its rows, in their order; not held.
    is_synthetic
        Whether a twin made the data, as the file's metadata then say.
    """
    write_parquet(path, SCHEMA, _tables(collective, parts), is_synthetic)


def _tables(
    collective: pd.DataFrame, parts: Iterable[SuccessDistribution]
) -> Iterator[pa.Table]:
    first = 0
    with progress("writing success", len(collective)) as advance:
        for group in grouped(parts, lambda part: len(part.n_records)):
            yield _table(collective.iloc[first : first + len(group)], group)
            first += len(group)
            advance(len(group))


def _table(which: pd.DataFrame, parts: Sequence[SuccessDistribution]) -> pa.Table:
    """Return the rows of some parts; `which` has a row for each of them."""
    lengths = [len(part.n_records) for part in parts]
    numerator = np.concatenate([part.numerator for part in parts])
    denominator = np.concatenate([part.denominator for part in parts])
    columns = {name: _repeated(which[name], lengths) for name in WHICH}
    columns["numerator"] = pa.array(numerator)
    columns["denominator"] = pa.array(denominator)
    columns["bin"] = pa.array(success_bin(numerator, denominator))
    columns["n_records"] = pa.array(np.concatenate([p.n_records for p in parts]))
    return pa.table(columns, schema=SCHEMA)


def _repeated(column: pd.Series, lengths: Sequence[int]) -> pa.Array:
    """Repeat each value of a column so many times, a text without copies."""
    kind = SCHEMA.field(column.name).type
    if not pa.types.is_dictionary(kind):
        return pa.array(np.repeat(column.to_numpy(), lengths), kind)
    codes, values = pd.factorize(column)
    indices = pa.array(np.repeat(codes, lengths), kind.index_type)
    return pa.DictionaryArray.from_arrays(indices, pa.array(values, kind.value_type))
