"""privattacks, a later library by the same group."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import privattacks  # type: ignore[import-untyped]

from benchmarks.counts import Counts, whole_number
from benchmarks.peers import Counter, Given


def by_posterior(given: Given) -> Counter:
    """Open the library on a matrix of integers."""
    columns = [*given.qids, *given.sensitive]
    frame = pd.read_parquet(given.codes, columns=columns)
    data = privattacks.Data(matrix=frame.to_numpy(dtype=int), cols=columns)
    return partial(_count, privattacks.Attack(data), list(given.sensitive))


def _count(
    attack: privattacks.Attack, sensitive: list[str], qids: Sequence[str]
) -> Counts:
    found = attack.posterior_vulnerability("all", list(qids), sensitive)
    n_records = attack.data.n_rows
    return Counts(
        whole_number(found["reid"], n_records),
        None,
        tuple(whole_number(found["ai"][name], n_records) for name in sensitive),
        None,
    )
