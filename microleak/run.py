"""Runs a study's rules with Snakemake, one run of a study at a time."""

import fcntl
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from microleak.errors import ArchiveError, StudyError
from microleak.study.config import load_study
from microleak.study.model import Study
from microleak.study.paths import ROOT

LOCKS = Path(".snakemake/locks")


def run(config: Path, words: Sequence[str]) -> int:
    """Run a study in the working folder; return Snakemake's exit status.

    Raises
    ------
    StudyError
        If the study file is wrong, the study is running, or an earlier run was
        stopped before it could tidy up.
    ArchiveError
        If a release's archive is not there.
    """
    study = _checked(config)
    with _only_run(study):
        if LOCKS.is_dir() and any(LOCKS.iterdir()):
            raise StudyError(
                "An earlier run was stopped at work. "
                f"To go on where it stopped: microleak resume {config}"
            )
        return _snakemake(study, config, words)


def resume(config: Path, words: Sequence[str]) -> int:
    """Go on with a run that was stopped in any way; the results are the same.

    Raises as `run` does, but not for the earlier run.
    """
    study = _checked(config)
    with _only_run(study):
        _sweep(Path("results") / study.name)
        _call(config, ["--unlock", "--quiet", "all"])
        return _snakemake(study, config, words)


def _checked(config: Path) -> Study:
    study = load_study(config)
    for table in study.tables.values():
        for release in table.releases.values():
            if release.archive and not Path(release.archive).exists():
                raise ArchiveError(
                    f"{config}: {table.name} {release.name}: there is no archive "
                    f"{release.archive}. Correct archive, or run where it is."
                )
    return study


@contextmanager
def _only_run(study: Study) -> Iterator[IO[str]]:
    """Hold the study's lock, which the system frees however this process ends."""
    folder = Path("results") / study.name
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StudyError(
                f"The study {study.name} is running in another process. "
                "Wait for it, or stop it first."
            ) from None
        yield lock


def _sweep(folder: Path) -> None:
    """Remove what jobs that were killed had not finished; it holds records."""
    for unfinished in folder.rglob(".*.*/"):
        shutil.rmtree(unfinished, ignore_errors=True)


def _snakemake(study: Study, config: Path, words: Sequence[str]) -> int:
    logs = Path("results") / study.name / "logs"
    for log in logs.rglob("*.log"):
        log.unlink()
    status = _call(config, ["--rerun-incomplete", *words])
    for log in sorted(logs.rglob("*.log")):
        if said := log.read_text(encoding="utf-8").strip():
            print(f"microleak: {said}", file=sys.stderr)
    page = logs.parent / "report" / "index.html"
    if status == 0 and page.exists():
        print(f"microleak: the report is {page}", file=sys.stderr)
    return status


def _call(config: Path, words: Sequence[str]) -> int:
    command = [
        sys.executable,
        "-m",
        "snakemake",
        "--snakefile",
        str(ROOT / "Snakefile"),
    ]
    return subprocess.call([*command, "--configfile", str(config), *words])
