"""A part of a study's results made again elsewhere, from the same inputs, and compared.

What the part stands on is linked into a folder of its own, where the results of the
part are missing; so Snakemake makes these and touches nothing of the study's.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from microleak.errors import ArchiveError, StudyError, VerificationError
from microleak.files import sha256_of
from microleak.sources.definition import source_definition
from microleak.sources.seal import sealed
from microleak.study.fingerprint import PACKAGES, package_fingerprint, versions
from microleak.study.listing import files_of
from microleak.study.model import Release, Study
from microleak.study.outputs import is_output
from microleak.study.parts import Part


def check_archives(study: Study, again: Part, manifest: Mapping[str, Any]) -> None:
    """Refuse archives that are not those that the results were made from.

    Those of other releases may be missing, unless they tell that a twin made them.

    Raises
    ------
    ArchiveError
        If one is missing, or its SHA-256 is not that of the release's receipt.
    """
    for table, name in study.used:
        release = study.tables[table].releases[name]
        receipt = manifest["inputs"][f"tables/{table}/{name}.json"]
        if release.archive and (table, name) in again.releases:
            _check_archive(study, table, release, receipt["sha256"])
        elif release.archive and manifest["synthetic"]:
            _check_there(f"{table} {name}", Path(release.archive))


def _check_archive(study: Study, table: str, release: Release, sha256: str) -> None:
    archive = Path(str(release.archive))
    _check_there(f"{table} {release.name}", archive)
    given = study.tables[table]
    pattern = source_definition(given.source, release.name, given.options).members
    found = sealed(archive, pattern, None).sha256
    if found != sha256:
        raise ArchiveError(
            f"{table} {release.name}: {archive} has SHA-256 {found}, and what the "
            f"results were made from {sha256}. Correct archive, or put that file there."
        )


def _check_there(release: str, archive: Path) -> None:
    if not archive.exists():
        raise ArchiveError(
            f"{release}: there is no archive {archive}. Run where it is."
        )


def check_study_file(config: Path, manifest: Mapping[str, Any]) -> None:
    """Refuse a study file that is not the one of the results.

    Raises
    ------
    StudyError
        If it is missing or has another SHA-256.
    """
    if not config.is_file():
        raise StudyError(f"There is no study file {config}. Give it by --config.")
    if sha256_of(config) != manifest["config"]["sha256"]:
        raise StudyError(
            f"{config} is not the study file that the results were made with: its "
            "SHA-256 is not that of the manifest. Give that one by --config."
        )


def prepare(folder: Path, study_dir: Path, study: Study, config: Path) -> Path:
    """Make a working folder below `folder` with study file and archives; return it.

    An archive that the study file gives by a relative path is a link at that path.
    """
    archives = [
        os.path.normpath(release.archive)
        for table in study.tables.values()
        for release in table.releases.values()
        if release.archive and not Path(release.archive).is_absolute()
    ]
    n_up = max((Path(path).parts.count("..") for path in archives), default=0)
    work = folder.joinpath("work", *["below"] * n_up)
    work.mkdir(parents=True)
    shutil.copyfile(config, work / config.name)
    for path in dict.fromkeys(archives):
        _link(Path(os.path.normpath(work / path)), Path(path))
    _link_raw(work / "results" / study.name, study_dir)
    return work


def _link_raw(results: Path, study_dir: Path) -> None:
    """Link each file that was fetched or made: what is new is not put beside them."""
    for file in sorted((study_dir / "raw").rglob("*")):
        if file.is_file():
            _link(results / file.relative_to(study_dir), file)


def link_results(
    results: Path, study_dir: Path, paths: Iterable[str], again: Part
) -> None:
    """Link the results that a part may stand on, those of other parts."""
    for path in paths:
        if not is_output(path, again.outputs):
            _link(results / path, study_dir / path)


def _link(link: Path, target: Path) -> None:
    link.parent.mkdir(parents=True, exist_ok=True)
    if target.exists() and not link.exists():
        link.symlink_to(target.resolve())


def check_same(
    results: Path, again: Part, manifest: Mapping[str, Any], named: str
) -> int:
    """Compare what was made again with what the manifest lists; return how many files.

    Parameters
    ----------
    results
        Where they were made.
    again
        What was made.
    manifest
        Content of the study's manifest.
    named
        The parts, as they were asked for.

    Raises
    ------
    VerificationError
        If files differ, are missing or are more than were listed; all are named.
    """
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    before = {path: listed[path] for path in listed if is_output(path, again.outputs)}
    after = {
        path: sha256_of(results / path)
        for path in files_of(results)
        if is_output(path, again.outputs)
    }
    differ = [p for p in sorted({*before, *after}) if before.get(p) != after.get(p)]
    if differ:
        raise VerificationError(
            f"{named}: {len(differ)} of {len(before)} files differ when they are made "
            f"again ({', '.join(differ)}). {_other_code(manifest)}"
        )
    return len(before)


def _other_code(manifest: Mapping[str, Any]) -> str:
    """Say what of code and versions is not that of the manifest."""
    now = versions((*PACKAGES, "snakemake"))
    other = [
        f"{name} {version}, now {now[name]}"
        for name, version in manifest["versions"].items()
        if now.get(name) != version
    ]
    if manifest["code"]["fingerprint"] != package_fingerprint():
        other.insert(0, f"another microleak {manifest['code']['microleak']}")
    if not other:
        return "Code and versions are those of the manifest."
    return f"The results were made by {'; '.join(other)}."
