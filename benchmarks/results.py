"""The results file: every figure that the page is written from."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from microleak.base.errors import MicroleakError
from microleak.base.files import write_text

SYNTHESISE = "synthesise"
"""The step that a study of a real release does not have."""


@dataclass(frozen=True)
class Step:
    """A step that ran once; times in seconds, memory in MiB."""

    name: str
    status: str
    wall_s: float
    cpu_s: float
    peak_mib: int


@dataclass(frozen=True)
class ProfileTime:
    """microleak's profiles of all subsets, from one record a person to the file.

    It was told to keep to `memory_mib`. Where it was measured several times,
    `wall_s`, `cpu_s` and `peak_mib` are those of the median by time, and
    `all_wall_s` has every time.
    """

    n_records: int
    n_qids: int
    n_threads: int
    memory_mib: int
    status: str
    wall_s: float
    cpu_s: float
    peak_mib: int
    profiles_mib: float
    all_wall_s: tuple[float, ...]


@dataclass(frozen=True)
class PeerTime:
    """A peer's subsets, one after another.

    Attributes
    ----------
    open_s
        Seconds to read the codes in the peer's own form.
    seconds
        For the sizes 1, 2, … in turn, the seconds of each subset drawn; empty if
        the peer did not finish.
    n_compared, n_identical
        Subsets whose counts were compared with microleak's, and those where all
        that the peer computes were the same.
    """

    peer: str
    n_records: int
    status: str
    open_s: float
    peak_mib: int
    seconds: tuple[tuple[float, ...], ...]
    n_compared: int
    n_identical: int


@dataclass(frozen=True)
class Run:
    """One benchmark: where and when, on what, and what it took.

    Attributes
    ----------
    subject
        Name in `benchmarks.subject.SUBJECTS`.
    n_rows
        Rows of the raw release.
    n_values
        Values of each sensitive attribute, a missing one counted.
    is_same_bytes
        Whether profiles were the same bytes on any threads and memory measured.
    profile_mib
        Memory that profiles are usually told to keep to, in MiB.
    """

    scale: str
    subject: str
    date: str
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    n_threads: int
    memory_gib: float
    time_limit_s: float
    twin_size: int
    n_rows: int
    n_records: int
    qids: tuple[str, ...]
    n_study_qids: int
    sensitive: tuple[str, ...]
    n_values: tuple[int, ...]
    is_same_bytes: bool
    way_in: tuple[Step, ...]
    profiles: tuple[ProfileTime, ...]
    profile_mib: int
    measure: Step
    codes: Step
    peers: tuple[PeerTime, ...]


def load(path: Path) -> dict[str, Run]:
    """Return the runs of a results file by scale; none if there is no file.

    Raises
    ------
    MicroleakError
        If the file is not one that this program writes.
    """
    if not path.exists():
        return {}
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return {name: _run(part) for name, part in content.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise MicroleakError(
            f"{path} is not a results file of this version of the benchmarks. Delete "
            "it and run the benchmark again, or give another --results."
        ) from None


def save(path: Path, runs: Mapping[str, Run]) -> None:
    """Write the runs of all scales, one line a measurement."""
    parts = [f"{json.dumps(name)}: {_written(runs[name])}" for name in sorted(runs)]
    write_text(path, "{\n" + ",\n".join(parts) + "\n}\n")


def _written(run: Run) -> str:
    lines = [
        f"  {json.dumps(name)}: {_value(value)}" for name, value in asdict(run).items()
    ]
    return "{\n" + ",\n".join(lines) + "\n}"


def _value(value: Any) -> str:
    """Return JSON in one line, or one line an entry for a list of measurements."""
    if isinstance(value, tuple) and value and isinstance(value[0], dict):
        entries = ",\n    ".join(json.dumps(entry) for entry in value)
        return f"[\n    {entries}\n  ]"
    return json.dumps(value, ensure_ascii=False)


def _run(content: dict[str, Any]) -> Run:
    made = dict(content)
    for name, kind in (
        ("way_in", Step),
        ("profiles", ProfileTime),
        ("peers", PeerTime),
    ):
        made[name] = tuple(_tupled(kind, entry) for entry in content[name])
    made["measure"] = Step(**content["measure"])
    made["codes"] = Step(**content["codes"])
    run: Run = _tupled(Run, made)
    return run


def _tupled(kind: type, content: Mapping[str, Any]) -> Any:
    """Make a dataclass whose lists, at any depth, are tuples."""
    names = [field.name for field in fields(kind)]
    if sorted(content) != sorted(names):
        raise KeyError(kind.__name__)
    return kind(**{name: _frozen(content[name]) for name in names})


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
