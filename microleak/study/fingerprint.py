"""One number for the code that a result depends on.

Snakemake does not look into the package that a script imports, nor at the packages
that this one imports. So each step has the fingerprint of its script and modules.
"""

import ast
import hashlib
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from microleak.base import paths
from microleak.base.errors import StudyError
from microleak.base.paths import name_of, path_in_checkout
from microleak.sources.definitions.definition import SourceDefinition
from microleak.tables.spec import TableSpec

PACKAGES = (
    *("babel", "duckdb", "highspy", "jinja2", "matplotlib", "numba"),
    *("numpy", "pandas", "pandera", "pyarrow"),
)
"""Packages whose version can change results or their bytes."""

_MAPS = ("crosswalks", "domains", "layouts", "names", "recodes", "sources")
CODE = (
    *("Snakefile", "microleak", "scripts", "workflow"),
    *(f"config/{name}" for name in _MAPS),
)
"""Files and folders of a checkout that can change results or their bytes."""

_IMPORT = re.compile(
    rb"^[ \t]*(?:from[^\n]+import\s*\([^)]*\)|(?:from|import)\s[^\n;]+)", re.M
)
"""An import statement, which begins a line; it may go on over lines in parentheses."""


def fingerprint_of_modules(
    *modules: str, files: Iterable[Path] = (), tables: Iterable[TableSpec] = ()
) -> str:
    """SHA-256 of modules, of all that they import, and of data files.

    Imports are read from the source, wherever in a module they stand, and
    followed to the end; nothing is executed, so a module imported by a computed
    name is not seen. The packages a module lies in count as imported. A change
    of any byte of the source, also of a comment, changes the fingerprint; the
    order of the arguments, the folder of the project and whether lines end as
    on Unix or Windows do not. Of microleak the sources count; of Python and of
    the `PACKAGES` that a module imports the versions.

    >>> of_errors = fingerprint_of_modules("microleak.base.errors")
    >>> of_errors == fingerprint_of_modules("microleak.base.files")
    False
    """
    found = _modules_followed(modules)
    lines = [f"{name} {_source_digest(path)}\n" for name, path in found.items()]
    lines += [
        f"{name} {number}\n" for name, number in _versions_imported(found).items()
    ]
    for file in files:
        if not file.is_file():
            raise StudyError(
                f"There is no data file {file} to take a fingerprint of. Restore it, "
                "or correct files= in workflow/rules/."
            )
        is_own = any(map(file.is_relative_to, (paths.ROOT, paths.PACKAGE)))
        name = name_of(file) if is_own else file.name
        lines.append(f"{name} {_source_digest(file)}\n")
    lines += [f"{table.name} {table.digest}\n" for table in tables]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def package_versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    folders = [Path(path) for path in sys.path]
    state = tuple((f, f.stat().st_mtime_ns) for f in folders if f.is_dir())
    return {
        "python": platform.python_version(),
        **{package: _package_version(package, state) for package in packages},
    }


@cache
def _package_version(package: str, state: tuple[tuple[Path, int], ...]) -> str:
    """Return a package's version, looked up anew where something was installed."""
    return version(package)


def reading_state(definition: SourceDefinition, attributes: Iterable[str]) -> str:
    """Text that differs if a release would be read otherwise, and only then.

    What the definition says of attributes that are not read does not count, nor
    which releases are linked, nor which columns are known. Where it does not name
    attributes, all its domains count: reading refuses a table without their columns.
    """
    read = {*attributes, *definition.identifiers}
    is_named = bool(definition.names)

    def kept(values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values that are read, or that no name is known for."""
        return {n: value for n, value in values.items() if n in read or not is_named}

    names, layout = kept(definition.names), definition.layout
    if layout:
        official = set(names.values())
        places = {n: place for n, place in layout.fields.items() if n in official}
        layout = replace(layout, fields=places)
    used = replace(
        definition,
        names=names,
        unreleased=tuple(name for name in definition.unreleased if name in read),
        recodes=kept(definition.recodes),
        domains=kept(definition.domains),
        layout=layout,
        linked=None,
        columns=(),
    )
    return repr(used)


def code_fingerprint() -> str:
    """SHA-256 of all code: the package, scripts, workflow, and maps of sources.

    It is that of the list that `sha256sum` prints of the files, in the order of their
    paths (docs/audit.md). Studies, their schema, documentation and tests do not
    count. An installed package has the same as the checkout that it was built from.
    """
    files = sorted(path for part in CODE for path in _code_files(part))
    lines = "".join(
        f"{_source_digest(path_in_checkout(path))}  {path}\n" for path in files
    )
    return hashlib.sha256(lines.encode()).hexdigest()


def _code_files(part: str) -> Iterator[str]:
    """Yield the path of a part of the code that is a file, or of the files in it."""
    place = path_in_checkout(part)
    for file in place.rglob("*") if place.is_dir() else [place]:
        path = name_of(file)  # of what a wheel has in the package, not below `part`
        names = path.split("/")
        is_left_out = "__pycache__" in names or any(n.startswith(".") for n in names)
        if file.is_file() and path.startswith(part) and not is_left_out:
            yield path


def _source_digest(path: Path) -> str:
    return hashlib.sha256(_source_bytes(path)).hexdigest()


def _source_bytes(path: Path) -> bytes:
    return path.read_bytes().replace(b"\r\n", b"\n")


def _modules_followed(modules: Iterable[str]) -> dict[str, Path]:
    known = _modules_by_name(paths.PACKAGE)
    found: dict[str, Path] = {}
    waiting = [_known_module(module, known) for module in modules]
    while waiting:
        name = waiting.pop()
        if name in known and name not in found:
            path = found[name] = known[name]
            parent = name.rpartition(".")[0]
            is_package = path.name == "__init__.py"
            waiting += [parent, *_names_imported(name, is_package, _source_bytes(path))]
    return found


def _versions_imported(modules: dict[str, Path]) -> dict[str, str]:
    """Versions of Python and of the packages that modules import themselves.

    Of Python 3.11.7 it is 3.11: conda, a cluster's nodes and who checks results may
    have another bug-fix release, which changes no number.
    """
    imported = {
        name.partition(".")[0]
        for module, path in modules.items()
        for name in _names_imported(
            module, path.name == "__init__.py", _source_bytes(path)
        )
    }
    found = package_versions(package for package in PACKAGES if package in imported)
    return found | {"python": found["python"].rpartition(".")[0]}


@cache
def _modules_by_name(package: Path) -> dict[str, Path]:
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found[".".join(parts)] = path
    return found


def _known_module(module: str, known: dict[str, Path]) -> str:
    if module not in known:
        raise StudyError(
            f"There is no module {module} to take a fingerprint of. Correct "
            "fingerprint(...) in workflow/rules/."
        )
    return module


@cache
def _names_imported(module: str, is_package: bool, source: bytes) -> frozenset[str]:
    """Names that a source imports, whether they turn out to be modules or not."""
    package = module if is_package else module.rpartition(".")[0]
    names: set[str] = set()
    for statement in _IMPORT.findall(source):
        with suppress(SyntaxError):  # a line of a docstring
            (node,) = ast.parse(statement.strip()).body
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
