"""`python -m benchmarks.mechanism`: what privacy loss and utility of counts take.

Writes its results beside those of the other benchmarks, and their page.
"""

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np

from benchmarks.page import write_page
from benchmarks.process import Limits, measured, say
from benchmarks.results import Found, save_taken
from microleak.attacks.mechanism.counts import CountNoise
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.simulation import random_samples
from microleak.attacks.mechanism.section import LOCAL, OBLIVIOUS, RANDOMISED_RESPONSE
from microleak.base.paths import ROOT
from microleak.definitions.epsilon import Epsilon

LIMITS: Final = Limits(n_threads=1, memory_gib=16.0, time_s=600.0)
PACKAGES: Final = ("microleak", "numpy")
RATIONAL, DECIMAL = "ln 3", "0.5"


@dataclass(frozen=True)
class Task:
    """One count of a useful attribute of so many values, with one noise."""

    model: str
    n_useful: int
    epsilon: str
    n_records: int = 48_000_000
    n_sensitive: int = 6
    n_sampled: int = 10_000
    n_samples: int = 10


TASKS: Final = (
    Task(OBLIVIOUS, 500, RATIONAL),
    Task(OBLIVIOUS, 500, DECIMAL),
    Task(RANDOMISED_RESPONSE, 500, RATIONAL),
    Task(RANDOMISED_RESPONSE, 500, DECIMAL),
    *(Task(LOCAL, n, RATIONAL) for n in (100, 500, 1000)),
    *(Task(LOCAL, n, DECIMAL) for n in (100, 500, 1000)),
)


def count(task: dict[str, Any]) -> dict[str, float]:
    """Measure one count on all records, and on random samples of them.

    In seconds of the processor, as all of it is done by one core.
    """
    asked = Task(**task)
    rng = np.random.default_rng(2021)
    shape = asked.n_sensitive, asked.n_useful
    shares = rng.dirichlet(np.ones(asked.n_sensitive * asked.n_useful))
    counts = rng.multinomial(asked.n_records, shares).reshape(shape)
    is_counted = np.arange(asked.n_useful) < asked.n_useful // 5
    noise = CountNoise(asked.model, Epsilon.parse(asked.epsilon), is_counted)
    began = time.process_time()
    noise.measure(AttackContext(counts, is_counted))
    seconds = [time.process_time() - began]
    for sample in random_samples(counts, asked.n_sampled, asked.n_samples, rng):
        noise.measure(AttackContext(sample, is_counted))
        seconds.append(time.process_time() - began - sum(seconds))
    return {"first_s": seconds[0], "further_s": median(seconds[1:])}


def taken(task: Task) -> Found:
    """Measure a task in a fresh process.

    `first_s` is that of the noise's chances and of all records, `further_s` the
    median of the samples, which are drawn too.
    """
    outcome = measured("benchmarks.mechanism:count", {"task": asdict(task)}, LIMITS)
    say(f"{task.model}, {task.n_useful} values, {task.epsilon}", outcome)
    return {"task": asdict(task), **outcome.taken, **(outcome.answer or {})}


def run(tasks: Iterable[Task], folder: Path) -> None:
    """Measure tasks, and write the results into a folder."""
    save_taken("mechanism", map(taken, tasks), PACKAGES, folder)


if __name__ == "__main__":
    run(TASKS, ROOT / "docs")
    write_page(ROOT / "docs")
