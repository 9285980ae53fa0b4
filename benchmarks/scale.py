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
    """A peer's part of a benchmark.

    Attributes
    ----------
    peer
        Name in `benchmarks.peers.PEERS`.
    n_subsets
        Subsets to draw, over all sizes; at least two of a size are drawn.
    n_records
        Records to draw and count, or None for the whole table.
    """

    peer: str
    n_subsets: int
    n_records: int | None = None


@dataclass(frozen=True)
class Scale:
    """A benchmark's size.

    Attributes
    ----------
    name
        Name in the results and of the folder in the scratch folder.
    subject
        What its table is of.
    twin_size
        Units of the twin: schools, of about 262 students each, or valid lines.
    records
        Numbers of records of the series over records, ascending, to which the
        whole table is added; those that peers count must be among them.
    n_qids
        Numbers of QIDs of the series over QIDs, on the whole table.
    repeats
        How often microleak is measured; of the measurements the median by
        time is reported.
    peers
        The peers' parts, in the order they run.
    """

    name: str
    subject: Subject
    twin_size: int
    records: tuple[int, ...]
    n_qids: tuple[int, ...]
    repeats: int
    peers: tuple[PeerRun, ...]


SMALL = Scale(
    name="small",
    subject=STUDENTS,
    twin_size=3_900,
    records=(62_500, 125_000, 250_000, 500_000),
    n_qids=(8, 9, 10, 11, 12, 13),
    repeats=3,
    peers=(
        PeerRun("polars-flags", 200),
        PeerRun("polars", 100),
        PeerRun("duckdb-flags", 200),
        PeerRun("duckdb", 100),
        PeerRun("pandas-flags", 60),
        PeerRun("pandas", 30),
        PeerRun("bvmlib", 22, n_records=62_500),
        PeerRun("privattacks", 22, n_records=62_500),
        PeerRun("polars-flags", 100, n_records=62_500),
        PeerRun("polars", 100, n_records=62_500),
        PeerRun("duckdb-flags", 100, n_records=62_500),
        PeerRun("duckdb", 100, n_records=62_500),
        PeerRun("pandas-flags", 60, n_records=62_500),
        PeerRun("pandas", 60, n_records=62_500),
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
        PeerRun("polars-flags", 21),
        PeerRun("duckdb-flags", 21),
        PeerRun("pandas-flags", 21),
        PeerRun("bvmlib", 21, n_records=1_000_000),
        PeerRun("privattacks", 21, n_records=1_000_000),
        PeerRun("polars-flags", 60, n_records=1_000_000),
        PeerRun("polars", 60, n_records=1_000_000),
        PeerRun("duckdb-flags", 60, n_records=1_000_000),
        PeerRun("duckdb", 60, n_records=1_000_000),
        PeerRun("pandas-flags", 40, n_records=1_000_000),
        PeerRun("pandas", 40, n_records=1_000_000),
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
        PeerRun("polars", 7),
        PeerRun("duckdb", 7),
        PeerRun("polars", 7, n_records=8_000_000),
        PeerRun("duckdb", 7, n_records=8_000_000),
        PeerRun("pandas", 7, n_records=8_000_000),
        PeerRun("polars", 127, n_records=1_000_000),
        PeerRun("duckdb", 127, n_records=1_000_000),
        PeerRun("pandas", 60, n_records=1_000_000),
        PeerRun("bvmlib", 7, n_records=1_000_000),
        PeerRun("privattacks", 7, n_records=1_000_000),
    ),
)

SCALES = {scale.name: scale for scale in (SMALL, NATIONAL, STATE)}
