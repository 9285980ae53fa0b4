"""A whole benchmark: way in, microleak, peers, each in processes of their own."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.machine import machine, versions
from benchmarks.peer_runs import peer_time
from benchmarks.process import Limits
from benchmarks.results import Run, Step
from benchmarks.scale import PROFILE_MIB, Scale
from benchmarks.series import Series
from benchmarks.way_in import WayIn
from benchmarks.workspace import Workspace, step_of
from microleak.base.errors import MicroleakError


def run(scale: Scale, scratch: Path, limits: Limits) -> Run:
    """Run a benchmark and return its results.

    Parameters
    ----------
    scale
        Size of everything.
    scratch
        Folder for tables; those of an earlier run of the scale are used again.
    limits
        Of every process; microleak is also measured on one thread, and in less memory.

    Raises
    ------
    MicroleakError
        If a step that others need meets a limit, or a process fails.
    """
    folder, subject = scratch / scale.name, scale.subject
    way_in = WayIn(folder, subject, scale.twin_size, limits)
    steps = way_in.steps()
    fewer = (n for n in scale.records if n < way_in.n_records)
    n_study_qids = len(subject.analysis.qids) - len(subject.further_qids)
    space = Workspace(
        folder,
        (*fewer, way_in.n_records),
        subject.analysis,
        n_study_qids,
        limits,
    )
    return _measured(scale, space, steps, way_in.n_rows)


def _measured(
    scale: Scale, space: Workspace, way_in: tuple[Step, ...], n_rows: int
) -> Run:
    series = Series(scale, space)
    profiles = series.run()
    if series.measure is None:
        raise MicroleakError(
            "The profiles of the whole table met a limit, so there is nothing to "
            "compare with. Raise --memory-gib or --time-limit-s."
        )
    codes = _coding(space)
    peers = tuple(peer_time(part, space, series.counts) for part in scale.peers)
    return Run(
        scale=scale.name,
        date=datetime.now(UTC).date().isoformat(),
        subject=scale.subject.name,
        n_rows=n_rows,
        twin_size=scale.twin_size,
        n_values=series.n_values,
        is_same_bytes=series.is_same_bytes,
        way_in=way_in,
        profiles=profiles,
        profile_mib=PROFILE_MIB,
        measure=series.measure,
        codes=codes,
        peers=peers,
        **_where(space),
    )


def _coding(space: Workspace) -> Step:
    """Measure the step that turns the whole table into integers, for the peers."""
    arguments = space.coding(space.n_records)
    arguments["out"] = str(space.codes_file(space.n_records))
    return step_of(
        "codes", "benchmarks.coded_tables:write_codes", arguments, space.limits
    )


def _where(space: Workspace) -> dict[str, Any]:
    return {
        "machine": machine(),
        "versions": versions(),
        "n_threads": space.limits.n_threads,
        "memory_gib": space.limits.memory_gib,
        "time_limit_s": space.limits.time_s,
        "n_records": space.n_records,
        "qids": space.analysis.qids,
        "n_study_qids": space.n_study_qids,
        "sensitive": space.analysis.sensitive,
    }
