"""A manifest read again: whether it is whole, sealed, and lists files alone.

Apart from what writes it, so that who only reads results waits for no family.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from gettext import gettext as _
from pathlib import Path, PurePosixPath
from typing import Any

from microleak.base.errors import VerificationError
from microleak.base.files import sha256_of
from microleak.base.locks import is_running
from microleak.base.paths import MANIFEST, RECORDS
from microleak.study.listing import UNLISTED

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


def sealed_text(content: Mapping[str, Any]) -> str:
    seal = hashlib.sha256(_text(content).encode()).hexdigest()
    return _text({**content, "manifest_sha256": seal})


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def read_manifest(study_dir: Path) -> dict[str, Any]:
    """Return the content of a manifest that is as it was made."""
    content = sealed_content(study_dir)
    check_paths(study_dir, content)
    return content


def sealed_content(study_dir: Path) -> dict[str, Any]:
    """Return the content of a manifest that has its own SHA-256, whatever it lists."""
    path = study_dir / MANIFEST
    if not path.is_file():
        why = _unsealed(study_dir)
        said = _("{folder} has no {manifest}. {why}")
        raise VerificationError(said, folder=study_dir, manifest=MANIFEST, why=why)
    try:
        text = path.read_bytes().decode()
        content: dict[str, Any] = json.loads(text)
        content.pop("manifest_sha256")
        is_whole = _has(content, _KINDS) and all(
            _has(listed, _KINDS_OF_OUTPUT) for listed in content["outputs"]
        )
        is_sealed = text == sealed_text(content)
    except (ValueError, KeyError, TypeError, AttributeError):
        is_whole = False
    if not is_whole:
        said = _("{path} is damaged: no manifest. {again}")
        raise VerificationError(said, path=path, again=again())
    if not is_sealed:
        said = _("{path} was changed after it was made. {again}")
        raise VerificationError(said, path=path, again=again())
    return content


def listed_file(study_dir: Path, listed: Mapping[str, str], path: str) -> Path:
    """Return a file of results; refuse one that is not as the manifest lists it."""
    file = study_dir / path
    if not file.is_file() or sha256_of(file) != listed[path]:
        raise VerificationError(
            f"{file} is not what {MANIFEST} lists: it was changed or removed after it "
            "was made. Run microleak resume with the study file."
        )
    return file


def again() -> str:
    """Say how to put right a manifest that is not as it was made."""
    return _("Restore it, or delete it and run microleak run with the study file.")


def _unsealed(study_dir: Path) -> str:
    if is_running(study_dir):
        return _("A run of this study is going on, which writes it last. Wait for it.")
    if (study_dir / RECORDS).is_dir():
        return _("A run was stopped or failed: give its file to microleak resume.")
    return _("Make it with microleak run and the study file.")


def _has(part: Mapping[str, Any], kinds: Mapping[str, type]) -> bool:
    return all(isinstance(part[key], kind) for key, kind in kinds.items())


def check_paths(study_dir: Path, content: Mapping[str, Any]) -> None:
    """Refuse a manifest with a path that is not that of a file of the results."""
    # What stands there is compared, linked, and removed if it was changed, so that a
    # path to elsewhere, or to a folder, would cost whoever was handed the manifest.
    paths = [listed["path"] for listed in content["outputs"]]
    times = Counter(paths)
    parents = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    for path in paths:
        if not _is_path_of_file(study_dir, path) or path in parents or times[path] > 1:
            said = _(
                "{manifest} lists {path}, which is not the path of one file of the "
                "results: microleak did not make it so. {again}"
            ).format(manifest=study_dir / MANIFEST, path=ascii(path), again=again())
            raise VerificationError(said)


def _is_path_of_file(study_dir: Path, path: str) -> bool:
    parts = path.split("/")
    is_plain = not {"", ".", ".."}.intersection(parts) and "\0" not in path
    is_inside = is_plain and path == str(PurePosixPath(path))
    return is_inside and parts[0] not in UNLISTED and not (study_dir / path).is_dir()
