"""The chapter on reconstruction of the benchmarks' tables, from its results."""

from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from benchmarks.chapter import Chapter
from benchmarks.markdown import duration, memory, multiple, table
from benchmarks.process import FINISHED, TIME

REPEATS: Final = 3


@dataclass(frozen=True)
class Task:
    """An attack on databases of one size, and the seconds that the paper took."""

    attack: str
    n: int
    queries: str = "n*log2(n)**2"
    error: str = "0.5*sqrt(n)"
    paper: str = ""


@dataclass(frozen=True)
class Peer:
    """What the attack took as one would write it from the paper, on one database."""

    seconds: float
    is_exact: bool
    status: str = FINISHED


@dataclass(frozen=True)
class Taken:
    """What a task took: seconds of each database, from drawing it to the check.

    `n_exact` of the databases were rebuilt without an error.
    """

    task: Task
    n_queries: int
    seconds: tuple[float, ...]
    n_exact: int
    peak_mib: int
    status: str = FINISHED
    peer: Peer | None = None

    @classmethod
    def of(cls, found: dict[str, Any]) -> "Taken":
        """Return what the results hold of a task."""
        peer = found["peer"] and Peer(**found["peer"])
        parts = {"task": Task(**found["task"]), "seconds": tuple(found["seconds"])}
        return cls(**found | parts | {"peer": peer})


def _text(taken: list[dict[str, Any]]) -> str:
    return "\n\n".join(
        [
            "Nepomuceno's Tables 1 (`exponential`) and 2 (`linear`), with the settings "
            "that the paper leaves open as they stand here, and larger databases. The "
            "paper's seconds are those of its own computer, a processor of 2.3 GHz, "
            "in Table 2 of one of its two linear programs; ours are of both, and "
            "with drawing the database, asking and answering the queries, and "
            f"checking the result: medians of {REPEATS} databases. The peer is the "
            "attack as one would write it from the paper, on the first of the same "
            "databases: with NumPy, every query answered for every candidate "
            "(`exponential`), and with HiGHS given all rows at once (`linear`). "
            "The ratio is the peer's time over ours.",
            table(
                [
                    *("attack", "n", "queries", "E", "paper", "peer", "microleak"),
                    *("ratio", "rebuilt exactly", "peak memory"),
                ],
                [_row(one) for one in map(Taken.of, taken)],
            ),
        ]
    )


def _row(one: Taken) -> list[str]:
    task = one.task
    paper = f"{task.paper} s" if task.paper else ""
    which = [task.attack, f"{task.n:,}", f"{one.n_queries:,}", f"`{task.error}`", paper]
    if one.status != FINISHED:
        return [*which, "", f"did not finish ({one.status})", "", "", ""]
    seconds = median(one.seconds)
    return [
        *which,
        _peer(one.peer),
        duration(seconds),
        _ratio(one.peer, seconds),
        f"{one.n_exact} of {len(one.seconds)}",
        memory(one.peak_mib),
    ]


def _peer(peer: Peer | None) -> str:
    if peer is None:
        return ""
    if peer.status != FINISHED:
        return f"more than {duration(peer.seconds)} ({peer.status})"
    return duration(peer.seconds) + ("" if peer.is_exact else ", not rebuilt")


def _ratio(peer: Peer | None, seconds: float) -> str:
    """Write how much longer the peer took; it counts for nothing out of memory."""
    if peer is None or peer.status not in (FINISHED, TIME):
        return ""
    return ("> " if peer.status == TIME else "") + multiple(peer.seconds / seconds)


CHAPTER = Chapter(
    "performance-reconstruction.json",
    "## Reconstruction: databases rebuilt from noisy counts\n",
    ("## Method\n",),
    _text,
)
