"""What the rules that read releases say of them, beside what they made."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from microleak.audit.crate import CRATE, claims, fingerprint_in
from microleak.base.errors import StudyError
from microleak.study.job_records import RECORDS
from microleak.study.listing import size_of
from microleak.study.steps import AUDIT, step_of

_FOLDERS = ("tables/", "people/", "panels/")
INGEST = "measures/ingest.csv"  # Rows of every release, and whether a twin made it


def receipts(study_dir: Path, paths: Iterable[str]) -> dict[str, Any]:
    return {
        path: _receipt(study_dir / path)
        for path in paths
        if path.startswith(_FOLDERS) and path.endswith(".json")
    }


def _receipt(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        raise StudyError(
            f"{path} is not JSON: the receipt is damaged. Delete it and run "
            "microleak run with the study file."
        ) from None


def is_synthetic(study_dir: Path) -> bool:
    """Say whether a twin made any release that was read, by the counts of its rows."""
    path = study_dir / INGEST
    with path.open(encoding="utf-8", newline="") as file:
        return any(row["synthetic"] == "true" for row in csv.DictReader(file))


_SAID = ("sha256", "contentSize", "softwareVersion", "url")


def contradictions(
    study_dir: Path, manifest: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return what a study's results say otherwise than their manifest does."""
    paths = [listed["path"] for listed in manifest["outputs"]]
    is_marked_so = INGEST in paths and is_synthetic(study_dir) == manifest["synthetic"]
    return {
        "with other bytes or rows": _other_sizes(study_dir, manifest["outputs"]),
        "with another receipt": _other(receipts(study_dir, paths), manifest["inputs"]),
        "with another mark of twins": [] if is_marked_so else [INGEST],
        f"told otherwise by {CRATE}": _other_entities(study_dir, manifest),
        "told otherwise by records": _other_records(study_dir, manifest),
    }


def _other(found: Mapping[str, Any], told: Mapping[str, Any]) -> list[str]:
    """Return the names of which two do not have the same."""
    return [n for n in sorted({*found, *told}) if found.get(n) != told.get(n)]


def _other_sizes(study_dir: Path, outputs: Iterable[Mapping[str, Any]]) -> list[str]:
    return [
        listed["path"]
        for listed in outputs
        if size_of(study_dir / listed["path"])
        != {name: listed[name] for name in listed if name not in ("path", "sha256")}
    ]


def _other_records(study_dir: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Return results of which records say other hashes, and those without a record."""
    listed = {each["path"]: each["sha256"] for each in manifest["outputs"]}
    listed["study file"] = manifest["config"]["sha256"]
    paths = [path for path in listed if path.startswith(f"{RECORDS}/")]
    made: dict[str, str] = {}
    wrong: set[str] = set()
    for path in paths:
        try:
            record = json.loads((study_dir / path).read_text(encoding="utf-8"))
            made |= record["outputs"]
            read = [(name, sha) for _, name, sha in record["inputs"]]
            wrong |= {name for name, sha in read if listed.get(name, sha) != sha}
        except (ValueError, KeyError, TypeError, AttributeError):
            wrong.add(path)
    results = {p for p in listed if step_of(p) not in (None, AUDIT)}
    wrong |= {path for path in results if made.get(path) != listed[path]}
    return sorted(wrong)


def _other_entities(study_dir: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Names of entities of which crate and manifest say other things."""
    try:
        crate = json.loads((study_dir / CRATE).read_text(encoding="utf-8"))
        found, told = _said(crate["@graph"]), _said(claims(manifest))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return [CRATE]
    return _other(found, told)


def _said(entities: Iterable[Mapping[str, Any]]) -> dict[str, tuple[Any, ...]]:
    """Return what is said of each file and program, by its name."""
    return {
        each["@id"]: (*map(each.get, _SAID), fingerprint_in(each))
        for each in entities
        if "sha256" in each or "softwareVersion" in each
    }
