"""The files of a study's results: their paths, hashes, sizes and rows."""

import csv
import os
from pathlib import Path
from typing import Any

from microleak.files import sha256_of
from microleak.paths import MANIFEST
from microleak.sources.made import metadata_of

UNLISTED = frozenset({"logs", "benchmarks", "raw", MANIFEST})
"""What may lie beside the outputs: it differs from run to run, or it is an input,
whose hash the receipts hold."""


def files_of(study_dir: Path) -> list[str]:
    """Relative paths of a study's files, `/` between folders, sorted.

    Left out are `UNLISTED` and hidden names, which are Snakemake's or of files that
    are still being written.
    """
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
    return not name.startswith(".") and name not in left_out


def entry(study_dir: Path, path: str) -> dict[str, Any]:
    """Path, SHA-256 and bytes of a file; of Parquet and CSV its rows, too.

    Raises
    ------
    TableError
        If a Parquet file cannot be read.
    """
    file = study_dir / path
    listed = {"path": path, "sha256": sha256_of(file), "bytes": file.stat().st_size}
    if file.suffix == ".parquet":
        listed["n_rows"] = metadata_of(file).num_rows
    elif file.suffix == ".csv":
        listed["n_rows"] = _n_csv_rows(file)
    return listed


def _n_csv_rows(file: Path) -> int:
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        return max(0, sum(1 for _ in csv.reader(lines)) - 1)
