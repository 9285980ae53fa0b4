"""How large a benchmark is: its table, its series, and its peers' share of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from microleak.paths import DEFAULT_STUDY
from microleak.study.config import load_study
from microleak.study.model import Collective

SOURCE, RELEASE = "inep_school_census", "2018"
FURTHER_QIDS = ("TP_ETAPA_ENSINO", "TP_LOCALIZACAO")
"""QIDs that follow those of the default study, for the series over QIDs."""

PEOPLE_MIB, PROFILE_MIB = 6_000, 8_000
"""Memory that the workflow gives the steps to one record a person, and to profiles."""

SEED = 2021
"""Of the twin, of the records kept, and of the subsets that are drawn."""


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
        First records of the table to count, or None for all of them.
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
    schools
        Schools of the twin, of about 262 students each.
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
    schools: int
    records: tuple[int, ...]
    n_qids: tuple[int, ...]
    repeats: int
    peers: tuple[PeerRun, ...]


SMALL = Scale(
    name="small",
    schools=3_900,
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
    schools=183_706,
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

SCALES = {scale.name: scale for scale in (SMALL, NATIONAL)}


def default_analysis() -> Collective:
    """Return the analysis of the default study, which the benchmarks repeat."""
    return load_study(DEFAULT_STUDY).collective["school-2018"]


def all_qids() -> tuple[str, ...]:
    """Return the QIDs in the order they join the series: the study's, then further."""
    return (*default_analysis().qids, *FURTHER_QIDS)


def analysis_of(qids: Sequence[str]) -> Collective:
    """Return the default study's analysis with other QIDs, over all subsets."""
    default = default_analysis()
    return Collective(
        "benchmark", default.table, default.focal, tuple(qids), default.sensitive, "all"
    )
