"""The peers' measurements, and whether they counted what microleak counts."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.counts import Counts, counts_from, is_identical
from benchmarks.process import FINISHED, measured
from benchmarks.results import PeerTime
from benchmarks.sample import stratified
from benchmarks.scale import SEED, PeerRun
from benchmarks.workspace import Workspace, say
from microleak.base.arrays import QidMask

_ROOM = 0.8
"""Share of the memory limit that a peer is told to keep to, where it can be."""

Reference = Mapping[int, Mapping[QidMask, Counts]]
"""microleak's counts, by number of records and subset."""


def peer_time(run: PeerRun, space: Workspace, reference: Reference) -> PeerTime:
    """Measure one peer on its subsets, and compare its counts.

    A peer that meets a limit has no times and nothing compared.
    """
    n_records = min(run.n_records or space.n_records, space.n_records)
    subsets = stratified(space.n_study_qids, run.n_subsets, SEED)
    arguments = {
        "peer": run.peer,
        "subsets": subsets,
        "given": _given(n_records, space),
    }
    call = "benchmarks.peers.timing:time_subsets"
    outcome = measured(call, arguments, space.limits)
    say(f"{run.peer}, {n_records:,} records, {len(subsets)} subsets", outcome)
    answer = outcome.answer or {"open_s": 0.0, "subsets": []}
    agreed = agreement(answer["subsets"], reference.get(n_records, {}))
    return PeerTime(
        run.peer,
        n_records,
        outcome.status,
        answer["open_s"],
        outcome.peak_mib,
        _by_size(answer["subsets"]) if outcome.status == FINISHED else (),
        len(agreed),
        sum(agreed),
    )


def _given(n_records: int, space: Workspace) -> dict[str, Any]:
    return {
        "codes": str(space.codes(n_records)),
        "qids": space.analysis.qids[: space.n_study_qids],
        "sensitive": space.analysis.sensitive,
        "n_threads": space.limits.n_threads,
        "memory_mib": int(_ROOM * space.limits.memory_gib * 1024),
        "scratch": str(space.folder),
    }


def agreement(
    counted: Sequence[Mapping[str, Any]], ours: Mapping[QidMask, Counts]
) -> list[bool]:
    """Say of each subset that both counted whether the counts are identical."""
    return [
        is_identical(ours[part["subset"]], counts_from(part["counts"]))
        for part in counted
        if part["subset"] in ours
    ]


def _by_size(counted: Sequence[Mapping[str, Any]]) -> tuple[tuple[float, ...], ...]:
    """Return the seconds of the subsets of sizes 1, 2, … in turn."""
    sizes = [part["subset"].bit_count() for part in counted]
    return tuple(
        tuple(
            float(f"{part['seconds']:.4g}")
            for part, of_size in zip(counted, sizes, strict=True)
            if of_size == size
        )
        for size in range(1, max(sizes) + 1)
    )
