"""How large a benchmark is: its table, its series, and its peers' share of them."""

from dataclasses import dataclass

from benchmarks.subject import OUTPATIENT, STUDENTS, Subject

PEOPLE_MIB, PROFILE_MIB = 6_000, 8_000
"""Memory that the workflow gives the steps to one record a person, and to profiles."""

LEAN_MIB = PROFILE_MIB // 4
"""Memory of one more profile of the whole table."""

SEED = 2021
"""Of the twin, of the records kept, and of the records and subsets that are drawn."""


@dataclass(frozen=True)
class PeerRun:
    """A peer's part of a benchmark."""

    peer: str  # Name in `benchmarks.peers.PEERS`
    n_subsets: int  # To draw, over all sizes; at least two of a size are drawn
    n_records: int | None = None  # To draw and count; None for the whole table


@dataclass(frozen=True)
class Scale:
    """A benchmark's size."""

    name: str  # In the results, and of the folder in the scratch folder
    subject: Subject
    twin_size: int  # Schools, of about 262 students each, or valid lines
    # Of the series over records, ascending, to which the whole table is added; those
    # that peers count must be among them
    records: tuple[int, ...]
    n_qids: tuple[int, ...]  # Of the series over QIDs, on the whole table
    repeats: int  # How often microleak is measured; reported is the median by time
    peers: tuple[PeerRun, ...]  # In the order they run


def _peers(n_records: int | None = None, /, **n_subsets: int) -> tuple[PeerRun, ...]:
    """Return peers that count so many records, by name with `_` for `-`."""
    runs = n_subsets.items()
    return tuple(PeerRun(name.replace("_", "-"), n, n_records) for name, n in runs)


SMALL = Scale(
    name="small",
    subject=STUDENTS,
    twin_size=3_900,
    records=(62_500, 125_000, 250_000, 500_000),
    n_qids=(8, 9, 10, 11, 12, 13),
    repeats=3,
    peers=(
        *_peers(polars_flags=200, polars=100, duckdb_flags=200, duckdb=100),
        *_peers(pandas_flags=60, pandas=30),
        *_peers(62_500, bvmlib=22, privattacks=22, polars_flags=100, polars=100),
        *_peers(62_500, duckdb_flags=100, duckdb=100, pandas_flags=60, pandas=60),
    ),
)

NATIONAL = Scale(
    name="national",
    subject=STUDENTS,
    twin_size=183_706,
    records=tuple(n * 1_000_000 for n in (1, 2, 4, 8, 16, 32)),
    n_qids=(8, 9, 10, 11, 12, 13),
    repeats=1,
    peers=(
        *_peers(polars_flags=21, duckdb_flags=21, pandas_flags=21),
        *_peers(1_000_000, bvmlib=21, privattacks=21, polars_flags=60, polars=60),
        *_peers(1_000_000, duckdb_flags=60, duckdb=60, pandas_flags=40, pandas=40),
    ),
)

# The flags forms of the peers need one sum for each of some thousand procedures.
STATE = Scale(
    name="outpatient",
    subject=OUTPATIENT,
    twin_size=112_637_066,
    records=(1_000_000, 8_000_000),
    n_qids=(7,),
    repeats=1,
    peers=(
        *_peers(polars=7, duckdb=7),
        *_peers(8_000_000, polars=7, duckdb=7, pandas=7),
        *_peers(1_000_000, polars=127, duckdb=127, pandas=60, bvmlib=7, privattacks=7),
    ),
)

SCALES = {scale.name: scale for scale in (SMALL, NATIONAL, STATE)}
