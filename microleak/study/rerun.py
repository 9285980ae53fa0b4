"""A part of a study's results made again elsewhere, from the same inputs, and compared.

What the part stands on is linked into a folder of its own, where the results of the
part are missing; so Snakemake makes these and touches nothing of the study's.
"""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from microleak.errors import VerificationError
from microleak.files import sha256_of
from microleak.study.fingerprint import PACKAGES, code_fingerprint, versions
from microleak.study.listing import files_of
from microleak.study.model import Study
from microleak.study.outputs import is_output
from microleak.study.parts import Part


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
    if manifest["code"]["fingerprint"] != code_fingerprint():
        other.insert(0, f"another microleak {manifest['code']['microleak']}")
    if not other:
        return "Code and versions are those of the manifest."
    return f"The results were made by {'; '.join(other)}."
