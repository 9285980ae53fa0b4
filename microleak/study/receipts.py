"""What the rules that read releases say of them, beside what they made."""

import csv
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from microleak.errors import StudyError

_FOLDERS = ("tables/", "people/", "panels/")
INGEST = "measures/ingest.csv"
"""Rows of every release, and whether a twin made it."""


def receipts(study_dir: Path, paths: Iterable[str]) -> dict[str, Any]:
    """Return the receipts among some results, by their paths.

    Raises
    ------
    StudyError
        If one is no JSON.
    """
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
            "microleak resume with the study file."
        ) from None


def is_synthetic(study_dir: Path) -> bool:
    """Say whether a twin made any release that was read, by the counts of its rows."""
    path = study_dir / INGEST
    with path.open(encoding="utf-8", newline="") as file:
        return any(row["synthetic"] == "true" for row in csv.DictReader(file))
