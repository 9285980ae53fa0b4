"""`python -m benchmarks.linkage`: links without an identifier, beside Splink.

Writes its results beside those of the other benchmarks, and their page. `--records`
names the sizes, as 48000000; Splink, where it is installed, links the smallest alone.
"""

import argparse
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from benchmarks.chapters import OURS
from benchmarks.linked_releases import (
    DRIFTING,
    IDENTIFIER,
    QIDS,
    STABLE,
    write_releases,
)
from benchmarks.page import write_page
from benchmarks.process import Limits, Outcome, measured, say
from benchmarks.results import Found, save_taken
from microleak.attacks.linkage.analysis import Linkage
from microleak.attacks.linkage.measure import linkage_tables
from microleak.base.machine import Resources
from microleak.base.paths import ROOT

PEER: Final = "splink"
N_RECORDS: Final = (1_000_000, 4_000_000, 8_000_000)
N_TO_WARM: Final = 10_000
"""Records of a run that is not counted, before each that is."""

N_THREADS, MEMORY_GIB, TIME_S = 2, 8.0, 7200.0
SCRATCH: Final = ROOT / "results/benchmarks"


def links(
    focal: str, auxiliary: str, n_threads: int, memory_gib: float
) -> dict[str, Any]:
    """Return how many links microleak calls, and how many of them are right."""
    analysis = Linkage.model_validate(
        {
            **{"name": "links", "table": "people", "focal": "1", "auxiliary": "2"},
            **{"stable": STABLE, "drifting": DRIFTING, "qids": QIDS},
            "person_id": IDENTIFIER,
        }
    )
    both = Path(focal), Path(auxiliary)
    resources = Resources(n_threads, int(memory_gib * 1024), both[0].parent)
    row = linkage_tables(*both, analysis, resources)["linkage"].iloc[0]
    return {"n_links": int(row["n_links"]), "n_right": int(row["n_right"])}


def n_in_both(focal: Path, auxiliary: Path) -> int:
    """Count the persons who are in both releases."""
    each = [
        pq.read_table(path, columns=[IDENTIFIER])[IDENTIFIER]
        for path in (focal, auxiliary)
    ]
    is_in_both = pc.is_in(each[0], value_set=each[1])
    return int(pc.sum(is_in_both).as_py())


def taken(program: str, n_records: int, n_threads: int) -> Found:
    """Measure one program on one size in a fresh process."""
    _run(program, N_TO_WARM, n_threads)
    outcome = _run(program, n_records, n_threads)
    say(f"{program}, {n_records:,} records", outcome)
    n_both = n_in_both(*write_releases(n_records, SCRATCH))
    which = {"program": program, "n_records": n_records, "n_both": n_both}
    links = outcome.answer or {"n_links": 0, "n_right": 0}
    return {**which, **outcome.taken, **links, "n_threads": n_threads}


def _run(program: str, n_records: int, n_threads: int) -> Outcome:
    focal, auxiliary = write_releases(n_records, SCRATCH)
    arguments: dict[str, Any] = {"focal": str(focal), "auxiliary": str(auxiliary)}
    arguments |= {"n_threads": n_threads}
    if program == OURS:
        call = "benchmarks.linkage:links"
        arguments |= {"memory_gib": MEMORY_GIB}
    else:
        call = "benchmarks.peers.splink_links:links"
    # Splink may take what there is; the limit is that of microleak.
    most = MEMORY_GIB if program == OURS else 2 * MEMORY_GIB
    return measured(call, arguments, Limits(n_threads, most, TIME_S))


def run(sizes: Sequence[int], n_threads: int, folder: Path) -> None:
    """Measure all sizes, and write the results into a folder."""
    programs = [(OURS, size) for size in sizes]
    if find_spec("splink"):
        programs.insert(1, (PEER, min(sizes)))
    packages = ["microleak", "numpy", "duckdb", *([PEER] if find_spec(PEER) else [])]
    found = (taken(*which, n_threads) for which in programs)
    save_taken("linkage", found, packages, folder)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linkage")
    parser.add_argument("--records", type=int, nargs="*", default=N_RECORDS)
    parser.add_argument("--threads", type=int, default=N_THREADS)
    options = parser.parse_args()
    run(sorted(options.records), options.threads, ROOT / "docs")
    write_page(ROOT / "docs")


if __name__ == "__main__":
    main()
