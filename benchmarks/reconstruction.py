"""`python -m benchmarks.reconstruction`: Nepomuceno's Tables 1 and 2 again, and on.

Writes its results beside those of the other benchmarks, and its chapter into their
page, before the chapter on the method.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from statistics import median
from typing import Any, Final

from benchmarks.machine import machine
from benchmarks.markdown import duration, memory, table
from benchmarks.process import FINISHED, Limits, Outcome, measured
from benchmarks.workspace import say
from microleak.files import write_text
from microleak.paths import ROOT
from microleak.study.reconstruction import reconstruction_tables
from microleak.study.reconstruction_model import ALL, Reconstruction, Settings

RESULTS: Final = "performance-reconstruction.json"
PAGE: Final = "performance.md"
HEADING: Final = "## Reconstruction: databases rebuilt from noisy counts\n"
AFTER: Final = "## Method\n"

N_LOG: Final = "n*log2(n)**2"
HALF_ROOT: Final = "0.5*sqrt(n)"
REPEATS: Final = 3
MEMORY_MIB: Final = 12_000
LIMITS: Final = Limits(n_threads=2, memory_gib=16.0, time_s=3600.0)
PACKAGES: Final = ("microleak", "highspy", "numba", "numpy")


@dataclass(frozen=True)
class Task:
    """An attack on databases of one size, and the seconds that the paper took."""

    attack: str
    n: int
    queries: str = N_LOG
    error: str = HALF_ROOT
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
    chosen = Settings((task.n,), (task.queries,), (task.error,))
    analysis = Reconstruction("benchmark", chosen, attacks=(task.attack,))
    found = reconstruction_tables(analysis, None, seed, MEMORY_MIB)
    return dict(found.reconstruction.iloc[0])


def taken(task: Task, repeats: int = REPEATS) -> Taken:
    """Measure a task in a fresh process."""
    arguments = {"task": asdict(task), "repeats": repeats}
    outcome = measured("benchmarks.reconstruction:rebuild", arguments, LIMITS)
    say(f"{task.attack}, {task.n:,} entries", outcome)
    return _of(task, outcome)


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
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": machine(),
        "versions": {
            "python": python_version(),
            **{name: version(name) for name in PACKAGES},
        },
        "taken": [asdict(taken(task)) for task in tasks],
    }
    write_text(folder / RESULTS, json.dumps(content, indent=1) + "\n")
    page = folder / PAGE
    write_text(page, with_chapter(page.read_text(encoding="utf-8"), folder))


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
    rows = [
        Taken(**{**one, "task": Task(**one["task"]), "seconds": tuple(one["seconds"])})
        for one in content["taken"]
    ]
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
            f"checking the result: medians of {REPEATS} databases.",
            table(
                [
                    *("attack", "n", "queries", "E", "paper", "microleak"),
                    *("rebuilt exactly", "peak memory"),
                ],
                [_row(one) for one in rows],
            ),
        ]
    )


def _row(one: Taken) -> list[str]:
    task = one.task
    which = [task.attack, f"{task.n:,}", f"{one.n_queries:,}", f"`{task.error}`"]
    if one.status != FINISHED:
        return [*which, task.paper, f"did not finish ({one.status})", "", ""]
    return [
        *which,
        f"{task.paper} s" if task.paper else "",
        duration(median(one.seconds)),
        f"{one.n_exact} of {len(one.seconds)}",
        memory(one.peak_mib),
    ]


if __name__ == "__main__":
    run((*TABLE_1, *TABLE_2, *BEYOND), ROOT / "docs")
