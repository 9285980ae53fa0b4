"""What microleak does where the system lacks what Linux has.

No Windows and no macOS was at hand: here what they lack is hidden from microleak, once
all other packages are imported, as these have their own ways there.
"""

import os
import subprocess
import sys

import pytest

from microleak.base.paths import DEFAULT_STUDY, PACKAGE

pytestmark = pytest.mark.long

LACKING = """
import importlib, os, pkgutil, signal, sys
import numba, numpy, pandas, pyarrow.csv, pyarrow.parquet, duckdb
import fcntl
import highspy, jinja2, matplotlib.figure, psutil, pydantic, rich.table, xlsxwriter
import babel.numbers, snakemake.cli, snakemake.script, http.client, ftplib, polars
import rich.live, rich.progress
real_sync, flags = os.fsync, sys.modules["fcntl"]
def fsync(handle):
    is_folder = os.path.isdir(f"/proc/self/fd/{handle}")
    if not is_folder and not flags.fcntl(handle, flags.F_GETFL) & os.O_RDWR:
        raise OSError(9, "Bad file descriptor")
    real_sync(handle)
os.fsync = fsync
for name in ("fcntl", "pwd", "grp", "resource", "termios", "tty", "pty"):
    sys.modules[name] = None
for name in (
    "fork setsid killpg geteuid getuid sysconf ttyname O_NOFOLLOW O_NOCTTY mkfifo"
).split():
    delattr(os, name)
class Signals:
    def __getattr__(self, name):
        if name in ("SIGHUP", "SIGCHLD", "SIGKILL", "pthread_sigmask"):
            raise AttributeError(name)
        return getattr(sys.real_signal, name)
    Signals = [s for s in signal.Signals if s.name not in ("SIGHUP", "SIGCHLD")]
sys.real_signal = signal
sys.modules["signal"] = Signals()
"""
"""Hides modules and functions as Windows lacks them."""

COMMAND = "from microleak.cli import main; sys.exit(main())"
CSV = "age,town,illness\n30,A,flu\n31,A,none\n30,B,flu\n"


def on_windows(folder, code, *words):
    return subprocess.run(
        [sys.executable, "-c", LACKING + code, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "people.csv").write_text(CSV)
    return tmp_path


def test_every_module_can_be_imported_where_nothing_of_linux_is(folder):
    code = """
import microleak
found = pkgutil.walk_packages(microleak.__path__, "microleak.")
names = [m.name for m in found if m.name != "microleak.__main__"]
print(len([importlib.import_module(name) for name in names if ".project" not in name]))
"""
    done = on_windows(folder, code)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 200


def test_commands_of_one_file_work_on_windows(folder):
    code = """
from microleak.cli import main
assess = ["assess", "people.csv", "--qids", "age,town"]
target = ["target", "people.csv", "--known", "age=31", "--sensitive", "illness"]
for words in (assess, target, ["init", "people.csv"]):
    print(words[0], main(words))
"""
    done = on_windows(folder, code)
    assert done.returncode == 0, done.stderr
    ended = [line for line in done.stdout.splitlines() if line.endswith(" 0")]
    assert ended == ["assess 0", "target 0", "init 0"], done.stderr
    assert (folder / "people.yaml").exists()


def test_a_study_is_refused_on_windows_in_a_sentence(folder):
    (folder / "study.yaml").write_bytes(DEFAULT_STUDY.read_bytes())
    done = on_windows(folder, COMMAND, "run", "study.yaml")
    assert done.returncode == 1
    said = "microleak: Studies are run on Linux or macOS; on Windows, run microleak in"
    assert done.stderr.startswith(said)
    assert not (folder / "results").exists()
