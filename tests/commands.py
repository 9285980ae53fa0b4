"""`microleak` and `snakemake` in forks of a process that has imported all they need.

Imports take most of the time of a command on a small study. What a test finds out about
how a command is started, stopped or killed needs a program of its own: `subprocess`.

All forks of a process order sets alike, and two programs do not. So there are two such
processes, each with a PYTHONHASHSEED of its own, which commands take in turns: what
depends on the order of a set is another output when it is made again.
"""

import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import cycle
from pathlib import Path
from typing import NoReturn

from microleak.base.paths import ROOT
from microleak.run.forked import LATE
from microleak.study.steps import code_of, steps_by_rule

_SEEDS = cycle(os.environ.get("HASH_SEEDS", "2 3").split())
_LATE = (
    *("jsonschema", "nbformat", "polars", "requests", "smart_open", "yte"),
    *("snakemake.benchmark", "snakemake.profiles", "snakemake.report.html_reporter"),
    *("matplotlib.backends.backend_svg", "babel.dates"),
)
"""What commands and jobs import only when they first use it."""


@dataclass
class Ended:
    """How a command ended, and what it printed, errors among the rest."""

    returncode: int
    output: str


def microleak(*words: str | Path, folder: Path, **variables: str) -> Ended:
    """Run `microleak` in a folder, with variables of the environment.

    A PYTHONHASHSEED among them holds; without it, the next command has another one.
    """
    return _ended("microleak.cli", words, folder, variables)


def snakemake(*words: str | Path, folder: Path, **variables: str) -> Ended:
    """Run `snakemake`, which starts its scripts as programs."""
    return _ended("snakemake.cli", words, folder, variables)


def _ended(
    command: str, words: Sequence[str | Path], folder: Path, variables: dict[str, str]
) -> Ended:
    environment = {**os.environ, "LC_ALL": "C.UTF-8", **variables}
    line = [str(word) for word in words]
    with tempfile.NamedTemporaryFile() as output:
        asked = (command, line, str(folder), environment, output.name)
        forks = _forks(variables.get("PYTHONHASHSEED") or next(_SEEDS))
        print(json.dumps(asked), file=forks.stdin, flush=True)
        status = int(forks.stdout.readline())
        return Ended(status, output.read().decode())


@cache
def _forks(hash_seed: str) -> subprocess.Popen[str]:
    """Start a process that commands are forks of, which ends with this one."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.commands"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={
            **os.environ,
            **{"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
            "PYTHONHASHSEED": hash_seed,
        },
    )


def no_sync(handle: int) -> None:
    """Take the place of os.fsync: what tests write need not outlast a power cut.

    A closed handle fails as it does there.
    """
    os.fstat(handle)


def _fork_commands() -> None:
    """Fork a command for each line that comes, one after another."""
    os.fsync = no_sync
    package = import_module("microleak")
    for module in pkgutil.walk_packages(package.__path__, "microleak."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    for name in ("snakemake.cli", *_LATE, *LATE):
        import_module(name)
    for rule in steps_by_rule():
        code_of(rule)
    for line in sys.stdin:
        process = os.fork()
        if not process:
            _be_command(*json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]), flush=True)


def _be_command(
    command: str,
    words: list[str],
    folder: str,
    environment: dict[str, str],
    output: str,
) -> NoReturn:
    for number, path in enumerate((os.devnull, output, output)):
        flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_APPEND
        os.dup2(os.open(path, flags), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = [command.partition(".")[0], *words]
    sys.path[0] = folder
    tempfile.tempdir = None
    status = 1
    try:
        status = import_module(command).main(words)
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        else:
            status = int(end.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(status)


if __name__ == "__main__":
    _fork_commands()
