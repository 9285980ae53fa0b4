"""The edge between a job and whoever runs it.

What a job says goes to the display of its run. A job of plain Snakemake has none, and
says it in lines on the standard error.
"""

import errno
import os
import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from gettext import gettext as _
from importlib import import_module
from pathlib import Path
from typing import Any

from microleak.base.errors import MicroleakError, StudyError
from microleak.base.language import speaking_language, spoken_language
from microleak.base.locks import at_work
from microleak.base.paths import MANIFEST, PACKAGE, name_of
from microleak.base.progress import told_by, watched_by
from microleak.run.watching import tell_display, watcher
from microleak.step import Step
from microleak.study.fingerprint import code_now
from microleak.study.job_records import Recorder

_EDGE = ("job.py", "locks.py")
"""Modules that stand around every job, whatever goes wrong in it."""

_TO_DO = {
    errno.ENOSPC: "Make room on the disk: bytes (df), or inodes for files (df -i)",
    errno.EDQUOT: "Make room within the quota of the disk",
    errno.EFBIG: "Allow larger files (ulimit -f)",
    errno.EMFILE: "Allow more open files (ulimit -n)",
    errno.ENFILE: "Close programs that have many files open",
    errno.EROFS: "Use a disk that can be written to",
    errno.EACCES: "Allow the study's files to be read and its results to be written",
    errno.EPERM: "Allow the study's files to be read and its results to be written",
}
"""What helps where the system refused something, by the error's number."""


@contextmanager
def job(snakemake: Any) -> Iterator[Mapping[str, Any]]:
    """Give a job its settings; show its progress, and say why it failed."""
    # When it succeeds its record is written. The log, `results/STUDY/logs/…`, is
    # removed then: what is in a log went wrong. The study's manifest is removed when a
    # job begins, as it lists what was before. A job that is interrupted ends without a
    # word, with status 130. A log that cannot be written, as on a full disk, is left
    # out.
    path = Path(snakemake.log[0])
    study_dir = Path(*path.parts[:2])
    try:
        path.unlink(missing_ok=True)
        shown = watcher(str(path), _title(path), sys.stderr)
        spoken = speaking_language(
            spoken_language()
        )  # a process of its own knows only the variable
        with spoken, at_work(), watched_by(shown), told_by(warn):
            (study_dir / MANIFEST).unlink(missing_ok=True)
            asked, code = (snakemake.params.get(name) for name in ("job", "code"))
            # The one step that has no record; only its job imports all steps.
            audit = "microleak.study.steps"
            step = asked.step if asked else import_module(audit).AUDIT
            _check_code(step, code, _title(path))
            if asked:
                study_file = Path(snakemake.input.get("study", ""))
                recorder = Recorder(asked, code, study_dir, study_file)
            yield asked.settings if asked else {}
            _check_code(step, code, _title(path))
            if asked:
                recorder.write()
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except MicroleakError as error:
        said = str(error)
    except Exception as error:
        said = unexpected(error)
    else:
        return
    # Any error from here on would be shown together with the one told of.
    _write_log(path, said)
    if not tell_display("fault", said=said):
        _print(said)
    raise SystemExit(1)


def _check_code(step: Step, code: str, title: str) -> None:
    """Refuse to vouch for other code than the run's."""
    if code_now(step) != code:
        raise StudyError(
            f"The code of {title} is not the run's: it was changed since, or "
            "other versions of packages are installed here. Run again with one code."
        )


def warn(said: str) -> None:
    """Say what whoever runs a job should know, and need not change."""
    if not tell_display("said", said=f"microleak: {said}"):
        _print(said)


def _print(said: str) -> None:
    print(f"microleak: {said}", file=sys.stderr)


def _write_log(path: Path, said: str) -> None:
    """Write a log whole, or leave none."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{said}\n", encoding="utf-8")
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)


def _title(log: Path) -> str:
    """Name the rule and what it works on, as in "ingest school_census 2018"."""
    return " ".join(log.with_suffix("").parts[3:])


def unexpected(error: Exception) -> str:
    """Say of which type an error is and where it was raised, never its message."""
    # Messages of pandas, Arrow and DuckDB may hold the content of a cell.
    kind = type(error).__name__
    if isinstance(error, ModuleNotFoundError) and error.name:
        return _(
            "there is no module {module}. Install it (pip install "
            "'microleak[pipeline]', or a plugin of Snakemake), then run again."
        ).format(module=error.name)
    if isinstance(error, OSError) and error.errno:
        kind = f"{kind}: {os.strerror(error.errno)}"
        if help_ := _TO_DO.get(error.errno):
            return f"{_place(error)} could not go on ({kind}). {help_}, then run again."
    return (
        f"{_place(error)} stopped at something unexpected ({kind}; its message is "
        "not shown, it may hold records). If memory and disk suffice, it is a fault "
        "of microleak: report it with this line."
    )


def _place(error: Exception) -> str:
    """Name module and line of the innermost frame that is microleak's own."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        frame
        for frame in frames
        if (path := Path(frame.filename)).is_relative_to(PACKAGE)
        and path.name not in _EDGE
    ]
    if not own:
        return "microleak"
    module = name_of(Path(own[-1].filename)).removesuffix(".py").replace("/", ".")
    return f"{module}:{own[-1].lineno}"
