"""The chapter on links of the benchmarks' tables, from its results."""

from dataclasses import dataclass
from typing import Any

from benchmarks import mechanism_page
from benchmarks.chapter import Chapter
from benchmarks.markdown import duration, memory, table
from benchmarks.process import FINISHED

OURS, PEER = "microleak", "splink"


@dataclass(frozen=True)
class Linked:
    """What a program took to link two releases, and how well it did."""

    program: str
    n_records: int
    n_both: int
    wall_s: float
    cpu_s: float
    peak_mib: int
    n_links: int = 0
    n_right: int = 0
    status: str = FINISHED
    n_threads: int = 1

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        return 2 * self.n_right / (self.n_links + self.n_both)


def _text(taken: list[dict[str, Any]]) -> str:
    found = [Linked(**each) for each in taken]
    parts = [
        "Written by `python -m benchmarks.linkage`. Two releases of as many records, "
        "85 % of the persons in both; about four persons agree in what is stable "
        "(birth, sex, birthplace), and two attributes drift. Neither program sees the "
        "identifier, which says "
        "afterwards which links are right. Time is from the Parquet files on, with "
        "learning; that of microleak includes success by the QIDs with one release, "
        "with links and with the identifier. Cores used: "
        f"{' or '.join(map(str, sorted({each.n_threads for each in found})))}.",
        *_compared(found),
        table(
            [
                *(
                    "program",
                    "records a release",
                    "time",
                    "of processors",
                    "peak memory",
                ),
                *("precision", "recall", "F1"),
            ],
            [_row(each) for each in found],
        ),
    ]
    return "\n\n".join(parts)


def _compared(found: list[Linked]) -> list[str]:
    of = {(e.program, e.n_records): e for e in found if e.status == FINISHED}
    return [
        f"Splink took {peer.wall_s / of[OURS, n].wall_s:.1f} times as long at {n:,} "
        f"records, {peer.cpu_s / of[OURS, n].cpu_s:.1f} times as long in seconds of "
        f"processors; F1 was {peer.f1:.4f}, and microleak's {of[OURS, n].f1:.4f}."
        for (program, n), peer in of.items()
        if program == PEER and (OURS, n) in of
    ]


def _row(one: Linked) -> list[str]:
    which = [one.program, f"{one.n_records:,}"]
    if one.status != FINISHED:
        return [*which, f"did not finish ({one.status})", *[""] * 5]
    shares = one.n_right / max(one.n_links, 1), one.n_right / one.n_both, one.f1
    times = duration(one.wall_s), duration(one.cpu_s), memory(one.peak_mib)
    return [*which, *times, *(f"{share:.4f}" for share in shares)]


CHAPTER = Chapter(
    "performance-linkage.json",
    "## Links without an identifier\n",
    (mechanism_page.CHAPTER.heading, *mechanism_page.CHAPTER.following),
    _text,
)
