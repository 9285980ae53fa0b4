"""What is refused, or put right, before a study's first job begins."""

import json
import os
import time
from contextlib import closing
from importlib import import_module
from pathlib import Path

from microleak.errors import ArchiveError, StudyError
from microleak.paths import MANIFEST
from microleak.sources.archive import check_exists, members
from microleak.sources.header import header
from microleak.study.analyses import definition_of
from microleak.study.model import Study, Table
from microleak.study.where import refused_in


def check_archives(study: Study, config: Path) -> None:
    """Refuse archives with which a job would fail, as far as that is seen at once.

    Of delimited text the header of the first member is read, in which attributes may
    be misspelt. Archives that nobody uses are only looked for.

    Parameters
    ----------
    study
        The study.
    config
        Its file, for messages.

    Raises
    ------
    ArchiveError
        If an archive is not there, dated later than now, damaged or without members.
    TableError
        If the header cannot be read, or lacks an attribute.
    """
    for table in study.tables.values():
        for release in table.releases.values():
            if release.archive:
                where = f"{config}: {table.name} {release.name}"
                _check_archive(Path(release.archive), where)
                wanted = study.attributes(table.name, release.name)
                if wanted:
                    _check_header(table, release.name, wanted)


def _check_archive(archive: Path, where: str) -> None:
    if not archive.exists():
        raise ArchiveError(
            f"{where}: there is no archive {archive}. Correct archive, or run where "
            "it is."
        )
    check_exists(archive)
    if archive.stat().st_mtime > time.time():
        raise ArchiveError(
            f"{where}: the archive {archive} is dated later than now, so what is made "
            "from it would seem out of date. Set its time (touch), or the clock."
        )


def _check_header(table: Table, release: str, wanted: tuple[str, ...]) -> None:
    definition = definition_of(table, release)
    if definition.names or definition.is_dbf:
        return
    archive = Path(table.releases[release].archive or "")
    with closing(members(archive, definition.members)) as found:
        attributes = dict.fromkeys((*definition.identifiers, *wanted))
        header(next(found), definition, [*attributes])


def check_study_of_results(folder: Path, config: Path) -> None:
    """Refuse to write over the results of another study file, by its name.

    Results without a manifest, which every job removes, are not known by any.

    Raises
    ------
    StudyError
        If the manifest in the folder names another study file.
    """
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
        name = json.loads(text)["config"]["name"]
    except (OSError, ValueError, KeyError, TypeError):
        return
    if name != config.name:
        raise StudyError(
            f"{config}: {folder} has the results of another study file, {name}. Give "
            f"study another name or, if {name} was renamed, remove {folder / MANIFEST}."
        )


def check_memory(study: Study, config: Path, memory_mb: int) -> None:
    """Refuse reconstruction analyses that take more memory than a job may use.

    What the module loads has a compiler with it, so it waits for a study that needs it.

    Parameters
    ----------
    study
        The study.
    config
        Its file, for messages.
    memory_mb
        MB of 10**6 bytes that a job may use.

    Raises
    ------
    StudyError
        If one does, by file and analysis.
    """
    for name, analysis in study.reconstruction.items():
        of_analysis = import_module("microleak.study.reconstruction_memory")
        with refused_in(f"{config}: analysis {name!r}"):
            of_analysis.check_memory_of(analysis, memory_mb)


def bring_to_now(folder: Path) -> None:
    """Give files below a folder that are dated later than now the time it is now.

    Snakemake takes what is made from such a file to be older than it, and fails.
    Links are left as they are.
    """
    now = time.time()
    for path in folder.rglob("*"):
        if path.lstat().st_mtime > now and not path.is_symlink():
            os.utime(path, (now, now))
