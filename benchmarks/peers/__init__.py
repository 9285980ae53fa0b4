"""Peers: other ways to the same counts, each as its user would take it.

A peer opens a table of integer codes and gives a function from a subset's QIDs to
its counts. `PEERS` names them without importing any.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from benchmarks.counts import Counts

Counter: TypeAlias = Callable[[Sequence[str]], Counts]
"""Counts the blocks by some QIDs, all sensitive attributes at once."""


@dataclass(frozen=True)
class Given:
    """What a peer works on and with.

    Attributes
    ----------
    codes
        Parquet file of integers, one column an attribute, none missing.
    qids, sensitive
        Attributes, the columns to read.
    n_threads, memory_mib
        Bounds; memory that the peer may be told to keep to, in MiB.
    scratch
        Folder for what the peer puts on disk.
    """

    codes: Path
    qids: tuple[str, ...]
    sensitive: tuple[str, ...]
    n_threads: int
    memory_mib: int
    scratch: Path


@dataclass(frozen=True)
class Peer:
    """A peer: its package, the `module:function` that opens it, and what it does."""

    package: str
    opens: str
    how: str


PEERS = {
    "polars-flags": Peer(
        "polars",
        "benchmarks.peers.polars_groups:by_flags",
        "One lazy group-by a subset on the streaming engine, with one sum a "
        "sensitive value but the last, which is the rest. The fastest form of "
        "four tried; it must know the sensitive values and have few of them. Packing "
        "the QIDs by hand into one 64-bit key saved about a third more in a trial, but "
        "the national table's eleven QIDs do not fit in one.",
    ),
    "polars": Peer(
        "polars",
        "benchmarks.peers.polars_groups:by_values",
        "For any sensitive attribute: two lazy group-bys on the streaming engine, "
        "by the QIDs and the attribute and then by the QIDs, all attributes "
        "collected together. Packing them by hand into one 64-bit key, where they fit, "
        "saved a third at best in a trial, and nothing for subsets of few blocks.",
    ),
    "duckdb-flags": Peer(
        "duckdb",
        "benchmarks.peers.duckdb_groups:by_flags",
        "One SQL query a subset over a table in memory: GROUP BY with one filtered "
        "count a sensitive value but the last. The fastest form of three tried; it "
        "must know the sensitive values and have few of them.",
    ),
    "duckdb": Peer(
        "duckdb",
        "benchmarks.peers.duckdb_groups:by_values",
        "For any sensitive attribute: a GROUP BY of a GROUP BY, one query for each "
        "sensitive attribute.",
    ),
    "pandas-flags": Peer(
        "pandas",
        "benchmarks.peers.pandas_groups:by_flags",
        "One unsorted groupby a subset, its sizes and one sum a sensitive value but "
        "the last; one core.",
    ),
    "pandas": Peer(
        "pandas",
        "benchmarks.peers.pandas_groups:by_values",
        "For any sensitive attribute: an unsorted groupby by the QIDs and the "
        "attribute, and one of that by the QIDs; one core.",
    ),
    "bvmlib": Peer(
        "bvmlib",
        "benchmarks.peers.bvm:by_assess",
        "`BVM.assess` with all sensitive attributes, which also gives histograms "
        "in percent; one core. Its shares are turned into counts.",
    ),
    "privattacks": Peer(
        "privattacks",
        "benchmarks.peers.privattacks_attack:by_posterior",
        '`Attack.posterior_vulnerability("all", …)` on a matrix, past its ingest of '
        "data frames, which takes quadratic time; one core. It gives no counts of "
        "unique records or of records inferred with certainty; its shares are "
        "turned into counts.",
    ),
}
