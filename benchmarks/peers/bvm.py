"""bvmlib, the library of the author of Nunes (2021)."""

from collections.abc import Sequence
from functools import partial

import bvmlib  # type: ignore[import-untyped]
import pandas as pd

from benchmarks.counts import Counts, whole_number
from benchmarks.peers import Counter, Given


def by_assess(given: Given) -> Counter:
    """Open the library on a data frame of integers."""
    frame = pd.read_parquet(given.codes, columns=[*given.qids, *given.sensitive])
    attack = bvmlib.BVM(frame)
    return partial(_count, attack, list(given.sensitive))


def _count(attack: bvmlib.BVM, sensitive: list[str], qids: Sequence[str]) -> Counts:
    attack.qids(list(qids))
    attack.sensitive(sensitive)
    found = attack.assess()
    n_records = len(attack.dataset)
    identity, inferred = found["re_id"].iloc[0], found["att_inf"]
    return Counts(
        whole_number(identity["Posterior"], n_records),
        whole_number(identity["dCR"], n_records),
        tuple(whole_number(share, n_records) for share in inferred["Posterior"]),
        tuple(whole_number(share, n_records) for share in inferred["dCA"]),
    )
