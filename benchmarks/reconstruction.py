"""`python -m benchmarks.reconstruction`: Nepomuceno's Tables 1 and 2 again, and on.

Writes its results beside those of the other benchmarks, and their page.
"""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.page import write_page
from benchmarks.process import FINISHED, Limits, measured, say
from benchmarks.results import Found, save_taken
from microleak.attacks.reconstruction.measure import reconstruction_tables
from microleak.attacks.reconstruction.section import ALL, Reconstruction
from microleak.base.paths import ROOT

MEMORY_MIB: Final = 12_000
LIMITS: Final = Limits(n_threads=2, memory_gib=16.0, time_s=3600.0)
PEER_LIMITS: Final = replace(LIMITS, time_s=150.0)
PEER: Final = "benchmarks.peers.plain_reconstruction"
PACKAGES: Final = ("microleak", "highspy", "numba", "numpy")

REPEATS: Final = 3


@dataclass(frozen=True)
class Task:
    """An attack on databases of one size, and the seconds that the paper took."""

    attack: str
    n: int
    queries: str = "n*log2(n)**2"
    error: str = "0.5*sqrt(n)"
    paper: str = ""


TABLE_1: Final = (
    Task("exponential", 10, ALL, paper="0.01"),
    Task("exponential", 13, ALL, paper="3.09"),
    Task("exponential", 15, ALL, paper="34.59"),
    Task("exponential", 16, ALL, paper="65"),
    Task("exponential", 18, ALL, paper="529.09"),
)
TABLE_2: Final = (
    Task("linear", 10, paper="< 0.01"),
    Task("linear", 50, paper="0.03"),
    Task("linear", 100, paper="0.78"),
    Task("linear", 200, paper="6.83"),
    Task("linear", 300, paper="55.28"),
    Task("linear", 400, paper="167.63"),
    Task("linear", 500, paper="331.43"),
)
BEYOND: Final = (
    Task("exponential", 24, ALL),
    Task("least_squares", 500),
    Task("least_squares", 4000),
    Task("hadamard", 1_000_000, "4*n", "0.125*sqrt(n)"),
)


def rebuild(task: dict[str, Any], repeats: int) -> dict[str, Any]:
    """Rebuild some databases and time each, once compiled code is loaded."""
    asked = Task(**task)
    _rebuilt(Task(asked.attack, 8, "64"), 0)
    seconds, rows = [], []
    for seed in range(1, repeats + 1):
        began = time.perf_counter()
        rows.append(_rebuilt(asked, seed))
        seconds.append(time.perf_counter() - began)
    n_exact = sum(row["is_exact"] == "true" for row in rows)
    n_queries = int(rows[0]["n_queries"])
    return {"n_queries": n_queries, "seconds": seconds, "n_exact": n_exact}


def _rebuilt(task: Task, seed: int) -> dict[str, Any]:
    asked = {"entries": [task.n], "queries": [task.queries], "errors": [task.error]}
    analysis = Reconstruction.model_validate(
        {"name": "benchmark", "attacks": [task.attack], **asked}
    )
    found = reconstruction_tables(analysis, None, seed, MEMORY_MIB)
    return dict(found["reconstruction"].iloc[0])


def taken(task: Task, repeats: int = REPEATS) -> Found:
    """Measure a task and, of those in the paper, the peer, in fresh processes.

    `seconds` are those of each database, from drawing it to the check; `n_exact` of
    them were rebuilt without an error.
    """
    arguments = {"task": asdict(task), "repeats": repeats}
    outcome = measured("benchmarks.reconstruction:rebuild", arguments, LIMITS)
    say(f"{task.attack}, {task.n:,} entries", outcome)
    stopped = {"n_queries": 0, "seconds": [outcome.wall_s], "n_exact": 0}
    return {
        "task": asdict(task),
        **(outcome.answer or stopped),
        "peak_mib": outcome.peak_mib,
        "status": outcome.status,
        "peer": _peer(task) if task.paper else None,
    }


def _peer(task: Task) -> Found:
    """Measure the peer on the first of the databases."""
    arguments = {
        **{"attack": task.attack, "n": task.n, "seed": 1},
        **{"queries": task.queries, "error": task.error},
    }
    outcome = measured(f"{PEER}:rebuild", arguments, PEER_LIMITS)
    say(f"{task.attack}, {task.n:,} entries, peer", outcome)
    if outcome.status != FINISHED:
        told = {"seconds": outcome.wall_s, "is_exact": False}
        return {**told, "status": outcome.status}
    return {**outcome.answer, "status": FINISHED}


def run(tasks: Iterable[Task], folder: Path) -> None:
    """Measure tasks, and write the results into a folder."""
    save_taken("reconstruction", map(taken, tasks), PACKAGES, folder)


if __name__ == "__main__":
    run((*TABLE_1, *TABLE_2, *BEYOND), ROOT / "docs")
    write_page(ROOT / "docs")
