"""What is refused, put right or warned of before a study's first job begins."""

import json
import os
import time
from collections import deque
from collections.abc import Generator, Sequence
from contextlib import closing
from gettext import gettext as _
from pathlib import Path

from microleak.base.errors import (
    ArchiveError,
    ColumnsError,
    StudyError,
    TableError,
    refused_in,
)
from microleak.base.files import write_text
from microleak.base.paths import MANIFEST
from microleak.families import FAMILIES
from microleak.family import load
from microleak.sources.files.archive import (
    NoMemberError,
    check_exists,
    is_zip,
    released_files,
)
from microleak.sources.files.copies import without_copies
from microleak.sources.files.header import attribute_or_archive, header
from microleak.sources.files.inspection import NOTHING, KnownFile
from microleak.sources.files.member import Member
from microleak.sources.formats.reader import check_end
from microleak.study.listing import first_few
from microleak.study_file.context import definition_of
from microleak.study_file.faults import places_of
from microleak.study_file.model import Study, Table
from microleak.study_file.yaml import read_yaml


def check_archives(study: Study, config: Path) -> None:
    """Refuse archives with which a job would fail, as far as that is seen at once."""
    # Of delimited text the header of the first member is read, in which attributes may
    # be misspelt, and where it is not packed its last byte. Archives that nobody uses
    # are only looked for.
    for table in study.tables.values():
        for release in table.releases.values():
            if release.archive:
                where = f"{config}: {table.name} {release.name}"
                _check_archive(Path(release.archive), where)
                wanted = study.attributes(table.name, release.name)
                if wanted:
                    _check_header(table, release.name, wanted, config)
        for pool, section in table.pools.items():
            of = ", ".join(section.releases)
            _check_parts(table, pool, f"{config}: pooled {pool!r} of {of}")


def _check_archive(archive: Path, where: str) -> None:
    if not archive.exists():
        said = _(
            "{where}: there is no archive {archive}. Correct archive, or run where it "
            "is."
        )
        raise ArchiveError(said, where=where, archive=archive)
    check_exists(archive)
    if archive.stat().st_mtime > time.time():
        raise ArchiveError(
            f"{where}: the archive {archive} is dated later than now, so what is made "
            "from it would seem out of date. Set its time (touch), or the clock."
        )


def _check_header(
    table: Table, release: str, wanted: Sequence[str], config: Path
) -> None:
    definition = definition_of(table, release)
    if definition.names or definition.is_dbf:
        return
    given = table.releases[release]
    known = KnownFile(given.sha256 is not None, given.n_rows is not None)
    archive = Path(given.archive or "")
    with closing(released_files(archive, definition)) as found:
        attributes = dict.fromkeys((*definition.identifiers, *wanted))
        first = next(found)
        try:
            names = header(first, definition, [*attributes], known)
        except ColumnsError as error:
            said = _("the attribute's name in {config} ({places}), or archive").format(
                config=config, places=_named(error.missing, config)
            )
            told = str(error).replace(attribute_or_archive(), said)
            raise TableError(told) from None
        file = archive / first.name if archive.is_dir() else archive
        is_there = file.name == first.name and file.is_file()
        is_itself = is_there and first.n_most is None and not is_zip(file)
        if is_itself and known == NOTHING:
            check_end(file, first, definition, len(names))


def _check_parts(table: Table, pool: str, where: str) -> None:
    def found() -> Generator[Member]:
        for release in table.origins(pool):
            if release.archive:
                definition = definition_of(table, release.name)
                yield from released_files(Path(release.archive), definition)

    try:
        deque(without_copies(found), maxlen=0)
    except NoMemberError:
        return  # the job says which files there should be
    except ArchiveError as error:
        raise ArchiveError(f"{where}: {error}") from None


def _named(attributes: Sequence[str], config: Path) -> str:
    content = read_yaml(config)
    named = ((name, places_of(name, content)) for name in attributes)
    return "; ".join(f"{name}: {first_few(places)}" for name, places in named)


STUDY_FILES = Path(".snakemake/microleak-files")
"""Where the last run of each study noted the path of its study file."""


def note_study_file(folder: Path, config: Path) -> None:
    """Note which study file makes the results in a folder, as seen from here."""
    write_text(STUDY_FILES / folder.name, os.path.relpath(config))


def check_study_of_results(folder: Path, config: Path) -> None:
    """Refuse to write over the results of another study file."""
    # Of results without a manifest, which every job removes, the note of a run tells
    # whose they are. A file of the same name, but of another folder, is another if it
    # is still there and differs, and so is any that only a note tells of.
    note = STUDY_FILES / folder.name
    known = folder / MANIFEST
    if not folder.exists():  # there is nothing to write over
        return
    try:
        name = json.loads(known.read_text(encoding="utf-8"))["config"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        name, known = config.name, note
    if name == config.name:
        if not note.is_file():
            return
        name = note.read_text(encoding="utf-8")
        other = Path(name)
        if not other.is_file() or other.samefile(config):
            return
        if other.read_bytes() == config.read_bytes():
            return
    said = _(
        "{config}: {folder} has the results of another study file, {name}. Give study "
        "another name or, if {name} was renamed or this is to take its place, remove "
        "{known}."
    )
    raise StudyError(said, config=config, folder=folder, name=name, known=known)


def check_memory(study: Study, config: Path, memory_mb: int) -> None:
    """Refuse analyses that take more memory than a job may use, as families tell."""
    for family in FAMILIES:
        for name, analysis in study.analyses[family.name].items():
            if family.check:
                with refused_in(f"{config}: analysis {name!r}"):
                    load(family.check)(analysis, memory_mb)


def bring_to_now(folder: Path) -> None:
    """Give files below a folder that are dated later than now the time it is now."""
    # Snakemake takes what is made from such a file to be older than it, and fails.
    # Links are left as they are.
    now = time.time()
    for path in folder.rglob("*"):
        if path.lstat().st_mtime > now and not path.is_symlink():
            os.utime(path, (now, now))
