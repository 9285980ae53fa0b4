"""The files of a study's results: hashes, sizes, rows, and who may open them."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from microleak.base.digests import Digests
from microleak.base.files import UNFINISHED, sha256_of
from microleak.base.paths import MANIFEST
from microleak.tables.files import count_rows

# Folders with records of persons, exact counts by value, or hashes of such files
PRIVATE = ("tables", "people", "panels", "profiles", "confidential", "records")
_UNLISTED = ("raw", "logs", "benchmarks", "code")
# Folder of what a public study shows; it and nothing else is open to others
_PUBLIC = "report"
_OPEN = stat.S_IRWXG | stat.S_IRWXO


def make_private_folders(
    study_dir: Path, outputs: Iterable[str], audience: str
) -> None:
    folders = {path.partition("/")[0] for path in outputs if "/" in path}
    if audience == "public":
        private = {*folders, *_UNLISTED} - {_PUBLIC}
    else:
        private = folders.intersection(PRIVATE)
    for name in private:
        folder = study_dir / name
        folder.mkdir(parents=True, exist_ok=True)
        _close_to_others(folder)


def close_private_files(study_dir: Path, audience: str) -> None:
    """Leave records to their owner alone: files 0600, folders 0700."""
    # Of a public study all but the report is left to its owner. Links are left as they
    # are, and what is somebody else's, who alone can close it.
    is_public = audience == "public"
    for top in study_dir.iterdir():
        if top.name in PRIVATE or (is_public and top.name != _PUBLIC):
            _close_to_others(top)
            for path in top.rglob("*"):
                _close_to_others(path)


def _close_to_others(path: Path) -> None:
    has_modes = hasattr(os, "geteuid")  # Windows has not
    if path.is_symlink() or not path.exists() or not has_modes:
        return
    state = path.stat()
    if state.st_mode & _OPEN and state.st_uid == os.geteuid():
        path.chmod(stat.S_IMODE(state.st_mode) & ~_OPEN)


# Lists of persons, which `microleak risks` writes for the office alone
LISTS = "confidential/risks/"
# Name of the file that keeps the hashes of a study's files, with their states
DIGESTS = ".digests.json"
# What may lie beside the outputs: it differs from run to run, it is an input, whose
# hash the receipts hold, or a document that people fill in
UNLISTED = frozenset({"logs", "benchmarks", "raw", "ripd", MANIFEST, DIGESTS})
# Empty file by which Snakemake notes when a folder was made
TIMESTAMP = ".snakemake_timestamp"
N_NAMED = 3  # Files that an error names; it counts the others


def files_of(study_dir: Path) -> list[str]:
    """Relative paths of all that lies in a study's folder, `/` between, sorted."""
    # A link is a file, whatever it leads to, and so is a folder with nothing in it,
    # whose path ends with `/`. Left out are `UNLISTED`, what is still being written,
    # and Snakemake's empty time stamps.
    tops = (path for path in study_dir.iterdir() if path.name not in UNLISTED)
    names = (name for top in tops for name in _file_names(top, top.name))
    return sorted(name for name in names if not name.startswith(LISTS))


def files_in(study_dir: Path, path: str) -> list[str]:
    """Relative paths of the files of a result; of what is in it, if it ends `/`."""
    if not path.endswith("/"):
        return [path]
    folder = path.rstrip("/")
    found = (
        _file_names(study_dir / folder, folder) if (study_dir / folder).is_dir() else ()
    )
    return sorted(name for name in found if not name.endswith("/"))


def _file_names(path: Path, name: str) -> Iterator[str]:
    is_stamp = path.name == TIMESTAMP and path.lstat().st_size == 0
    if is_stamp or path.name.startswith(UNFINISHED):
        return
    if path.is_symlink() or not path.is_dir():
        yield name
        return
    inside = list(path.iterdir())
    if not inside:
        yield f"{name}/"
    for each in inside:
        yield from _file_names(each, f"{name}/{each.name}")


def remove_empty_folders(study_dir: Path) -> None:
    while empty := [name for name in files_of(study_dir) if name.endswith("/")]:
        for name in empty:
            (study_dir / name).rmdir()


def remove_stamps(study_dir: Path) -> None:
    """Remove Snakemake's time stamps; a folder that had one gets its time."""
    # Snakemake takes that for the folder's own where there is no stamp, and who is
    # given a folder finds only what was made for them.
    for stamp in study_dir.rglob(TIMESTAMP):
        state = stamp.lstat()
        if state.st_size == 0:
            stamp.unlink()
            os.utime(stamp.parent, ns=(state.st_atime_ns, state.st_mtime_ns))


def is_file_of(study_dir: Path, path: str, sha256: str) -> bool:
    file = study_dir / path
    return file.is_file() and not file.is_symlink() and sha256_of(file) == sha256


def manifest_entry(study_dir: Path, path: str, digests: Digests) -> dict[str, Any]:
    """Path, SHA-256 and bytes of a file; of Parquet and CSV its rows, too."""
    file = study_dir / path
    return {"path": path, "sha256": digests.of(file), **size_of(file)}


def size_of(file: Path) -> dict[str, int]:
    """Bytes of a file, `bytes`; of Parquet and CSV its rows, too, `n_rows`."""
    size = {"bytes": file.stat().st_size}
    if file.suffix == ".parquet":
        # Here, as every job names files and few look into one.
        from microleak.sources.steps.intermediate import metadata_of  # noqa: PLC0415

        size["n_rows"] = metadata_of(file).num_rows
    elif file.suffix == ".csv":
        size["n_rows"] = count_rows(file)
    return size


def first_few(paths: Sequence[str]) -> str:
    """Name the first of some paths in one line, and say whether there are more."""
    shown = [path if path.isprintable() else ascii(path) for path in paths[:N_NAMED]]
    return ", ".join(shown) + (", …" if len(paths) > N_NAMED else "")
