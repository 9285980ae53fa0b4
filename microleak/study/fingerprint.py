"""One number for the code that a result depends on.

Snakemake does not look into the package that a script imports, nor at the packages
that this one imports. So each step has the fingerprint of its script and modules.
"""

import ast
import hashlib
import os
import platform
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cache
from importlib.metadata import distribution, version
from importlib.util import resolve_name
from pathlib import Path
from typing import TYPE_CHECKING, Any

from microleak.base import paths
from microleak.base.errors import StudyError
from microleak.base.paths import home_of, name_of, path_in_checkout
from microleak.step import Step
from microleak.study.tables import result_tables
from microleak.tables.spec import TableSpec, tables_of

if TYPE_CHECKING:  # a job takes its fingerprint, and most read no source
    from microleak.sources.definitions.definition import SourceDefinition

PACKAGES = (
    *("babel", "duckdb", "highspy", "jinja2", "matplotlib", "numba"),
    *("numpy", "pandas", "pyarrow"),
)
"""Packages whose version can change results or their bytes."""

_MAPS = ("crosswalks", "domains", "layouts", "names", "recodes", "sources")
CODE = (
    *("Snakefile", "microleak", "papers/twins", "scripts", "workflow"),
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
                "or correct data= of its Step."
            )
        is_own = any(map(file.is_relative_to, (paths.ROOT, paths.PACKAGE)))
        name = name_of(file) if is_own else file.name
        lines.append(f"{name} {_source_digest(file)}\n")
    lines += [f"{table.name} {table.digest}\n" for table in tables]
    return hashlib.sha256("".join(sorted(lines)).encode()).hexdigest()


def code_now(step: Step) -> str:
    """Return the fingerprint of a step's script, modules, other files and tables."""
    # Of the tables that it writes or reads what they can hold counts, not what is said
    # of them. The files are read each time.
    script = path_in_checkout(f"scripts/{step.rule}.py")
    data = [f for each in step.data for f in sorted(home_of(each).glob(each))]
    return fingerprint_of_modules(
        *step.modules, files=[script, *data], tables=_tables(step)
    )


def _tables(step: Step) -> list[TableSpec]:
    """Return the tables that a step writes or reads, which most find beside their own.

    To open those of all families takes a job longer than many of them work.
    """
    homes = {
        m.split(".")[2] for m in step.modules if m.startswith("microleak.attacks.")
    }
    packages = "microleak.study", *(f"microleak.attacks.{home}" for home in homes)
    found = {n: spec for each in packages for n, spec in tables_of(each).items()}
    every = found if found.keys() >= {*step.reads} else result_tables()
    made = step.makes.values()
    return [t for t in every.values() if t.path in made or t.name in step.reads]


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
    told = distribution(package).read_text("METADATA") or ""  # of which this is a line
    found = re.search(r"^Version: (\S+)$", told, re.M)
    return found[1] if found else version(package)


def reading_state(definition: "SourceDefinition", attributes: Iterable[str]) -> str:
    """Text that differs if a release would be read otherwise, and only then."""
    # What the definition says of attributes that are not read does not count, nor which
    # releases are linked, nor which columns are known. Where it does not name
    # attributes, all its domains count: reading refuses a table without their columns.
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
    """SHA-256 of all code: the package, scripts, workflow, and maps of sources."""
    # It is that of the list that `sha256sum` prints of the files, in the order of their
    # paths (docs/audit.md). Studies, their schema, documentation and tests do not
    # count. An installed package has the same as the checkout that it was built from.
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
    found: dict[str, Path] = {}
    waiting = [*modules]
    for module in waiting:
        if not _file_of(module, paths.PACKAGE):
            raise StudyError(
                f"There is no module {module} to take a fingerprint of. Correct "
                "modules= of its Step."
            )
    while waiting:
        name = waiting.pop()
        if name not in found and (path := _file_of(name, paths.PACKAGE)):
            found[name] = path
            parent = name.rpartition(".")[0]
            is_package = path.name == "__init__.py"
            waiting += [parent, *_names_imported(name, is_package, _source_bytes(path))]
    return found


def _versions_imported(modules: dict[str, Path]) -> dict[str, str]:
    """Versions of Python and of the packages that modules import themselves."""
    # Of Python 3.11.7 it is 3.11: conda, a cluster's nodes and who checks results may
    # have another bug-fix release, which changes no number.
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
def _file_of(module: str, package: Path) -> Path | None:
    """Return the file of a module of the package or of a twin beside it, or None."""
    top, *parts = module.split(".")
    if top == package.name or parts[:1] == ["twins"]:
        folder = package if top == package.name else paths.ROOT / top
        place = "/".join((str(folder), *parts))
        for path in (f"{place}/__init__.py", f"{place}.py"):
            if os.path.isfile(path):  # noqa: PTH113, a job asks hundreds of times
                return Path(path)
    return None


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
    base = resolve_name("." * node.level + (node.module or ""), package)
    yield base
    for alias in node.names:
        yield f"{base}.{alias.name}"
