"""A peer's measurement: its subsets one after another, each with its own time."""

import time
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.peers import PEERS, Counter, Given
from microleak.records.subsets import names_of


def time_subsets(peer: str, subsets: list[int], given: dict[str, Any]) -> Any:
    """Open a peer and count the given subsets of the QIDs.

    The peer's package is imported before any clock runs, and its first count,
    which may compile or fill caches, is thrown away.

    Returns
    -------
    Any
        `open_s`, seconds to read the table in the peer's own form; and `subsets`,
        for each its `subset`, `seconds` and `counts`.
    """
    work = _given(given)
    module, name = PEERS[peer].opens.split(":")
    opens = getattr(import_module(module), name)
    started = time.perf_counter()
    counter: Counter = opens(work)
    open_s = time.perf_counter() - started
    counter(work.qids[:1])
    counted = [_timed(counter, subset, work) for subset in subsets]
    return {"open_s": open_s, "subsets": counted}


def _given(given: dict[str, Any]) -> Given:
    return Given(
        Path(given["codes"]),
        tuple(given["qids"]),
        tuple(given["sensitive"]),
        given["n_threads"],
        given["memory_mib"],
        Path(given["scratch"]),
    )


def _timed(counter: Counter, subset: int, work: Given) -> dict[str, Any]:
    qids = names_of(subset, work.qids)
    started = time.perf_counter()
    counts = counter(qids)
    seconds = time.perf_counter() - started
    return {"subset": subset, "seconds": seconds, "counts": asdict(counts)}
