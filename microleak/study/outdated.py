"""Which jobs of a study have to be done, and which files are its results."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microleak.base.digests import Digests
from microleak.base.errors import StudyError, count_of
from microleak.base.paths import CODE, RECORDS
from microleak.step import Job
from microleak.study.job_records import (
    PARTS,
    asked_of,
    files_given,
    files_read_by,
    hashed_rows,
    hashes_of,
    read_record,
    record_of,
    results_by_path,
    text_of,
)
from microleak.study.jobs import COLLECT
from microleak.study.listing import first_few
from microleak.study.steps import AUDIT, code_of, globs_of, jobs_of, steps_by_rule
from microleak.study_file.model import Study

NO_RECORD = "no record"
"""Why a job is stale that was not done yet, or of which nothing tells how."""


def asked_now(
    job: Job, study_dir: Path, study_file: Path, digests: Digests
) -> dict[str, Any]:
    inputs = hashed_rows(files_read_by(job, study_dir, study_file), digests)
    return {**asked_of(job, code_of(job.rule)), "inputs": inputs}


@dataclass
class Outdated:
    """The jobs that have to be done, as far as can be told before any is."""

    stale: dict[Job, str] = field(default_factory=dict)
    ready: list[Job] = field(default_factory=list)
    affected: list[Job] = field(default_factory=list)


def outdated_jobs(
    study: Study, study_dir: Path, study_file: Path, digests: Digests
) -> Outdated:
    """Compare the results and inputs of every job with its record."""
    look = _RecordsCompared(study_dir, study_file, digests)
    found = Outdated()
    for job in jobs_of(study):
        makers = [look.makers[path] for path in job.input_paths]
        reason = look.misfit(job)
        is_stale = bool(reason)
        for each in makers if is_stale else ():
            if id(each) not in look.affected and look.has_other_files(each):
                look.stale.add(id(each))
                look.affected.add(id(each))
                found.stale[each] = "changed files"
                found.ready.append(each)
                found.affected.append(each)
        is_affected = is_stale or any(id(each) in look.affected for each in makers)
        is_blocked = any(id(each) in look.blocking for each in makers)
        if is_stale:
            look.stale.add(id(job))
            found.stale[job] = reason
        if is_affected:
            look.affected.add(id(job))
            found.affected.append(job)
        if is_blocked or (is_affected and not is_stale):
            look.blocking.add(id(job))
        elif is_stale:
            found.ready.append(job)
    return found


class _RecordsCompared:
    def __init__(self, study_dir: Path, study_file: Path, digests: Digests) -> None:
        self._study_dir, self._study_file = study_dir, study_file
        self._digests = digests
        self._made: dict[str, dict[str, str]] = {}
        self.makers: dict[str, Job] = {}
        self.stale: set[int] = set()
        self.affected: set[int] = set()
        self.blocking: set[int] = set()

    def misfit(self, job: Job) -> str:
        """Say how a job's record differs from what is asked for and is there."""
        # Empty if it does not. What the job read of others that are stale themselves is
        # left open.
        record = read_record(self._study_dir, job)
        outputs = record.get("outputs", {})
        self.makers |= dict.fromkeys(job.outputs.values(), job)
        self._made |= {
            path: {name: sha for name, sha in outputs.items() if _is_in(name, path)}
            for path in job.outputs.values()
        }
        if not record:
            return NO_RECORD
        open_ = [p for p in job.input_paths if id(self.makers[p]) in self.stale]
        record["inputs"] = [
            row for row in record["inputs"] if not any(_is_in(row[1], p) for p in open_)
        ]
        expected = {
            **asked_of(job, code_of(job.rule)),
            "inputs": self._read_now(job, open_),
            "outputs": self._made_now(job, outputs),
        }
        # As text, in which the order of settings counts, as it may for results.
        others = [p for p in PARTS if text_of(record[p]) != text_of(expected[p])]
        if "outputs" in others:
            return "changed results"
        return f"other {' and '.join(others)}" if others else ""

    def has_other_files(self, job: Job) -> bool:
        """Say whether files that a job fetched are not as the list of them says."""
        # Its one result is the list; the files are hashed where they are to be read.
        if job.rule != COLLECT.rule:
            return False
        listed = self._study_dir / job.outputs["complete"]
        lines = listed.read_text("utf-8").splitlines() if listed.exists() else ()
        sums = (line.split("  ", 1) for line in lines)
        return any(self._digests.of(listed.parent / name) != sha for sha, name in sums)

    def _read_now(self, job: Job, open_: Sequence[str]) -> list[list[str | None]]:
        rows = hashed_rows(files_given(job, self._study_file), self._digests)
        made: list[list[str | None]] = [
            [name, file, sha]
            for name, path in job.reads
            if path not in open_
            for file, sha in self._made[path].items()
            if job.counts(file)
        ]
        return made + rows

    def _made_now(self, job: Job, recorded: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the hashes of results; a link is none, and so is a missing one."""
        # What was fetched or made may be gone: who needs it makes it again.
        files = results_by_path(self._study_dir, job.outputs.values())
        if job.is_raw and not any(file.exists() for file in files.values()):
            return recorded
        found = {n: file for n, file in files.items() if not file.is_symlink()}
        return hashes_of(found, self._digests)


def _is_in(name: str, path: str) -> bool:
    """Say whether a file is a result, or lies in one that is a folder."""
    return name == path or (path.endswith("/") and name.startswith(path))


def refuse_outdated(
    study: Study, study_dir: Path, study_file: Path, digests: Digests
) -> None:
    """Refuse results that their study file, code and inputs do not make."""
    stale = outdated_jobs(study, study_dir, study_file, digests).stale
    if stale:
        named = first_few([f"{job.title}: {why}" for job, why in stale.items()])
        raise StudyError(
            f"The results of {count_of(len(stale), 'step')} in {study_dir} are not "
            f"those of this study file, these inputs and this code ({named}). Make "
            "them again with microleak run and the study file."
        )


OF_AUDIT = frozenset(AUDIT.makes.values())
# What of a folder's files is known to be a result; it could be somebody's own
_FOLDERS = {"figures/*/*": ("figures/*/*.svg", "figures/*/.snakemake_timestamp")}

_RESULTS = (
    *(
        each
        for step in steps_by_rule().values()
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
    """Say whether a path is one of the outputs, or lies in one that is a folder."""
    folders = (parent.as_posix() for parent in Path(path).parents)
    return path in outputs or any(folder in outputs for folder in folders)


def remove_leftovers(study_dir: Path, outputs: Collection[str]) -> None:
    """Remove results of analyses and releases that the study does not have any more."""
    # They are known by where they lie and how they end; any other file, logs,
    # benchmarks and raw files stay. Folders that become empty go as well.
    patterns = (each for each in _RESULTS if not each.startswith("raw/"))
    found = (path for each in patterns for path in sorted(study_dir.glob(each)))
    for path in found:
        if path.is_file() and not is_output(
            path.relative_to(study_dir).as_posix(), outputs
        ):
            path.unlink()
            folder = path.parent
            while folder != study_dir and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent
