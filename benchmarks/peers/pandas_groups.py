"""pandas, unsorted groupbys of a data frame of integers."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.counts import Counts
from benchmarks.peers import Counter, Given


def by_flags(given: Given) -> Counter:
    """Open the form with one sum a sensitive value, which needs few of them."""
    frame = _frame(given)
    flags = {
        name: [f"{name}={value}" for value in range(int(frame[name].max()))]
        for name in given.sensitive
    }
    for name, columns in flags.items():
        for value, column in enumerate(columns):
            frame[column] = frame[name] == value
    return partial(_count_flags, frame, flags)


def by_values(given: Given) -> Counter:
    """Open the form with two groupbys, which takes any sensitive attribute."""
    return partial(_count_values, _frame(given), given.sensitive)


def _frame(given: Given) -> pd.DataFrame:
    return pd.read_parquet(given.codes, columns=[*given.qids, *given.sensitive])


def _count_flags(
    frame: pd.DataFrame, flags: dict[str, list[str]], qids: Sequence[str]
) -> Counts:
    blocks = frame.groupby(list(qids), sort=False)
    size = blocks.size().to_numpy()
    sums = blocks[[flag for part in flags.values() for flag in part]].sum()
    found = []
    for part in flags.values():
        counts = [sums[flag].to_numpy() for flag in part]
        found.append((size, np.maximum.reduce([*counts, size - sum(counts)])))
    return _counts(found)


def _count_values(
    frame: pd.DataFrame, sensitive: tuple[str, ...], qids: Sequence[str]
) -> Counts:
    found = []
    for name in sensitive:
        kinds = frame.groupby([*qids, name], sort=False).size()
        blocks = kinds.groupby(level=list(range(len(qids))), sort=False)
        found.append((blocks.sum().to_numpy(), blocks.max().to_numpy()))
    return _counts(found)


def _counts(found: Sequence[tuple[Any, Any]]) -> Counts:
    """Sum up the blocks' sizes and modal counts, a pair a sensitive attribute."""
    size, _ = found[0]
    return Counts(
        len(size),
        int((size == 1).sum()),
        tuple(int(modal.sum()) for _, modal in found),
        tuple(int(sizes[modal == sizes].sum()) for sizes, modal in found),
    )
