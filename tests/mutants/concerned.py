"""Tests that concern a module: the nearest to it by imports, with its doctests."""

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

# Folders of tests that run whole studies, or no module in particular
LEFT_OUT = ("workflow", "browser", "benchmarks", "validation", "docs", "mutants")
Graph = Mapping[str, frozenset[str]]


@cache
def graph(root: Path) -> Graph:
    paths = [*root.glob("microleak/**/*.py"), *root.glob("tests/**/*.py")]
    known = {path.relative_to(root).as_posix(): path for path in paths}
    return {
        name: frozenset(found for found in _imported(path) if found in known)
        for name, path in known.items()
    }


def _imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{a.name}" for a in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            yield name.replace(".", "/") + ".py"


def tests_of(module: str, root: Path) -> list[str]:
    """Return the files of tests that concern a module, the nearest first."""
    imports = graph(root)
    distance = {module: 0}
    near = {module}
    while near:
        far = {n for n, known in imports.items() if near & known} - distance.keys()
        distance |= dict.fromkeys(far, max(distance.values()) + 1)
        near = far
    # Families are loaded by name, of which no import tells: tests beside meet it too,
    # and those with study files that have it.
    stem, (_, *folders, _) = Path(module).stem, Path(module).parts
    home = "/".join(["tests", *folders[:2]]) + "/"
    beside = {n for n in imports if n.startswith(home)}
    if folders[:1] == ["attacks"]:
        key = f"\n  {folders[1]}:".encode()
        own = {n for n in imports if n.startswith("tests/")}
        beside |= {n for n in own if key in (root / n).read_bytes()}
    distance = dict.fromkeys(beside, len(imports)) | distance
    tests = [
        name
        for name in distance
        if Path(name).name.startswith("test_") and Path(name).parts[1] not in LEFT_OUT
    ]
    # Those named like the module or beside it know it best, and of others as near those
    # that import less.
    tests.sort(
        key=lambda n: (
            stem not in n,
            not n.startswith(home),
            distance[n],
            len(imports[n]),
            n,
        )
    )
    return [module, *tests]
