"""Which results the rules make for a study, and removal of those of an earlier one."""

from collections.abc import Collection, Iterator
from pathlib import Path

from microleak.base.paths import CODE
from microleak.study.job_records import RECORDS, record_of
from microleak.study.steps import AUDIT, globs_of, jobs_of, steps
from microleak.study_file.model import Study

OF_AUDIT = frozenset(AUDIT.makes.values())
OF_STUDY = frozenset(
    path.rstrip("/")
    for step in steps().values()
    for path in step.makes.values()
    if step.is_of_study and path not in OF_AUDIT
)
"""Results of a whole study but those that stand beside its manifest."""

_FOLDERS = {"figures/*/*": ("figures/*/*.svg", "figures/*/.snakemake_timestamp")}
"""What of a folder's files is known to be a result; it could be somebody's own."""

_RESULTS = (
    *(
        each
        for step in steps().values()
        for glob in globs_of(step)
        for each in _FOLDERS.get(glob, (glob,))
    ),
    f"{RECORDS}/**/*.json",
)


def outputs_of(study: Study) -> frozenset[str]:
    """Return the results of a study, files and folders, and the records of its jobs."""
    return results_of(study).union(map(record_of, jobs_of(study)))


def results_of(study: Study) -> frozenset[str]:
    """Return the results of a study that Snakemake knows, but for its manifest."""
    jobs = jobs_of(study)
    made = {p for job in jobs if not job.is_raw for p in job.outputs.values()}
    return frozenset(path.rstrip("/") for path in OF_AUDIT | made) - {CODE}


def is_output(path: str, outputs: Collection[str]) -> bool:
    """Say whether a path is one of the outputs, or lies in one that is a folder.

    >>> is_output("report/data/a.csv", {"report"}), is_output("reports", {"report"})
    (True, False)
    """
    folders = (parent.as_posix() for parent in Path(path).parents)
    return path in outputs or any(folder in outputs for folder in folders)


def remove_leftovers(study_dir: Path, outputs: Collection[str]) -> None:
    """Remove results of analyses and releases that the study does not have any more.

    They are known by where they lie and how they end; any other file, logs,
    benchmarks and raw files stay. Folders that become empty go as well.
    """
    for path in _results(study_dir):
        if not is_output(path.relative_to(study_dir).as_posix(), outputs):
            path.unlink()
            _remove_empty(path.parent, study_dir)


def _remove_empty(folder: Path, study_dir: Path) -> None:
    """Remove a folder below the study's that has nothing in it, and then its own."""
    while folder != study_dir and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _results(study_dir: Path) -> Iterator[Path]:
    """Yield every file that has the place and ending of a result."""
    for pattern in _RESULTS:
        if not pattern.startswith("raw/"):
            found = sorted(study_dir.glob(pattern))
            yield from (path for path in found if path.is_file())
