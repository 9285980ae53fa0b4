"""What made each result: a record of every job, and which jobs have to be done.

A record is the only thing that a run trusts. It lies beside the results, has neither
time nor place in it, and is written when its job has succeeded; so it holds in a copy,
a backup and without Snakemake's own state. What has no record, or differs from it, is
made again; what is the same by content is not.
"""

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from microleak.base.digests import Digests, state_of
from microleak.base.errors import StudyError, count_of
from microleak.base.files import sha256_of, write_text
from microleak.base.paths import CODE
from microleak.family import Job
from microleak.sources.files.archive import files_read
from microleak.study.jobs import COLLECT
from microleak.study.listing import files_in, first_few
from microleak.study.steps import AUDIT, code_of, globs_of, jobs_of, steps_by_rule
from microleak.study_file.model import Study

RECORDS = "records"
"""Folder of the records, below a study's results."""

DUE = "MICROLEAK_DUE"
"""Where a run decides by records what Snakemake has to make, the file of these jobs."""

NO_RECORD = "no record"
"""Why a job is stale that was not done yet, or has no record of how."""


def study_read(path: Path) -> str:
    """Name the variable in which jobs get the SHA-256 of a study file as first read.

    Each file has its own: a workflow may have several modules.
    """
    return f"MICROLEAK_STUDY_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"


def record_of(job: Job) -> str:
    """Return where a job's record lies, below the study's folder.

    >>> from microleak.family import Step
    >>> record_of(Step("join", {}).job({"table": "t", "focal": "2018"}))
    'records/join/t/2018.json'
    """
    return "/".join((RECORDS, job.rule, *job.names.values())) + ".json"


def check_study_file(path: Path) -> None:
    """Refuse a study file that another job of the same run has read otherwise."""
    found = sha256_of(path)
    if os.environ.setdefault(study_read(path), found) != found:
        raise StudyError(
            f"{path} was changed while the study ran. Its results would be of both "
            "files: run it again."
        )


class Recorder:
    """Notes what a job reads before it begins, and writes its record at the end."""

    def __init__(self, job: Job, code: str, study_dir: Path, study_file: Path) -> None:
        """Take the state of all that the job reads, the study file if it does."""
        self._job, self._code, self._study_dir = job, code, study_dir
        self._read = _files_read(job, study_dir, study_file)
        self._before = {path: state_of(path) for *_, path in self._read}

    def write(self) -> None:
        """Write the record of a job that has succeeded."""
        taken, digests = _hashes_when_read(self._job, self._study_dir), Digests()
        inputs = [[n, c, taken.get(p) or digests.of(p)] for n, c, p in self._read]
        changed = [
            str(path) for path, state in self._before.items() if state_of(path) != state
        ]
        if changed:
            raise StudyError(
                f"{first_few(changed)}: changed while it was read by "
                f"{self._job.title}. Let nothing write to it, and run again."
            )
        made = _result_files(self._study_dir, self._job.outputs.values())
        record = {
            **asked_of(self._job, self._code),
            "inputs": inputs,
            "outputs": _file_hashes(made, digests),
        }
        write_text(self._study_dir / record_of(self._job), text_of(record))


def _hashes_when_read(job: Job, study_dir: Path) -> dict[Path, str]:
    """Return the hashes of an archive's files that a job took when it read them."""
    if job.archive is None or "receipt" not in job.outputs:
        return {}
    told = json.loads((study_dir / job.outputs["receipt"]).read_text("utf-8"))
    archive = Path(job.archive.path)
    if archive.is_file():
        return {archive: told["sha256"]}
    members = (member for member in told["members"] if "sha256" in member)
    return {archive / member["name"]: member["sha256"] for member in members}


def archive_rows(job: Job) -> list[list[str | None]]:
    """Return what a record should say of the files of the archive that a job reads."""
    return _input_rows(_archive_files(job), Digests())


def asked_now(
    job: Job, study_dir: Path, study_file: Path, digests: Digests
) -> dict[str, Any]:
    """Return what a record of a job would say now of all but its results."""
    inputs = _input_rows(_files_read(job, study_dir, study_file), digests)
    return {**asked_of(job, code_of(job.rule)), "inputs": inputs}


def text_of(record: Any) -> str:
    return json.dumps(record, indent=2, ensure_ascii=False) + "\n"


def due_jobs() -> frozenset[str] | None:
    """Return the titles of the jobs that a run asks for; None without such a run."""
    file = os.environ.get(DUE)
    return (
        None if file is None else frozenset(Path(file).read_text("utf-8").split("\n"))
    )


PARTS = {"rule": str, "code": str, "settings": dict, "inputs": list, "outputs": dict}
"""What a record has, in its order, and what each part is in JSON."""


def read_record(study_dir: Path, job: Job) -> dict[str, Any]:
    """Return a job's record; empty if there is none, or not as a job writes it."""
    try:
        return parse_record((study_dir / record_of(job)).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def parse_record(text: str) -> dict[str, Any]:
    """Return a record; empty if a text is none, or not as a job writes it."""
    try:
        found: dict[str, Any] = json.loads(text)
        is_whole = {n: type(each) for n, each in found.items()} == PARTS
        is_whole = is_whole and all(map(_is_row, found["inputs"]))
    except (ValueError, AttributeError):
        return {}
    return found if is_whole and text == text_of(found) else {}


def _is_row(given: Any) -> bool:
    is_triple = isinstance(given, list) and len(given) == 3
    return is_triple and all(isinstance(each, str) for each in given[:2])


def asked_of(job: Job, code: str) -> dict[str, Any]:
    """Return what a record says of rule, settings and code."""
    settings = dict(job.settings)
    if "url" in settings:  # it may hold a password
        settings["url"] = hashlib.sha256(settings["url"].encode()).hexdigest()
    return {
        "rule": job.rule,
        "code": code,
        "settings": json.loads(json.dumps(settings)),
    }


_Read = tuple[str, str, Path]
"""What the rule calls an input, what its record calls the file, and where it is."""


def _result_files(study_dir: Path, paths: Iterable[str]) -> dict[str, Path]:
    """Return results by their paths below the study's folder, those in folders too."""
    return {
        file: study_dir / file for path in paths for file in files_in(study_dir, path)
    }


def _files_read(job: Job, study_dir: Path, study_file: Path) -> list[_Read]:
    """Return all that a job reads: results first, and then what it is given."""
    made = (
        (name, file, study_dir / file)
        for name, path in job.reads
        for file in filter(job.counts, files_in(study_dir, path))
    )
    return [*made, *_files_given(job, study_file)]


def _files_given(job: Job, study_file: Path) -> Iterator[_Read]:
    """Yield what a job reads that no job makes, wherever it lies."""
    yield from _archive_files(job)
    if job.reads_study:
        yield "study", "study file", study_file


def _archive_files(job: Job) -> Iterator[_Read]:
    if job.archive:
        archive = Path(job.archive.path)
        for file in files_read(archive, job.archive.members):
            name = file.relative_to(archive.parent).as_posix()
            yield "archive", f"archive {name}", file


def _input_rows(files: Iterable[_Read], digests: Digests) -> list[list[str | None]]:
    return [[name, called, digests.of(path)] for name, called, path in files]


def _file_hashes(files: Mapping[str, Path], digests: Digests) -> dict[str, str | None]:
    return {name: digests.of(path) for name, path in files.items()}


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
    """What is known of the jobs looked at so far."""

    def __init__(self, study_dir: Path, study_file: Path, digests: Digests) -> None:
        self._study_dir, self._study_file = study_dir, study_file
        self._digests = digests
        self._made: dict[str, dict[str, str]] = {}
        self.makers: dict[str, Job] = {}
        self.stale: set[int] = set()
        self.affected: set[int] = set()
        self.blocking: set[int] = set()

    def misfit(self, job: Job) -> str:
        """Return how a job's record differs from what is asked for and is there.

        Empty if it does not. What the job read of others that are stale themselves is
        left open.
        """
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
        """Whether files that a job fetched are not as the list of them says."""
        if job.rule != COLLECT.rule:
            return False
        listed = self._study_dir / job.outputs["complete"]
        lines = listed.read_text("utf-8").splitlines() if listed.exists() else ()
        sums = (line.split("  ", 1) for line in lines)
        return any(self._digests.of(listed.parent / name) != sha for sha, name in sums)

    def _read_now(self, job: Job, open_: Sequence[str]) -> list[list[str | None]]:
        rows = _input_rows(_files_given(job, self._study_file), self._digests)
        made: list[list[str | None]] = [
            [name, file, sha]
            for name, path in job.reads
            if path not in open_
            for file, sha in self._made[path].items()
            if job.counts(file)
        ]
        return made + rows

    def _made_now(self, job: Job, recorded: Mapping[str, str]) -> Mapping[str, Any]:
        """Return the hashes of results; a link is none, and so is a missing one.

        What was fetched or made may be gone: who needs it makes it again.
        """
        files = _result_files(self._study_dir, job.outputs.values())
        if job.is_raw and not any(file.exists() for file in files.values()):
            return recorded
        found = {n: file for n, file in files.items() if not file.is_symlink()}
        return _file_hashes(found, self._digests)


def _is_in(name: str, path: str) -> bool:
    """Whether a file is a result, or lies in one that is a folder."""
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

_FOLDERS = {"figures/*/*": ("figures/*/*.svg", "figures/*/.snakemake_timestamp")}
"""What of a folder's files is known to be a result; it could be somebody's own."""

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
    """Whether a path is one of the outputs, or lies in one that is a folder.

    >>> is_output("report/data/a.csv", {"report"}), is_output("reports", {"report"})
    (True, False)
    """
    folders = (parent.as_posix() for parent in Path(path).parents)
    return path in outputs or any(folder in outputs for folder in folders)


def remove_leftovers(study_dir: Path, outputs: Collection[str]) -> None:
    """Remove results of analyses and releases that the study does not have any more."""
    for path in _result_files_found(study_dir):
        if not is_output(path.relative_to(study_dir).as_posix(), outputs):
            path.unlink()
            folder = path.parent
            while folder != study_dir and not any(folder.iterdir()):
                folder.rmdir()
                folder = folder.parent


def _result_files_found(study_dir: Path) -> Iterator[Path]:
    """Yield every file that has the place and ending of a result."""
    for pattern in _RESULTS:
        if not pattern.startswith("raw/"):
            found = sorted(study_dir.glob(pattern))
            yield from (path for path in found if path.is_file())
