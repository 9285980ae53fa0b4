"""Kernels are compiled ahead of a first run: all that a walk needs, and once."""

import os
import shutil
import subprocess
import sys

import pytest

from microleak.base.paths import PACKAGE
from microleak.run import ahead

ASSESSED = """\
import numpy, pandas, microleak
draw = numpy.random.default_rng(1)
people = {name: draw.integers(n, size=3000) for name, n in QIDS.items()}
microleak.assess(pandas.DataFrame(people), [*QIDS][1:], sensitive=["ill"], n_threads=2)
""".replace("QIDS", "{'ill': 3, 'day': 31, 'month': 12, 'town': 300}")


@pytest.fixture
def package(tmp_path):
    """A copy of the package in which no kernel is compiled."""
    ignored = shutil.ignore_patterns("__pycache__")
    return shutil.copytree(PACKAGE, tmp_path / "microleak", ignore=ignored)


def compiled(package):
    """What is kept of kernels, each once for each type of arguments."""
    return {path.name for path in (package / "kernels/__pycache__").glob("*.nb?")}


def run(package, *words):
    env = {**os.environ, "PYTHONPATH": str(package.parent)}
    line = [sys.executable, *words]
    subprocess.run(line, cwd=package.parent, env=env, check=True)


@pytest.mark.workflow
@pytest.mark.long
def test_a_walk_finds_all_its_kernels_compiled(package):
    run(package, "-P", "-m", "microleak.run.ahead")
    before = compiled(package)
    assert len(before) > 20
    run(package, "-c", ASSESSED)
    assert compiled(package) == before
    run(package, "-c", "from microleak.run import ahead; assert ahead._is_compiled()")


@pytest.fixture
def kernels(monkeypatch, tmp_path):
    """A folder in the kernels' place, with one module that is not compiled."""
    (tmp_path / "walk.py").touch()
    (tmp_path / "__pycache__").mkdir()
    monkeypatch.setattr(ahead, "_KERNELS", tmp_path)
    return tmp_path


@pytest.fixture
def begun(monkeypatch, kernels):
    lines = []

    class Process:
        def __init__(self, line, *, env, **_):
            assert env["PYTHONSAFEPATH"] == "1"
            lines.append([*line[1:], "begun"])

        def wait(self):
            lines[-1].append("waited for")

        def terminate(self):
            lines[-1].append("stopped")

    monkeypatch.setattr(ahead.subprocess, "Popen", Process)
    return lines


def test_a_first_run_begins_to_compile_and_stops_it_at_its_end(begun):
    with pytest.raises(ZeroDivisionError), ahead.kernels_compiled([]):
        own = str(os.getpid())  # with which it ends
        assert begun == [["-P", "-m", "microleak.run.ahead", own, "begun"]]
        raise ZeroDivisionError
    assert begun[0][-2:] == ["stopped", "waited for"]


def n_begun(begun, words=()):
    with ahead.kernels_compiled(words):
        return len(begun)


def test_what_is_compiled_is_not_compiled_again_unless_it_is_changed(begun, kernels):
    ahead._mark().touch()
    assert n_begun(begun) == 0
    after = ahead._mark().stat().st_mtime_ns + 10**9
    os.utime(kernels / "walk.py", ns=(after, after))
    assert n_begun(begun) == 1


def test_what_was_compiled_in_part_is_compiled_to_its_end(begun, kernels):
    (kernels / "__pycache__/blocks.split-1.py311.nbi").touch()
    assert n_begun(begun) == 1


def test_what_only_looks_compiles_nothing(begun):
    assert n_begun(begun, ["-n"]) == 0


def test_where_nothing_can_be_kept_nothing_is_compiled_ahead(begun, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert n_begun(begun) == 0


@pytest.mark.parametrize("python", ["", None, "/nowhere/python"])
def test_where_nothing_can_be_started_the_run_goes_on(kernels, monkeypatch, python):
    monkeypatch.setattr(sys, "executable", python)
    with ahead.kernels_compiled([]):
        pass


def test_modules_of_the_working_folder_are_not_run(kernels, tmp_path, monkeypatch):
    (tmp_path / "numpy.py").write_text("open('ran', 'w')")
    (tmp_path / "microleak.py").write_text("open('ran', 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ahead, "_is_compiled", lambda: False)
    started = []
    real = subprocess.Popen
    monkeypatch.setattr(
        ahead.subprocess,
        "Popen",
        lambda line, **k: (
            started.append(real([*line[:2], "-c", LISTED], **k)) or started[0]
        ),
    )
    with ahead.kernels_compiled([]):
        assert started[0].wait() == 0
    assert not (tmp_path / "ran").exists()


LISTED = "import numpy, os, sys; sys.exit(os.getcwd() in sys.path or '' in sys.path)"
