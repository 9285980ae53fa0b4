"""The text of a manifest: sealed, read, and refused where its paths lead elsewhere."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from microleak.base.errors import VerificationError
from microleak.base.locks import is_running
from microleak.base.paths import MANIFEST
from microleak.study.job_records import RECORDS
from microleak.study.listing import UNLISTED
from microleak.study.steps import steps

AGAIN = "Restore it, or delete it and run microleak run with the study file."

_KINDS = {
    "study": str,
    "synthetic": bool,
    "config": dict,
    "code": dict,
    "versions": dict,
    "inputs": dict,
    "outputs": list,
}
_KINDS_OF_OUTPUT = {"path": str, "sha256": str, "bytes": int}
_FOLDERS = frozenset(
    pattern.partition("/")[0]
    for step in steps().values()
    for pattern in step.makes.values()
    if "/" in pattern
)


def sealed_text(content: Mapping[str, Any]) -> str:
    """Return a manifest's text, with its own SHA-256 in it."""
    seal = hashlib.sha256(_text(content).encode()).hexdigest()
    return _text({**content, "manifest_sha256": seal})


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def read_manifest(study_dir: Path) -> dict[str, Any]:
    """Return the content of a manifest that is as it was made.

    Raises
    ------
    VerificationError
        If there is none, it was changed, or a path that it lists is not that of a
        file of the results.
    """
    content = sealed_content(study_dir)
    check_paths(study_dir, content)
    return content


def sealed_content(study_dir: Path) -> dict[str, Any]:
    """Return the content of a manifest that has its own SHA-256, whatever it lists.

    Raises
    ------
    VerificationError
        If there is none, or it was changed.
    """
    path = study_dir / MANIFEST
    if not path.is_file():
        why = _unsealed(study_dir)
        raise VerificationError(f"{study_dir} has no {MANIFEST}. {why}")
    try:
        text = path.read_bytes().decode()
        content: dict[str, Any] = json.loads(text)
        content.pop("manifest_sha256")
        is_whole, is_sealed = _is_whole(content), text == sealed_text(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        is_whole = False
    if not is_whole:
        raise VerificationError(f"{path} is damaged: no manifest. {AGAIN}")
    if not is_sealed:
        raise VerificationError(f"{path} was changed after it was made. {AGAIN}")
    return content


def _unsealed(study_dir: Path) -> str:
    """Say why results have no manifest, and what to do."""
    if is_running(study_dir):
        return "A run of this study is going on, which writes it last. Wait for it."
    if (study_dir / RECORDS).is_dir():
        return "A run was stopped or failed: give its file to microleak resume."
    return "Make it with microleak run and the study file."


def _is_whole(content: Mapping[str, Any]) -> bool:
    """Say whether all is there that every manifest has."""
    return _has(content, _KINDS) and all(
        _has(listed, _KINDS_OF_OUTPUT) for listed in content["outputs"]
    )


def _has(part: Mapping[str, Any], kinds: Mapping[str, type]) -> bool:
    return all(isinstance(part[key], kind) for key, kind in kinds.items())


def check_paths(study_dir: Path, content: Mapping[str, Any]) -> None:
    """Refuse a manifest with a path that is not that of a file of the results.

    What stands there is compared, linked, and removed if it was changed, so that a
    path to elsewhere, or to a folder, would cost whoever was handed the manifest.

    Raises
    ------
    VerificationError
        If a path leads out of the folder, is not spelt plainly, stands twice or is
        that of a folder; the first is named.
    """
    paths = [listed["path"] for listed in content["outputs"]]
    times = Counter(paths)
    parents = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    for path in paths:
        if not _is_path_of_file(path) or path in parents or times[path] > 1:
            raise VerificationError(
                f"{study_dir / MANIFEST} lists {path!a}, which is not the path of "
                f"one file of the results: microleak did not make it so. {AGAIN}"
            )


def _is_path_of_file(path: str) -> bool:
    parts = path.split("/")
    is_plain = not {"", ".", ".."}.intersection(parts) and "\0" not in path
    is_inside = is_plain and path == str(PurePosixPath(path))
    return is_inside and parts[0] not in UNLISTED and not _is_folder(parts)


def _is_folder(parts: list[str]) -> bool:
    """Say whether a path is that of a folder in which results lie, by its form."""
    n_parts_of_files = 3 if parts[0] == "figures" else 2
    return parts[0] in _FOLDERS and len(parts) < n_parts_of_files
