"""What made each result: a record of every job.

A record is the only thing that a run trusts. It lies beside the results, has neither
time nor place in it, and is written when its job has succeeded; so it holds in a copy,
a backup and without Snakemake's own state. What has no record, or differs from it, is
made again; what is the same by content is not.
"""

import hashlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from microleak.base.digests import Digests, state_of
from microleak.base.errors import StudyError
from microleak.base.files import sha256_of, write_text
from microleak.base.paths import RECORDS
from microleak.sources.files.archive import files_read
from microleak.step import Job
from microleak.study.listing import files_in, first_few

# Where a run decides by records what Snakemake has to make, the file of these jobs
DUE = "MICROLEAK_DUE"


def study_read(path: Path) -> str:
    """Name the variable in which jobs get the SHA-256 of a study file as first read."""
    # Each file has its own: a workflow may have several modules.
    return f"MICROLEAK_STUDY_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"


def record_of(job: Job) -> str:
    """Return where a job's record lies, below the study's folder."""
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
        self._read = files_read_by(job, study_dir, study_file)
        self._before = {path: state_of(path) for *_, path in self._read}

    def write(self) -> None:
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
        made = results_by_path(self._study_dir, self._job.outputs.values())
        record = {
            **asked_of(self._job, self._code),
            "inputs": inputs,
            "outputs": hashes_of(made, digests),
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
    return hashed_rows(_archive_files(job), Digests())


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


def results_by_path(study_dir: Path, paths: Iterable[str]) -> dict[str, Path]:
    """Return results by their paths below the study's folder, those in folders too."""
    return {
        file: study_dir / file for path in paths for file in files_in(study_dir, path)
    }


def files_read_by(job: Job, study_dir: Path, study_file: Path) -> list[_Read]:
    """Return all that a job reads: results first, and then what it is given."""
    made = (
        (name, file, study_dir / file)
        for name, path in job.reads
        for file in filter(job.counts, files_in(study_dir, path))
    )
    return [*made, *files_given(job, study_file)]


def files_given(job: Job, study_file: Path) -> Iterator[_Read]:
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


def hashed_rows(files: Iterable[_Read], digests: Digests) -> list[list[str | None]]:
    return [[name, called, digests.of(path)] for name, called, path in files]


def hashes_of(files: Mapping[str, Path], digests: Digests) -> dict[str, str | None]:
    return {name: digests.of(path) for name, path in files.items()}
