"""The chapter on reconstruction of docs/performance.md, from its results."""

import json
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.markdown import duration, memory, multiple, table
from benchmarks.process import FINISHED, TIME

RESULTS: Final = "performance-reconstruction.json"
PAGE: Final = "performance.md"
HEADING: Final = "## Reconstruction: databases rebuilt from noisy counts\n"
AFTER: Final = "## Method\n"
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


def with_chapter(page: str, folder: Path) -> str:
    """Return the page with the chapter on reconstruction, if it was measured.

    A chapter that the page has is replaced.
    """
    if not (folder / RESULTS).is_file():
        return page
    content = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    before, _, rest = page.partition(AFTER)
    before = before.partition(HEADING)[0]
    return f"{before}{HEADING}\n{_chapter(content)}\n\n{AFTER}{rest}"


def _chapter(content: dict[str, Any]) -> str:
    on = content["machine"]
    packages = ", ".join(f"{name} {v}" for name, v in content["versions"].items())
    return "\n\n".join(
        [
            f"{content['date']}; {on['cpu']}, {on['cores']} cores, "
            f"{on['memory_gib']} GiB, {on['system']}. {packages}.",
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
                [_row(Taken.of(found)) for found in content["taken"]],
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
