"""Runs jobs of a finished study again, each under every fault.

As a program in the study's folder it prints a line of JSON a job and fault. What it
runs is what Snakemake leaves in `.snakemake/scripts` with `--skip-script-cleanup`:
a job's script with its paths and parameters. The package is imported once, and
every job is a fork of that. When a job has ended, its inputs and outputs are put
back as they were.
"""

import ast
import contextlib
import ctypes
import importlib
import json
import os
import pickle
import pkgutil
import re
import resource
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import microleak
from microleak.base.paths import ROOT
from microleak.run.workflow import STUDY_OF_RUN
from tests.workflow.canary_study import LETTERS, NUMBERS

WRONG = f"{LETTERS}&<Çã>%wrong"
KEPT = Path("kept-aside")


@dataclass
class Ended:
    """How a job ended, and the files that it left besides its log."""

    fault: str
    rule: str
    status: int
    said: str
    log: str
    left: list[str]


def end_of_jobs(study) -> list[Ended]:
    """Run one job of every rule of a finished study under every fault."""
    process = subprocess.run(
        [sys.executable, "-m", "tests.workflow.faulty_jobs"],
        cwd=study.folder,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    return [Ended(**json.loads(line)) for line in process.stdout.splitlines()]


def one_a_rule() -> dict[str, tuple[Path, Any]]:
    jobs = [
        (job.log[0], path, job)
        for path in Path(".snakemake/scripts").glob("*.py")
        for job in [given_to(path)]
    ]
    last_first = sorted(jobs, key=lambda found: found[0], reverse=True)
    return {job.rule: (path, job) for _, path, job in last_first}


def given_to(script: Path) -> Any:
    """Return the `snakemake` of a script, which stands in it as a pickle."""
    (pickled,) = (
        node.args[0]
        for node in ast.walk(ast.parse(script.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pickle.loads"
    )
    return pickle.loads(ast.literal_eval(pickled))


def main() -> None:
    for module in pkgutil.walk_packages(microleak.__path__, "microleak."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    jobs = one_a_rule().values()
    for path in {Path(each) for _, job in jobs for each in job.input}:
        if path.parent == STUDY_OF_RUN:  # which goes with the run
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path.name, path)
    for fault in FAULTS:
        for script, job in jobs:
            with as_it_was([*job.input, *job.output]):
                ended = end_of(fault, script, job)
            print(json.dumps(asdict(ended)), flush=True)
    shutil.rmtree(STUDY_OF_RUN, ignore_errors=True)


def end_of(fault: str, script: Path, job: Any) -> Ended:
    """Run one job under a fault, its outputs removed as Snakemake does."""
    damage, limit = FAULTS[fault]
    inputs = [Path(path) for path in job.input]
    within = (each for path in inputs if path.is_dir() for each in path.rglob("*"))
    for path in [*inputs, *within]:
        if path.is_file() and path.suffix != ".yaml":
            damage(path)
    for path in map(Path, job.output):
        remove(path)
    before = everything()
    status, said = forked(script, limit)
    log = Path(job.log[0])
    kept = log.read_text("utf-8") if log.exists() else ""
    log.unlink(missing_ok=True)
    return Ended(fault, job.rule, status, said, kept, sorted(everything() - before))


def everything() -> set[str]:
    return {str(path) for path in Path().rglob("*") if path.is_file()}


def folders() -> list[Path]:
    return [path for path in Path("results").rglob("*") if path.is_dir()]


def remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def as_it_was(paths: Sequence[str]) -> Iterator[None]:
    """Put files and folders back in the end, with what a job removes and records."""
    manifest = next(Path("results").glob("*/manifest.json"))
    beside = manifest, *(manifest.parent / name for name in ("records", "code"))
    every = {*map(Path, paths), *beside}
    kept = {p: KEPT / p for p in every if every.isdisjoint(p.parents)}
    for path, copy in kept.items():
        copy.parent.mkdir(parents=True, exist_ok=True)
        copied = shutil.copytree if path.is_dir() else shutil.copy2
        copied(path, copy)
    try:
        yield
    finally:
        for folder in folders():
            folder.chmod(0o755)
        for path, copy in kept.items():
            remove(path)
            path.parent.mkdir(parents=True, exist_ok=True)
            copy.rename(path)
        shutil.rmtree(KEPT)


def forked(script: Path, limit: Callable[[], None]) -> tuple[int, str]:
    """Run a job's script in a fork; return its exit status and what it said."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(write, 1)
        os.dup2(write, 2)
        limit()
        status = 0
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            status = int(end.code)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            status = 99
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def with_wrong_cell(path: Path) -> None:
    """Put a canary where something else must be, in the middle of a file."""
    if path.suffix == ".parquet":
        table = pq.read_table(path)
        columns = [_wrong(column) for column in table.columns]
        pq.write_table(pa.table(columns, names=table.column_names), path)
    elif path.suffix in (".csv", ".json"):
        lines = path.read_text(encoding="utf-8").split("\n")
        middle = len(lines) // 2
        lines[middle] = re.sub(r"[0-9.]+", f"{WRONG},{WRONG}", lines[middle])
        path.write_text("\n".join(lines), encoding="utf-8")


def _wrong(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_string(column.type):
        return pa.array([NUMBERS[3]] * len(column))
    return pa.array([WRONG] * len(column))


def whole(path: Path) -> None:
    """Leave a file as it is."""


def on_a_full_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def in_read_only_folders() -> None:
    """Let nothing be made or removed among the results, by root either."""
    for folder in folders():
        folder.chmod(0o555)
    # Version 3 of capabilities; without effective ones root asks as others do.
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)())


def without_descriptors() -> None:
    n_open = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (n_open, n_open))


def freely() -> None:
    """Set no limit."""


FAULTS = {
    "cut": (cut, freely),
    "wrong cell": (with_wrong_cell, freely),
    "full disk": (whole, on_a_full_disk),
    "read only": (whole, in_read_only_folders),
    "no descriptors": (whole, without_descriptors),
}

if __name__ == "__main__":
    main()
