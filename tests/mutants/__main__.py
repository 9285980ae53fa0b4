"""Puts single faults into the package, one at a time, and counts those that tests find.

    python -m tests.mutants [N [WHERE]]

The N places with the lowest ranks are tried, 300 unless told: the same ones until the
code there changes. WHERE is `numbers`, which is what makes them, unless told, or
`around`. Each fault is put into a copy of the project and met by the tests
that concern its module, nearest and fastest first. What came out is kept in
results/mutants.json, so that a second run tries only what is new, and what survived
where its module or its tests changed. Faults that change no result are listed in
equivalent.yaml with the reason, and not counted.
"""

import compileall
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from fnmatch import fnmatchcase
from hashlib import sha256
from importlib import import_module
from math import ceil
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.mutants.concerned import tests_of
from tests.mutants.places import Mutant, mutants_of

ROOT = Path(__file__).parents[2]
OUTCOMES = ROOT / "results/mutants.json"
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")

Folders = Mapping[str, tuple[str, ...]]
NUMBERS = {
    "kernels": (
        "microleak/kernels/*.py",
        "microleak/attacks/*/kernels.py",
        "microleak/attacks/*/kernels/*.py",
    ),
    "definitions": (
        "microleak/definitions/*.py",
        "microleak/count_tables/*.py",
        "microleak/attacks/*/definitions/*.py",
    ),
    "disclosure": (
        "microleak/attacks/*/publish.py",
        "microleak/report/public.py",
        "microleak/study/private_counts.py",
        "microleak/study_file/shown.py",
    ),
    "sources": tuple(
        f"microleak/sources/{part}/*.py"
        for part in ("definitions", "files", "formats", "fetch", "steps")
    ),
}
AROUND = {
    "families": tuple(
        f"microleak/attacks/*/{name}.py" for name in ("measure", "search", "section")
    ),
    **{
        name: (f"microleak/{name}/*.py",)
        for name in ("protection", "records", "run", "audit")
    },
}
WHERE = {"numbers": NUMBERS, "around": AROUND}
"""What faults are put into, by what tables call it.

Twins are left out: calibration tests judge their draws by published shares.
"""

# Seconds of one core, as they take without a fault, of the tests that meet it first,
# and of all that do: those that the first ones do not find
FIRST_S, MOST_S = 30, 120
# Share of the faults that tests find, in each folder
LEAST = 0.9
# Times as long as they may be at work that tests may last
WAITS = 20
# Address space that tests may have: a fault may ask for too much
MOST_BYTES = 12 << 30

LIBRARIES = (
    *("duckdb", "highspy", "hypothesis", "jinja2", "numba", "pandas", "polars"),
    *("pyarrow.compute", "pyarrow.dataset", "pyarrow.parquet", "pytest"),
)
"""What takes long to import; each process of tests has it from the first."""

# What intrinsics do, which are no functions where nothing is compiled
PLAIN = {
    "lowest": lambda bits: (int(bits) & -int(bits)).bit_length() - 1,
    "ones": lambda bits: int(bits).bit_count(),
}

COPIED = (
    *("microleak", "papers", "tests", "config", "docs", "scripts", "workflow"),
    "benchmarks",
)
FILES = ("pyproject.toml", "Snakefile", "README.md", "CHANGELOG.md", "Makefile")


class Run(NamedTuple):
    status: int
    took_s: float


class Trial:
    """A copy of the project, in which tests run with a fault or without."""

    def __init__(self, folder: Path, kept: dict) -> None:
        for name in (*COPIED, *FILES):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy2
            copy(ROOT / name, folder / name)
        if (shared := ROOT.parent / "shared").exists():
            (folder.parent / "shared").symlink_to(shared)
        compileall.compile_dir(folder / "microleak", quiet=1)
        self._folder = folder
        self._kept = kept

    def of(self, mutant: Mutant) -> dict:
        """Say whether tests find a fault, and which met it."""
        files = self._files(mutant.path)
        place = self._folder / mutant.path
        source, times = place.read_bytes(), place.stat()
        place.write_bytes(mutant.applied(source))
        # A fault of the same length within a second would not be seen.
        sys.dont_write_bytecode, os.environ["PYTHONDONTWRITEBYTECODE"] = True, "1"
        try:
            first = [name for name, before_s in files if before_s < FIRST_S]
            others = [name for name, before_s in files if before_s >= FIRST_S]
            run = self._run(first, _is_kernel(mutant), 4 * FIRST_S + 20)
            if run.status == 0 and others:
                run = self._run(others, _is_kernel(mutant), 4 * MOST_S)
        finally:
            sys.dont_write_bytecode = False
            del os.environ["PYTHONDONTWRITEBYTECODE"]
            place.write_bytes(source)
            os.utime(place, ns=(times.st_atime_ns, times.st_mtime_ns))
        seen = self._seen([mutant.path, *(name for name, _ in files)])
        return {"killed": run.status != 0, "seen": seen, "took_s": round(run.took_s, 1)}

    def is_known(self, mutant: Mutant, outcome: dict) -> bool:
        """Say whether an outcome still stands: found once is found."""
        if outcome["killed"]:
            return True
        names = [name for name, _ in self._files(mutant.path)]
        return outcome["seen"] == self._seen([mutant.path, *names])

    def _files(self, module: str) -> list[tuple[str, float]]:
        """Return the tests of a module that pass without a fault, the nearest first."""
        # With each is what those before it take, which is less than `MOST_S`.
        found: list[tuple[str, float]] = []
        before_s = 0.0
        for name in tests_of(module, self._folder):
            if before_s >= MOST_S:
                break
            run = self._usual(name, "/kernels" in module)
            if run.status == 0:
                found.append((name, before_s))
                before_s += run.took_s
        return found

    def _usual(self, name: str, is_plain: bool) -> Run:
        key = f"{name} {'plain' if is_plain else 'compiled'} {self._seen([name])}"
        if key not in self._kept:
            self._kept[key] = self._run([name], is_plain, MOST_S)
            print(f"  {key.split()[:2]} {self._kept[key]}", flush=True)
        return Run(*self._kept[key])

    def _seen(self, names: list[str]) -> str:
        parts = [(self._folder / name).read_bytes() for name in names]
        return sha256(b"".join(parts)).hexdigest()[:12]

    def _run(self, names: list[str], is_plain: bool, limit_s: float) -> Run:
        """Run tests in a process of their own, which has all libraries already."""
        began = time.monotonic()
        child = os.fork()
        if not child:
            os._exit(_tested(self._folder, names, is_plain, ceil(limit_s)))
        while True:
            ended, status, used = os.wait4(child, os.WNOHANG)
            if ended:
                break
            if time.monotonic() - began > WAITS * limit_s:
                os.killpg(child, signal.SIGKILL)
            time.sleep(0.02)
        code = os.waitstatus_to_exitcode(status)
        # Of a module without doctests none is collected.
        return Run(0 if code == 5 else code, used.ru_utime + used.ru_stime)


def _is_kernel(mutant: Mutant) -> bool:
    return "/kernels" in mutant.path


def _tested(folder: Path, names: list[str], is_plain: bool, limit_s: int) -> int:
    os.setsid()
    resource.setrlimit(resource.RLIMIT_CPU, (limit_s, limit_s))
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    sys.path[:] = [str(folder), *(p for p in sys.path if p not in ("", str(ROOT)))]
    for name in [name for name in sys.modules if name.split(".")[0] == "tests"]:
        del sys.modules[name]
    assert not any(name.split(".")[0] == "microleak" for name in sys.modules)
    import hypothesis  # noqa: PLC0415
    import numba.extending  # noqa: PLC0415
    import pytest  # noqa: PLC0415

    # Of a kernel that others have inlined the faulty one would not be seen.
    numba.config.DISABLE_JIT = is_plain
    if is_plain:
        numba.extending.intrinsic = lambda function: PLAIN[function.__name__]
    slow = [hypothesis.HealthCheck.too_slow]
    n = 20 if is_plain else 100
    few = {"max_examples": n, "deadline": None, "suppress_health_check": slow}
    hypothesis.settings.register_profile("few", **few)
    drawn = ["--hypothesis-seed=1", "--hypothesis-profile=few"]
    options = ["-x", "-q", "-p", "no:cacheprovider", *drawn]
    return int(pytest.main([*options, *names]))


def sample(n: int, folders: Folders) -> list[Mutant]:
    paths = {path for globs in folders.values() for g in globs for path in ROOT.glob(g)}
    every = [mutant for path in paths for mutant in mutants_of(path, ROOT)]
    print(f"{len(every):,} places")
    lowest = sorted(every, key=lambda mutant: mutant.rank)[:n]
    return sorted(lowest, key=lambda mutant: (mutant.path, mutant.line))


def main(n: int = 300, where: str = "numbers") -> int:
    """Try the sample and print the score by folder; return 1 if one is too low."""
    for library in LIBRARIES:
        import_module(library)
    kept = json.loads(OUTCOMES.read_text()) if OUTCOMES.exists() else {}
    outcomes, usual = kept.setdefault("outcomes", {}), kept.setdefault("usual", {})
    equivalent = yaml.safe_load(EQUIVALENT.read_text()) or {}
    folders = WHERE[where]
    mutants = sample(n, folders)
    with tempfile.TemporaryDirectory(prefix="mutants-") as name:
        folder = Path(name) / "copy"
        folder.mkdir()
        trial = Trial(folder, usual)
        for mutant in mutants:
            known = outcomes.get(mutant.name)
            if mutant.name in equivalent or (known and trial.is_known(mutant, known)):
                continue
            found = outcomes[mutant.name] = trial.of(mutant)
            said = "killed" if found["killed"] else "SURVIVED"
            print(f"{said} {found['took_s']} s {mutant.line} {mutant.name}", flush=True)
            OUTCOMES.parent.mkdir(exist_ok=True)
            OUTCOMES.write_text(json.dumps(kept, indent=1))
    found = scores(mutants, outcomes, equivalent, folders)
    print("| in | faults | change nothing | found | share |\n|---|--:|--:|--:|--:|")
    for folder, (n_tried, n_equal, n_killed) in found.items():
        share = n_killed / max(n_tried - n_equal, 1)
        print(f"| {folder} | {n_tried} | {n_equal} | {n_killed} | {share:.1%} |")
    return int(any(k < LEAST * (n - equal) for n, equal, k in found.values()))


def scores(
    mutants: list[Mutant], outcomes: dict, equivalent: dict, folders: Folders
) -> dict[str, tuple[int, int, int]]:
    """Return by folder how many faults there are, change no result, were found."""
    n_tried, n_equal, n_killed = Counter(), Counter(), Counter()
    for mutant in mutants:
        folder = next(
            folder
            for folder, globs in folders.items()
            if any(fnmatchcase(mutant.path, glob) for glob in globs)
        )
        is_equal = mutant.name in equivalent
        for each in (folder, "all"):
            n_tried[each] += 1
            n_equal[each] += is_equal
            n_killed[each] += not is_equal and outcomes[mutant.name]["killed"]
    names = [name for name in (*folders, "all") if n_tried[name]]
    return {name: (n_tried[name], n_equal[name], n_killed[name]) for name in names}


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2]), *sys.argv[2:]))
