"""The chapter on noisy counts of the benchmarks' tables, from its results."""

from dataclasses import dataclass
from typing import Any

from benchmarks import reconstruction_page
from benchmarks.chapter import Chapter
from benchmarks.markdown import duration, memory, table
from benchmarks.process import FINISHED


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


@dataclass(frozen=True)
class Taken:
    """What a task took, in seconds of one processor core.

    `first_s` is that of the noise's chances and of all records, `further_s` the
    median of the samples, which are drawn too.
    """

    task: Task
    first_s: float
    further_s: float
    peak_mib: int
    status: str = FINISHED

    @classmethod
    def of(cls, found: dict[str, Any]) -> "Taken":
        """Return what the results hold of a task."""
        return cls(**found | {"task": Task(**found["task"])})


def _text(taken: list[dict[str, Any]]) -> str:
    return "\n\n".join(
        [
            "Written by `python -m benchmarks.mechanism`; seconds of one processor "
            "core. From a table of counts, as a "
            "study has it of the records, to privacy loss and utility of one count "
            "of a fifth of the useful values, with one epsilon. A local mechanism's "
            "chances, of whole numbers, take most of the time: they grow with the "
            "squared number of useful values and, as the numbers have more digits the "
            "more values there are, faster still; those of a decimal epsilon are the "
            "longest. They are computed once for each epsilon: each of the random "
            "samples takes what the last column but one says.",
            table(
                [
                    *("model", "records", "sensitive values", "useful values"),
                    *("epsilon", "all records", "each further sample", "peak memory"),
                ],
                [_row(one) for one in map(Taken.of, taken)],
            ),
        ]
    )


def _row(one: Taken) -> list[str]:
    task = one.task
    numbers = (task.n_records, task.n_sensitive, task.n_useful)
    which = [task.model, *(f"{n:,}" for n in numbers), f"`{task.epsilon}`"]
    if one.status != FINISHED:
        return [*which, f"did not finish ({one.status})", "", ""]
    seconds = (duration(one.first_s), duration(one.further_s))
    return [*which, *seconds, memory(one.peak_mib)]


CHAPTER = Chapter(
    "performance-mechanism.json",
    "## Noisy counts: privacy loss and utility\n",
    (reconstruction_page.CHAPTER.heading, *reconstruction_page.CHAPTER.following),
    _text,
)
