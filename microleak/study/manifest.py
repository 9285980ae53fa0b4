"""What made a study's results: inputs, settings, code, versions, every output's hash.

A manifest has no time, path, user or host in it, so that the same study gives the
same manifest anywhere.
"""

import csv
import hashlib
import json
import shutil
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from microleak import __version__
from microleak.errors import StudyError, VerificationError
from microleak.files import sha256_of, write_text
from microleak.paths import MANIFEST
from microleak.study.crate import CRATE, write_crate
from microleak.study.fingerprint import PACKAGES, package_fingerprint, versions
from microleak.study.listing import entry, files_of
from microleak.study.outputs import is_output
from microleak.study.public_settings import public_settings
from microleak.study.workflow_code import CODE, copy_code

N_NAMED = 3
"""Files that an error names; it counts the others."""


def write_manifest(
    study_dir: Path, study: Mapping[str, Any], config: Path, outputs: Collection[str]
) -> None:
    """Write crate and manifest of a study whose other results are complete.

    The workflow is copied to `code/`, and `ro-crate-metadata.json` is made from the
    manifest, which then lists it as well. `manifest.json` holds:

    - `study`, `seed` and `synthetic`, whether any release that was read is made by a
      twin, by order of the study file or by the marks in its archive;
    - `config`: name and SHA-256 of the study file, and its content, in which an
      archive is given by its file name and an address without user, password,
      query and fragment, which may be secrets; of what is known of a target
      only the attributes stand there. The SHA-256 of the study file, and of a
      small result, still tells whoever guesses its content that it is right;
    - `code`: microleak's version and the fingerprint of the whole package;
    - `versions` of Python and the packages that results depend on, a change of
      which makes their rules run again, and of Snakemake, which ran them last;
    - `inputs`: the receipts of ingest, deduplicate and join by their paths, with
      each archive's name, SHA-256, bytes, members and rows in and out;
    - `outputs`: path, SHA-256 and bytes of every file that is an output and not
      hidden, and the rows of Parquet and CSV files (a CSV's without its header);
      They stand by path, the crate last;
    - `manifest_sha256`: SHA-256 of this file without that line, which shows a
      slip of the hand. Who wants to forge a manifest can: keep its own hash
      elsewhere.

    Parameters
    ----------
    study_dir
        Folder of the study's results.
    study
        Content of the study file, as `microleak.study.yaml_file` reads it.
    config
        The study file.
    outputs
        Files and folders below `study_dir` that the study's rules make; what
        else lies there is not listed.

    Raises
    ------
    StudyError
        If a result is missing, or a receipt or table among them is damaged.
    """
    # The crate describes what the manifest lists, so it is listed last of all.
    outputs = {*outputs} - {CRATE}
    _check_complete(study_dir, outputs)
    copy_code(study_dir)
    content = _content(study_dir, study, config, {*outputs, CODE})
    write_crate(study_dir, content)
    content["outputs"].append(entry(study_dir, CRATE))
    write_text(study_dir / MANIFEST, sealed_text(content))


def _check_complete(study_dir: Path, outputs: Collection[str]) -> None:
    missing = [path for path in sorted(outputs) if not (study_dir / path).exists()]
    if missing:
        raise StudyError(
            f"{study_dir} lacks results that its manifest should list "
            f"({first_few(missing)}). Run microleak resume with the study file."
        )


def _content(
    study_dir: Path, study: Mapping[str, Any], config: Path, outputs: Collection[str]
) -> dict[str, Any]:
    paths = [path for path in files_of(study_dir) if is_output(path, outputs)]
    return {
        "study": study["study"],
        "seed": study["seed"],
        "synthetic": _is_synthetic(study_dir),
        "config": {
            "name": config.name,
            "sha256": sha256_of(config),
            "content": public_settings(study),
        },
        "code": {"microleak": __version__, "fingerprint": package_fingerprint()},
        "versions": versions((*PACKAGES, "snakemake")),
        "inputs": _receipts(study_dir, paths),
        "outputs": [entry(study_dir, path) for path in paths],
    }


def verify(study_dir: Path) -> int:
    """Check a study's results against its manifest; return the number of files.

    Raises
    ------
    VerificationError
        If there is no manifest, it was changed, or a file was changed, is missing
        or is not listed; the files are counted and the first few are named.
    """
    listed = _listed(study_dir)
    found = set(files_of(study_dir))
    faults = {
        "changed": [
            path
            for path in sorted(found & set(listed))
            if not _is_as(study_dir, path, listed)
        ],
        "missing": sorted(set(listed) - found),
        "not listed": sorted(found - set(listed)),
    }
    if any(faults.values()):
        told = "; ".join(
            f"{len(paths)} {fault} ({first_few(paths)})"
            for fault, paths in faults.items()
            if paths
        )
        raise VerificationError(
            f"{study_dir} is not what its {MANIFEST} lists: {told}. Restore the "
            "files, or delete them and run microleak resume with the study file."
        )
    return len(listed)


def remove_changed(study_dir: Path) -> list[str]:
    """Delete results that are not those of the manifest, so that they are made anew.

    A folder of which a file was changed or is missing is deleted whole, as it is
    made whole. Without a manifest nothing is known and nothing is deleted.

    Returns
    -------
    list of str
        Paths of what was changed; the manifest alone if it is damaged.
    """
    if not (study_dir / MANIFEST).exists():
        return []
    try:
        listed = _listed(study_dir)
    except VerificationError:
        (study_dir / MANIFEST).unlink()
        return [MANIFEST]
    changed = [path for path in sorted(listed) if not _is_as(study_dir, path, listed)]
    for path in changed:
        made = _made_whole(study_dir, path)
        if made.is_dir():
            shutil.rmtree(made)
        else:
            made.unlink(missing_ok=True)
    if any(is_output(path, {CRATE, CODE}) for path in changed):
        (study_dir / MANIFEST).unlink()  # they are made with it
    return changed


def _is_as(study_dir: Path, path: str, listed: Mapping[str, str]) -> bool:
    file = study_dir / path
    return file.is_file() and sha256_of(file) == listed[path]


def _made_whole(study_dir: Path, path: str) -> Path:
    """Return the folder that a job makes with a file in it, or the file."""
    first, *rest = path.split("/")
    if first in ("report", CODE):
        return study_dir / first
    return study_dir / first / rest[0] if first == "figures" else study_dir / path


def first_few(paths: Sequence[str]) -> str:
    """Name the first of some paths, and say whether there are more."""
    return ", ".join(paths[:N_NAMED]) + (", …" if len(paths) > N_NAMED else "")


def _is_synthetic(study_dir: Path) -> bool:
    path = study_dir / "measures/ingest.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return any(row["synthetic"] == "true" for row in csv.DictReader(file))


def _receipts(study_dir: Path, paths: list[str]) -> dict[str, Any]:
    return {
        path: _receipt(study_dir / path)
        for path in paths
        if path.startswith(("tables/", "people/", "panels/")) and path.endswith(".json")
    }


def _receipt(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise StudyError(
            f"{path} is not JSON: the receipt is damaged. Delete it and run "
            "microleak resume with the study file."
        ) from None


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def sealed_text(content: Mapping[str, Any]) -> str:
    """Return a manifest's text, with its own SHA-256 in it."""
    seal = hashlib.sha256(_text(content).encode()).hexdigest()
    return _text({**content, "manifest_sha256": seal})


def read_manifest(study_dir: Path) -> dict[str, Any]:
    """Return the content of a manifest that is as it was made.

    Raises
    ------
    VerificationError
        If there is none, or it was changed.
    """
    path = study_dir / MANIFEST
    if not path.is_file():
        raise VerificationError(
            f"{study_dir} has no {MANIFEST}. Make it with microleak run and the "
            "study file."
        )
    again = "Restore it, or delete it and run microleak resume with the study file."
    try:
        text = path.read_bytes().decode()
        content: dict[str, Any] = json.loads(text)
        content.pop("manifest_sha256")
        [(entry["path"], entry["sha256"]) for entry in content["outputs"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VerificationError(f"{path} is damaged: no manifest. {again}") from None
    if text != sealed_text(content):
        raise VerificationError(f"{path} was changed after it was made. {again}")
    return content


def _listed(study_dir: Path) -> dict[str, str]:
    """SHA-256 of each output by its path."""
    outputs = read_manifest(study_dir)["outputs"]
    return {listed["path"]: listed["sha256"] for listed in outputs}
