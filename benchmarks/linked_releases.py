"""Two releases of made-up people, of whom it is known who is who: Parquet files.

A person keeps birth, sex and birthplace; two attributes stay with known chances or are
drawn anew, and a share of the persons leaves. Written by groups of rows, so that 48
million persons need no more memory than one million.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

OVERLAP = 0.85
STAY = {"school": 0.9, "home": 0.8}
N_VALUES = {"school": 50, "home": 8}
STABLE, DRIFTING = ["birth", "sex", "birthplace"], ["school", "home"]
QIDS = ["birth", "sex", "home"]
IDENTIFIER = "person"
N_DAYS = 20_000
"""Dates of birth, those of 55 years."""

ROWS_A_GROUP, SEED = 1 << 20, 2021

Values = NDArray[np.int64]


@dataclass(frozen=True)
class Group:
    """Some persons: what stays, and what they have in either year."""

    person: Values
    stable: Values
    before: dict[str, Values]
    after: dict[str, Values]

    def table(self, rows: Values, drifting: dict[str, Values]) -> pa.Table:
        """Return the records of some of them."""
        columns = {
            IDENTIFIER: pa.array([f"{i:09}" for i in self.person[rows].tolist()]),
            "birth": _texts(self.stable[rows] // 2 % N_DAYS),
            "sex": _texts(self.stable[rows] % 2),
            "birthplace": _texts(self.stable[rows] // 2 // N_DAYS),
            **{name: _texts(values[rows]) for name, values in drifting.items()},
        }
        return pa.table(columns)


def _texts(values: Values) -> pa.Array:
    distinct, place = np.unique(values, return_inverse=True)
    texts = pa.array([str(value) for value in distinct.tolist()])
    return pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int32)), texts)


def _groups(n_persons: int, n_stable: int, rng: np.random.Generator) -> Iterator[Group]:
    for first in range(0, n_persons, ROWS_A_GROUP):
        n = min(ROWS_A_GROUP, n_persons - first)
        before, after = {}, {}
        for name, k in N_VALUES.items():
            each = 1 / np.arange(1, k + 1)
            one, other = rng.choice(k, (2, n), p=each / each.sum())
            before[name] = one
            after[name] = np.where(rng.random(n) < STAY[name], one, other)
        stable = rng.integers(0, n_stable, n)
        yield Group(np.arange(first, first + n), stable, before, after)


def write_releases(n_focal: int, folder: Path) -> tuple[Path, Path]:
    """Write both releases, unless they are there; return their files.

    Parameters
    ----------
    n_focal
        Persons of the focal release; the auxiliary one has as many.
    folder
        Where the files are. Four persons agree in all that is stable, on average.
    """
    focal, auxiliary = (folder / f"{name}-{n_focal}.parquet" for name in "ab")
    if focal.exists() and auxiliary.exists():
        return focal, auxiliary
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    n_new = n_focal - round(OVERLAP * n_focal)
    text = pa.dictionary(pa.int32(), pa.string())
    names = [*STABLE, *DRIFTING]
    schema = pa.schema({IDENTIFIER: pa.string(), **dict.fromkeys(names, text)})
    with (
        pq.ParquetWriter(focal.with_suffix(".new"), schema) as first,
        pq.ParquetWriter(auxiliary.with_suffix(".new"), schema) as second,
    ):
        for group in _groups(n_focal + n_new, n_focal // 4, rng):
            is_focal = group.person < n_focal
            stays = ~is_focal | (rng.random(len(is_focal)) < OVERLAP)
            for writer, rows, drifting in (
                (first, is_focal, group.before),
                (second, stays, group.after),
            ):
                if rows.any():
                    writer.write_table(group.table(np.flatnonzero(rows), drifting))
    for path in (focal, auxiliary):
        path.with_suffix(".new").rename(path)
    return focal, auxiliary
