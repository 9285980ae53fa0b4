"""Marks by which an archive that a twin made is known wherever it is copied."""

import zipfile
from collections.abc import Iterator
from pathlib import Path

from microleak.errors import ArchiveError
from microleak.sources.archive import is_zip
from microleak.sources.dbf_header import SYNTHETIC_BYTES, says_synthetic
from microleak.sources.definition import SourceDefinition
from microleak.sources.member import explained, is_note
from microleak.sources.months import is_of_release


def is_marked(path: Path, definition: SourceDefinition) -> bool:
    """Whether a twin made a release, as a note beside it or one of its tables says.

    Nothing is unpacked but the first bytes of a zip's tables: zips in a folder are
    looked into, zips in a zip are not. What is missing or damaged says nothing.

    Parameters
    ----------
    path
        Zip, folder or file, as `microleak.sources.archive.members` takes it.
    definition
        Which tables the release has. A note holds for all files of the folder or
        zip, at whatever depth it lies there.
    """
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
