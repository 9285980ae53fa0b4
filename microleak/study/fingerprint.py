"""One number for the code that a result depends on.

Snakemake reruns a rule whose script changed, but does not look into the package
that the script imports. So each rule carries the fingerprint of its modules.
"""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from microleak.errors import StudyError

PACKAGE = Path(__file__).resolve().parents[1]


def fingerprint(*modules: str, files: Iterable[Path] = ()) -> str:
    """SHA-256 of modules, of all that they import of microleak, and of data files.

    Imports are read from the source, wherever in a module they stand, and
    followed to the end; nothing is executed, so a module imported by a computed
    name is not seen. The packages a module lies in count as imported. A change
    of any byte of the source, also of a comment, changes the fingerprint; the
    order of the arguments, the folder of the project and whether lines end as
    on Unix or Windows do not.

    Parameters
    ----------
    modules
        Full names, such as `microleak.sources.ingest`.
    files
        Data files the modules read; they count by their names and contents.

    Raises
    ------
    StudyError
        If there is no such module or file.

    Examples
    --------
    >>> fingerprint("microleak.errors") == fingerprint("microleak.files")
    False
    """
    lines = [f"{name} {_digest(path)}\n" for name, path in _closure(modules).items()]
    for file in files:
        if not file.is_file():
            raise StudyError(
                f"There is no data file {file} to take a fingerprint of. Restore it, "
                "or correct files= in workflow/rules/."
            )
        lines.append(f"{file.name} {_digest(file)}\n")
    return _digest_of_lines(lines)


def package_fingerprint() -> str:
    """SHA-256 of all files of the package: modules, templates and other data."""
    paths = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*"))
    return _digest_of_lines(
        f"{path.as_posix()} {_digest(PACKAGE / path)}\n"
        for path in paths
        if (PACKAGE / path).is_file() and not _is_by_product(path)
    )


def _is_by_product(path: Path) -> bool:
    return any(part == "__pycache__" or part.startswith(".") for part in path.parts)


def _digest(path: Path) -> str:
    return hashlib.sha256(_source(path)).hexdigest()


def _source(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")


def _digest_of_lines(lines: Iterable[str]) -> str:
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def _closure(modules: Iterable[str]) -> dict[str, Path]:
    known = _modules()
    found: dict[str, Path] = {}
    waiting = [_require(module, known) for module in modules]
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            path = found[name] = known[name]
            parent = name.rpartition(".")[0]
            is_package = path.name == "__init__.py"
            waiting += [parent, *_imported(name, is_package, _source(path))]
    return found


def _modules() -> dict[str, Path]:
    """Every module of the package by its full name."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found[".".join(parts)] = path
    return found


def _require(module: str, known: dict[str, Path]) -> str:
    if module not in known:
        raise StudyError(
            f"There is no module {module} to take a fingerprint of. Correct "
            "fingerprint(...) in workflow/rules/."
        )
    return module


@cache
def _imported(module: str, is_package: bool, source: bytes) -> frozenset[str]:
    """Names that a source imports, whether they turn out to be modules or not."""
    package = module if is_package else module.rpartition(".")[0]
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(_imported_from(node, package))
    return frozenset(names)


def _imported_from(node: ast.ImportFrom, package: str) -> Iterator[str]:
    base = node.module or ""
    if node.level:
        parts = package.split(".")
        above = parts[: len(parts) - node.level + 1]
        base = ".".join([*above, base]) if base else ".".join(above)
    yield base
    for alias in node.names:
        yield f"{base}.{alias.name}"
