"""What made a study's results: inputs, settings, code, versions, every output's hash.

A manifest has no time, path, user or host in it, so that the same study gives the
same manifest anywhere.
"""

import csv
import hashlib
import json
import os
import re
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from microleak import __version__
from microleak.errors import StudyError, VerificationError
from microleak.files import sha256_of, write_text
from microleak.paths import MANIFEST
from microleak.study.fingerprint import PACKAGES, package_fingerprint, versions
from microleak.study.outputs import is_output

UNLISTED = frozenset({"logs", "benchmarks", "raw", MANIFEST})
"""What may lie beside the outputs: it differs from run to run, or it is an input,
whose hash the receipts hold."""

N_NAMED = 3
"""Files that an error names; it counts the others."""


def write_manifest(
    study_dir: Path, study: Mapping[str, Any], config: Path, outputs: Collection[str]
) -> None:
    """Write `manifest.json` of a study whose other results are complete.

    It holds:

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
    missing = [path for path in sorted(outputs) if not (study_dir / path).exists()]
    if missing:
        raise StudyError(
            f"{study_dir} lacks results that its manifest should list "
            f"({first_few(missing)}). Run microleak resume with the study file."
        )
    paths = [path for path in _files(study_dir) if is_output(path, outputs)]
    content = {
        "study": study["study"],
        "seed": study["seed"],
        "synthetic": _is_synthetic(study_dir),
        "config": {
            "name": config.name,
            "sha256": sha256_of(config),
            "content": _public(study),
        },
        "code": {"microleak": __version__, "fingerprint": package_fingerprint()},
        "versions": versions((*PACKAGES, "snakemake")),
        "inputs": _receipts(study_dir, paths),
        "outputs": [_entry(study_dir, path) for path in paths],
    }
    write_text(study_dir / MANIFEST, _sealed_text(content))


def verify(study_dir: Path) -> int:
    """Check a study's results against its manifest; return the number of files.

    Raises
    ------
    VerificationError
        If there is no manifest, it was changed, or a file was changed, is missing
        or is not listed; the files are counted and the first few are named.
    """
    listed = _listed(study_dir)
    found = set(_files(study_dir))
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
    return changed


def _is_as(study_dir: Path, path: str, listed: Mapping[str, str]) -> bool:
    file = study_dir / path
    return file.is_file() and sha256_of(file) == listed[path]


def _made_whole(study_dir: Path, path: str) -> Path:
    """Return the folder that a job makes with a file in it, or the file."""
    first, *rest = path.split("/")
    if first == "report":
        return study_dir / first
    return study_dir / first / rest[0] if first == "figures" else study_dir / path


def first_few(paths: Sequence[str]) -> str:
    """Name the first of some paths, and say whether there are more."""
    return ", ".join(paths[:N_NAMED]) + (", …" if len(paths) > N_NAMED else "")


def _is_synthetic(study_dir: Path) -> bool:
    path = study_dir / "measures/ingest.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return any(row["synthetic"] == "true" for row in csv.DictReader(file))


def _releases(study: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for table in study["tables"].values():
        yield from table["releases"].values()


def _public(study: Mapping[str, Any]) -> dict[str, Any]:
    """Copy a study's content without folders, secrets of addresses and known values."""
    content: dict[str, Any] = json.loads(json.dumps(study))
    for release in _releases(content):
        if "archive" in release:
            release["archive"] = PurePosixPath(release["archive"]).name
        if "url" in release:
            address = re.sub("//[^/]*@", "//", release["url"], count=1)
            release["url"] = re.split("[?#]", address, maxsplit=1)[0]
    for target in content["analyses"].get("targets", []):
        target["known"] = _attributes(target["known"])
    for analysis in content["analyses"].get("membership", []):
        if "targets" in analysis:
            known = analysis["targets"].items()
            analysis["targets"] = {name: list(values) for name, values in known}
    return content


def _attributes(known: Mapping[str, Any]) -> Any:
    """Return the attributes of which a value is known, by release if they are so."""
    if any(isinstance(value, Mapping) for value in known.values()):
        return {release: list(values) for release, values in known.items()}
    return list(known)


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


def _files(study_dir: Path) -> list[str]:
    """Relative paths of a study's files, `/` between folders, sorted."""
    found = []
    for folder, folders, names in os.walk(study_dir):
        inside = Path(folder).relative_to(study_dir)
        left_out = UNLISTED if inside == Path() else frozenset()
        folders[:] = [name for name in folders if _is_listed(name, left_out)]
        found += [
            (inside / name).as_posix() for name in names if _is_listed(name, left_out)
        ]
    return sorted(found)


def _is_listed(name: str, left_out: frozenset[str]) -> bool:
    # A hidden name is Snakemake's, or a file that is still being written.
    return not name.startswith(".") and name not in left_out


def _entry(study_dir: Path, path: str) -> dict[str, Any]:
    file = study_dir / path
    entry = {"path": path, "sha256": sha256_of(file), "bytes": file.stat().st_size}
    if file.suffix == ".parquet":
        entry["n_rows"] = _n_parquet_rows(file)
    elif file.suffix == ".csv":
        entry["n_rows"] = _n_csv_rows(file)
    return entry


def _n_parquet_rows(file: Path) -> int:
    try:
        return int(pq.read_metadata(file).num_rows)
    except (OSError, pa.ArrowException):
        raise StudyError(
            f"{file} cannot be read as Parquet. Delete it and run microleak resume "
            "with the study file."
        ) from None


def _n_csv_rows(file: Path) -> int:
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        return max(0, sum(1 for _ in csv.reader(lines)) - 1)


def _text(content: Mapping[str, Any]) -> str:
    return json.dumps(content, sort_keys=True, indent=2, ensure_ascii=False) + "\n"


def _sealed_text(content: Mapping[str, Any]) -> str:
    seal = hashlib.sha256(_text(content).encode()).hexdigest()
    return _text({**content, "manifest_sha256": seal})


def _listed(study_dir: Path) -> dict[str, str]:
    """SHA-256 of each output by its path, from a manifest that is as it was made."""
    path = study_dir / MANIFEST
    if not path.is_file():
        raise VerificationError(
            f"{study_dir} has no {MANIFEST}. Make it with microleak run and the "
            "study file."
        )
    again = "Restore it, or delete it and run microleak resume with the study file."
    try:
        text = path.read_bytes().decode()
        content = json.loads(text)
        content.pop("manifest_sha256")
        listed = {entry["path"]: entry["sha256"] for entry in content["outputs"]}
    except (ValueError, KeyError, TypeError, AttributeError):
        raise VerificationError(f"{path} is damaged: no manifest. {again}") from None
    if text != _sealed_text(content):
        raise VerificationError(f"{path} was changed after it was made. {again}")
    return listed
