"""`python -m benchmarks.lattice`: every node of a lattice, beside one group-by a node.

Writes its results beside those of the other benchmarks, and their page.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from benchmarks.chapters import OURS
from benchmarks.page import write_page
from benchmarks.process import Limits, measured, say
from benchmarks.results import save_taken
from microleak import smallest_protection
from microleak.base.paths import ROOT

INDEPENDENT, SKEWED = "independent", "skewed"

WIDTHS: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    INDEPENDENT: {
        **{"a": (5, 10, 20), "b": (5, 20), "c": (5, 10), "d": (3,), "e": (3,)},
        **{"f": (2,), "g": (2,), "h": (), "i": ()},
    },
    SKEWED: {
        **{"age": (5, 10, 20, 40), "year": (2, 4, 8), "household": (4, 12)},
        **{"marriage": (3,), "quarter": (2,), "region": (2,)},
        **{"education": (), "race": (), "sex": ()},
    },
}
"""Of each kind of records the widths of the QIDs' levels; the last leaves one out."""

SENSITIVE, N_SENSITIVE = "s", 5
N_RECORDS, SEED = 1_200_000, 2021
N_SAMPLED: Final = 60
"""So many nodes are counted by group-by; the time of all is taken in proportion."""

N_THREADS, MEMORY_GIB, TIME_S = 2, 8.0, 7200.0
SCRATCH: Final = ROOT / "results/benchmarks/lattice.parquet"
PEER = "polars"


def nodes_of(kind: str) -> list[tuple[int, ...]]:
    """Return the level of each QID by node."""
    return [*product(*(range(len(widths) + 2) for widths in WIDTHS[kind].values()))]


def write_records(kind: str, n_records: int, path: Path) -> None:
    """Write made-up records.

    Independent QIDs tell nothing of one another, which is the worst case: none is
    determined by others, so all nodes differ. Skewed ones are as a survey's: most have
    few frequent values, and two follow from age in part.
    """
    rng = np.random.default_rng(SEED)
    draw = independent if kind == INDEPENDENT else skewed
    columns = {
        **draw(n_records, rng),
        SENSITIVE: rng.integers(0, N_SENSITIVE, n_records),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(columns).write_parquet(path)


def independent(n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw QIDs whose values are all as frequent."""
    sizes = dict(zip("abcdefghi", (80, 40, 30, 12, 9, 8, 6, 3, 2), strict=True))
    return {name: rng.integers(0, size, n) for name, size in sizes.items()}


def skewed(n: int, rng: np.random.Generator) -> dict[str, Any]:
    """Draw QIDs whose values are less frequent one after another."""

    def falling(n_values: int, ratio: float) -> Any:
        weights = ratio ** np.arange(n_values)
        return rng.choice(n_values, n, p=weights / weights.sum())

    age = rng.integers(0, 86, n)
    return {
        "age": age,
        "year": rng.integers(0, 13, n),
        "household": falling(25, 0.55),
        "marriage": np.where(age < 16, 0, falling(10, 0.5)),
        "quarter": rng.integers(0, 4, n),
        "region": falling(4, 0.8),
        "education": np.where(age < 20, age // 2, falling(26, 0.85)),
        "race": falling(16, 0.25),
        "sex": rng.integers(0, 2, n),
    }


def by_walk(records: str, kind: str, n_threads: int) -> None:
    """Count all nodes by microleak, to find the smallest protection."""
    hierarchies = {
        name: {"widths": [*widths]} if widths else {}
        for name, widths in WIDTHS[kind].items()
    }
    smallest_protection(
        pl.read_parquet(records),
        [*hierarchies],
        hierarchies,
        {"k": 5, "certain": "0.05"},
        sensitive=[SENSITIVE],
        n_threads=n_threads,
    )


def by_group(records: str, kind: str) -> None:
    """Count some nodes, evenly taken, each by a group-by of its own.

    Of each node that gives blocks, the smallest of them, records alone, records in
    blocks of one value, and those guessed right.
    """
    frame, nodes = pl.scan_parquet(records), nodes_of(kind)
    for node in nodes[:: len(nodes) // N_SAMPLED][:N_SAMPLED]:
        counts_of(frame, kind, node)


def counts_of(frame: pl.LazyFrame, kind: str, node: Sequence[int]) -> dict[str, int]:
    """Return what one group-by counts of a node, given the level of each QID."""
    levels = zip(WIDTHS[kind].items(), node, strict=True)
    qids = [
        pl.col(name) // (1, *widths)[level]
        for (name, widths), level in levels
        if level <= len(widths)
    ]
    size, most, values = pl.col("n").sum(), pl.col("n").max(), pl.len()
    blocks = (
        frame.group_by([*qids, SENSITIVE])
        .agg(n=pl.len())
        .group_by([qid.meta.output_name() for qid in qids])
        .agg(size=size, most=most, values=values)
        if qids
        else frame.group_by(SENSITIVE).agg(n=pl.len()).select(size=size, most=most)
    )
    counts = blocks.select(
        n_blocks=pl.len(),
        smallest=pl.col("size").min(),
        alone=(pl.col("size") == 1).sum(),
        modal=pl.col("most").sum(),
        certain=pl.col("size").filter(pl.col("size") == pl.col("most")).sum(),
    )
    return counts.collect(engine="streaming").row(0, named=True)


def run(n_threads: int, folder: Path) -> None:
    """Measure both on both kinds, and write the results."""
    limits = Limits(n_threads, MEMORY_GIB, TIME_S)
    calls = {OURS: ("by_walk", {"n_threads": n_threads}), PEER: ("by_group", {})}
    found = []
    for kind in WIDTHS:
        write_records(kind, N_RECORDS, SCRATCH)
        for program, (name, more) in calls.items():
            arguments = {"records": str(SCRATCH), "kind": kind, **more}
            outcome = measured(f"benchmarks.lattice:{name}", arguments, limits)
            say(f"{program}, {N_RECORDS:,} {kind} records", outcome)
            n_nodes = len(nodes_of(kind)) if program == OURS else N_SAMPLED
            which = {"program": program, "kind": kind, "n_nodes": n_nodes}
            sizes = {"n_records": N_RECORDS, "n_threads": n_threads}
            found.append({**which, **outcome.taken, **sizes})
    SCRATCH.unlink()
    save_taken("lattice", found, ["microleak", "numpy", PEER], folder)


if __name__ == "__main__":
    run(N_THREADS, ROOT / "docs")
    write_page(ROOT / "docs")
