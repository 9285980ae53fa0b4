"""`python -m benchmarks.reconstruction`: Nepomuceno's Tables 1 and 2 again, and on.

Writes its results beside those of the other benchmarks, and its chapter into their
page, before the chapter on the method.
"""

import time
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

from benchmarks.process import FINISHED, Limits, Outcome, measured
from benchmarks.reconstruction_page import CHAPTER, REPEATS, Peer, Taken, Task
from benchmarks.workspace import say
from microleak.attacks.reconstruction.measure import reconstruction_tables
from microleak.attacks.reconstruction.section import ALL, Reconstruction
from microleak.base.paths import ROOT

MEMORY_MIB: Final = 12_000
LIMITS: Final = Limits(n_threads=2, memory_gib=16.0, time_s=3600.0)
PEER_LIMITS: Final = replace(LIMITS, time_s=150.0)
PEER: Final = "benchmarks.peers.plain_reconstruction"
PACKAGES: Final = ("microleak", "highspy", "numba", "numpy")

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
    return dict(found.reconstruction.iloc[0])


def taken(task: Task, repeats: int = REPEATS) -> Taken:
    """Measure a task and, of those in the paper, the peer, in fresh processes."""
    arguments = {"task": asdict(task), "repeats": repeats}
    outcome = measured("benchmarks.reconstruction:rebuild", arguments, LIMITS)
    say(f"{task.attack}, {task.n:,} entries", outcome)
    peer = _peer(task) if task.paper else None
    return replace(_of(task, outcome), peer=peer)


def _peer(task: Task) -> Peer:
    """Measure the peer on the first of the databases."""
    arguments = {
        **{"attack": task.attack, "n": task.n, "seed": 1},
        **{"queries": task.queries, "error": task.error},
    }
    outcome = measured(f"{PEER}:rebuild", arguments, PEER_LIMITS)
    say(f"{task.attack}, {task.n:,} entries, peer", outcome)
    if outcome.status != FINISHED:
        return Peer(outcome.wall_s, is_exact=False, status=outcome.status)
    return Peer(**outcome.answer)


def _of(task: Task, outcome: Outcome) -> Taken:
    if outcome.status != FINISHED:
        return Taken(task, 0, (outcome.wall_s,), 0, outcome.peak_mib, outcome.status)
    answer = outcome.answer
    return Taken(
        task,
        answer["n_queries"],
        tuple(answer["seconds"]),
        answer["n_exact"],
        outcome.peak_mib,
    )


def run(tasks: Iterable[Task], folder: Path) -> None:
    """Measure tasks, and write the results and the page's chapter into a folder."""
    CHAPTER.write((asdict(taken(task)) for task in tasks), PACKAGES, folder)


if __name__ == "__main__":
    run((*TABLE_1, *TABLE_2, *BEYOND), ROOT / "docs")
