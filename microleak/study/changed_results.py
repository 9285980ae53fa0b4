"""Results that are not those of the manifest, removed so that they are made anew."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from microleak.errors import VerificationError
from microleak.paths import MANIFEST
from microleak.study.crate import CRATE
from microleak.study.listing import is_file_of
from microleak.study.manifest_file import check_paths, sealed_content
from microleak.study.outputs import is_output
from microleak.study.steps import step_of
from microleak.study.workflow_code import CODE


def remove_changed(study_dir: Path) -> list[str]:
    """Delete results that are not those of the manifest, so that they are made anew.

    A folder of which a file was changed or is missing is deleted whole, as it is
    made whole. Without a manifest nothing is known and nothing is deleted; nor is
    what no rule makes, whatever the manifest lists.

    Returns
    -------
    list of str
        Paths of what was changed; the manifest alone if it is damaged.

    Raises
    ------
    VerificationError
        If the manifest lists what is not a file of the results, or where it should
        lie a link leads elsewhere or a folder stands; nothing is deleted then.
    """
    if not (study_dir / MANIFEST).exists():
        return []
    try:
        content = sealed_content(study_dir)
    except VerificationError:
        (study_dir / MANIFEST).unlink()
        return [MANIFEST]
    check_paths(study_dir, content)
    changed = _changed(study_dir, content)
    for path in changed:
        _check_place(study_dir, path)
    for path in changed:
        _remove(_made_whole(study_dir, path))
    if any(is_output(path, {CRATE, CODE}) for path in changed):
        (study_dir / MANIFEST).unlink()  # they are made with it
    return changed


def _changed(study_dir: Path, content: Mapping[str, Any]) -> list[str]:
    return sorted(
        listed["path"]
        for listed in content["outputs"]
        if step_of(listed["path"])
        and not is_file_of(study_dir, listed["path"], listed["sha256"])
    )


def _check_place(study_dir: Path, path: str) -> None:
    """Refuse to remove what is not the study's, or is more than what is listed."""
    made = _made_whole(study_dir, path)
    if not made.parent.resolve().is_relative_to(study_dir.resolve()):
        raise VerificationError(
            f"{study_dir / path} was changed, and a link leads to it from the results. "
            "Nothing was removed. Put a folder in the place of the link."
        )
    if made == study_dir / path and made.is_dir() and not made.is_symlink():
        raise VerificationError(
            f"{made} is a folder, and {MANIFEST} lists a file there. Nothing was "
            "removed. Move the folder out of the results."
        )


def _remove(made: Path) -> None:
    if made.is_dir() and not made.is_symlink():
        shutil.rmtree(made)
    else:
        made.unlink(missing_ok=True)


def _made_whole(study_dir: Path, path: str) -> Path:
    """Return the folder that a job makes with a file in it, or the file."""
    first, *rest = path.split("/")
    if first in ("report", CODE):
        return study_dir / first
    return study_dir / first / rest[0] if first == "figures" else study_dir / path
