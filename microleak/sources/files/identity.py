"""What an archive is: name, size and hash, and the marks of one that a twin made."""

import hashlib
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from microleak.base.digests import State, state_of
from microleak.base.errors import ArchiveError, MicroleakError, StudyError
from microleak.base.files import sha256_of
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.files.archive import check_exists, files_read, is_zip, members
from microleak.sources.files.member import explained, is_note
from microleak.sources.files.months import is_of_release
from microleak.sources.formats.dbf import SYNTHETIC_BYTES, says_synthetic


@dataclass(frozen=True)
class Seal:
    """An archive's name, SHA-256 and bytes; of a folder, those of its members."""

    archive: str
    sha256: str
    bytes: int
    members: Mapping[str, str] = field(default_factory=dict, compare=False)


@contextmanager
def unchanged(path: Path, pattern: str) -> Iterator[None]:
    """Refuse an archive that is changed while it is read, also in place of an error."""
    before = _states(path, pattern)
    try:
        yield
    except MicroleakError as error:
        if _states(path, pattern) == before:
            raise
        raise _changed(path) from error
    if _states(path, pattern) != before:
        raise _changed(path)


def _states(path: Path, pattern: str) -> dict[Path, State | None]:
    return {file: state_of(file) for file in files_read(path, pattern)}


def _changed(path: Path) -> ArchiveError:
    return ArchiveError(
        f"{path.name} was changed while it was read. Wait until nothing writes to it, "
        "and run again."
    )


def sealed(path: Path, pattern: str, sha256: str | None) -> Seal:
    """Seal of an archive, checked against the hash that the study names."""
    # A folder's hash is that of its members' list, as `sha256sum` prints it: for each,
    # in the order of `microleak.sources.files.archive.members`, the hash, two blanks,
    # the name and a line feed. Its bytes are those of the members.
    check_exists(path)
    if path.is_dir():
        if sha256 is not None:
            raise StudyError(
                f"{path.name} is a folder, which has no SHA-256 of its own. Remove "
                "sha256 under releases in the study file, or set archive to a file."
            )
        with unchanged(path, pattern):
            return _of_folder(path, pattern)
    with unchanged(path, pattern), explained(path.name):
        found = sha256_of(path)
    if sha256 is not None and found != sha256.lower():
        raise ArchiveError(
            f"{path.name} has SHA-256 {found}, expected {sha256.lower()}. Fetch the "
            "release again, or correct sha256 under releases in the study file."
        )
    return Seal(path.name, found, path.stat().st_size)


def _of_folder(path: Path, pattern: str) -> Seal:
    lines = hashlib.sha256()
    n_bytes = 0
    digests: dict[str, str] = {}
    for member in members(path, pattern):
        digest = hashlib.sha256()
        with member.open(as_released=True) as file:
            while data := file.read(1 << 20):
                digest.update(data)
                n_bytes += len(data)
        digests[member.name] = digest.hexdigest()
        line = f"{digests[member.name]}  {member.name}\n"
        lines.update(line.encode(errors="surrogateescape"))
    return Seal(path.name, lines.hexdigest(), n_bytes, digests)


def is_marked(path: Path, definition: SourceDefinition) -> bool:
    """Whether a twin made a release, as a note beside it or one of its tables says."""
    # Nothing is unpacked but the first bytes of a zip's tables: zips in a folder are
    # looked into, zips in a zip are not. What is missing or damaged says nothing.
    if path.is_dir():
        files = (file for file in path.rglob("*") if file.is_file())
        return any(_is_marked_file(file, definition) for file in files)
    return path.is_file() and _is_marked_file(path, definition)


def _is_marked_file(file: Path, definition: SourceDefinition) -> bool:
    if is_note(file.name):
        return True
    try:
        with explained(file.name):
            if _is_table(file.name, definition):
                with file.open("rb") as raw:
                    return says_synthetic(raw.read(SYNTHETIC_BYTES))
            return is_zip(file) and any(_marks_in(file, definition))
    except ArchiveError:
        return False


def _marks_in(path: Path, definition: SourceDefinition) -> Iterator[bool]:
    """Of each file of a zip, whether it is a mark."""
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            name = entry.filename.rpartition("/")[2]
            yield is_note(name)
            if _is_table(name, definition):
                with archive.open(entry) as raw:
                    yield says_synthetic(raw.read(SYNTHETIC_BYTES))


def _is_table(name: str, definition: SourceDefinition) -> bool:
    return definition.is_dbf and is_of_release(name, definition)
