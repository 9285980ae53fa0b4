"""The files of a study's results: their paths, hashes, sizes and rows."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from microleak.digests import Digests
from microleak.files import UNFINISHED, sha256_of
from microleak.paths import MANIFEST
from microleak.sources.made import metadata_of

DIGESTS = ".digests.json"
"""Name of the file that keeps the hashes of a study's files, with their states."""

UNLISTED = frozenset({"logs", "benchmarks", "raw", MANIFEST, DIGESTS})
"""What may lie beside the outputs: it differs from run to run, or it is an input,
whose hash the receipts hold."""

TIMESTAMP = ".snakemake_timestamp"
"""Empty file by which Snakemake notes when a folder was made."""

N_NAMED = 3
"""Files that an error names; it counts the others."""


def files_of(study_dir: Path) -> list[str]:
    """Relative paths of all that lies in a study's folder, `/` between, sorted.

    A link is a file, whatever it leads to, and so is a folder with nothing in it,
    whose path ends with `/`. Left out are `UNLISTED`, what is still being written,
    and Snakemake's empty time stamps.
    """
    tops = (path for path in study_dir.iterdir() if path.name not in UNLISTED)
    return sorted(name for top in tops for name in _files(top, top.name))


def files_in(study_dir: Path, path: str) -> list[str]:
    """Relative paths of the files of a result: itself, or what is in it if it ends `/`.

    They are there or not; an empty folder has none.
    """
    if not path.endswith("/"):
        return [path]
    folder = path.rstrip("/")
    found = _files(study_dir / folder, folder) if (study_dir / folder).is_dir() else ()
    return sorted(name for name in found if not name.endswith("/"))


def _files(path: Path, name: str) -> Iterator[str]:
    """Yield the name of a file, or those of all files in a folder."""
    if _is_by_product(path):
        return
    if path.is_symlink() or not path.is_dir():
        yield name
        return
    inside = list(path.iterdir())
    if not inside:
        yield f"{name}/"
    for each in inside:
        yield from _files(each, f"{name}/{each.name}")


def _is_by_product(path: Path) -> bool:
    is_stamp = path.name == TIMESTAMP and path.lstat().st_size == 0
    return is_stamp or path.name.startswith(UNFINISHED)


def remove_empty_folders(study_dir: Path) -> None:
    """Remove folders with nothing in them, which an earlier run left."""
    while empty := [name for name in files_of(study_dir) if name.endswith("/")]:
        for name in empty:
            (study_dir / name).rmdir()


def is_file_of(study_dir: Path, path: str, sha256: str) -> bool:
    """Say whether a path is a file, not a link to one, that has this SHA-256."""
    file = study_dir / path
    return file.is_file() and not file.is_symlink() and sha256_of(file) == sha256


def entry(study_dir: Path, path: str, digests: Digests) -> dict[str, Any]:
    """Path, SHA-256 and bytes of a file; of Parquet and CSV its rows, too.

    Raises
    ------
    TableError
        If a Parquet file cannot be read.
    """
    file = study_dir / path
    return {"path": path, "sha256": digests.of(file), **size_of(file)}


def size_of(file: Path) -> dict[str, int]:
    """Bytes of a file, `bytes`; of Parquet and CSV its rows, too, `n_rows`.

    Raises
    ------
    TableError
        If a Parquet file cannot be read.
    """
    size = {"bytes": file.stat().st_size}
    if file.suffix == ".parquet":
        size["n_rows"] = metadata_of(file).num_rows
    elif file.suffix == ".csv":
        size["n_rows"] = _n_csv_rows(file)
    return size


def _n_csv_rows(file: Path) -> int:
    with file.open(encoding="utf-8", errors="replace", newline="") as lines:
        return max(0, sum(1 for _ in csv.reader(lines)) - 1)


def first_few(paths: Sequence[str]) -> str:
    """Name the first of some paths in one line, and say whether there are more.

    >>> first_few(["a", "b", "c", "d"])
    'a, b, c, …'
    """
    shown = [path if path.isprintable() else ascii(path) for path in paths[:N_NAMED]]
    return ", ".join(shown) + (", …" if len(paths) > N_NAMED else "")
