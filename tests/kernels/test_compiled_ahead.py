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
def test_a_walk_finds_all_its_kernels_compiled(package):
    run(package, "-m", "microleak.kernels")
    before = compiled(package)
    assert len(before) > 20
    run(package, "-c", ASSESSED)
    assert compiled(package) == before


@pytest.fixture
def begun(monkeypatch, tmp_path):
    """What was started while a run began, with a folder in the kernels' place."""
    lines = []

    class Process:
        def __init__(self, line, **_):
            lines.append([*line[1:], "begun"])

        def __enter__(self):
            return self

        def __exit__(self, *_):
            lines[-1].append("waited for")

        def terminate(self):
            lines[-1].append("stopped")

    monkeypatch.setattr(ahead.subprocess, "Popen", Process)
    monkeypatch.setattr(ahead, "_KERNELS", tmp_path)
    return lines


def test_a_first_run_begins_to_compile_and_stops_it_at_its_end(begun):
    with pytest.raises(ZeroDivisionError), ahead.kernels_compiled():
        assert begun == [["-m", "microleak.kernels", "begun"]]
        raise ZeroDivisionError
    assert begun[0][-2:] == ["stopped", "waited for"]


def test_what_is_compiled_is_not_compiled_again(begun, tmp_path):
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__/a.nbi").touch()
    with ahead.kernels_compiled():
        assert begun == []


def test_where_nothing_can_be_kept_nothing_is_compiled_ahead(begun, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with ahead.kernels_compiled():
        assert begun == []
