"""The reference of the interface, from the docstrings of what is public.

    ```{interface} microleak
    ```
has what the package's `__all__` names and its functions return, and

    ```{definitions} microleak.attacks.collective.definitions
    ```
every module of a package, in a section of its own, and

    ```{families} microleak
    ```
the same of every family of attacks, by what its package says it is.
"""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any, get_type_hints

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from microleak.families import FAMILIES

ARRAY = re.compile(r"~?numpy\.ndarray\[tuple\[[^]]*\], ~?numpy\.dtype\[([^]]*)\]\]")


def documented(directive: str, name: str, *options: str) -> Iterator[str]:
    """Yield the Markdown that has autodoc document a name."""
    yield from ("```{eval-rst}", f".. {directive}:: {name}")
    yield from (f"   {option}" for option in options)
    yield from ("```", "")


class Interface(SphinxDirective):
    """What a package's `__all__` names, in that order, and then what that returns."""

    required_arguments = 1

    def lines(self, package: str) -> Iterator[str]:
        """Yield the Markdown that documents a package."""
        module = import_module(package)
        offered = {name: getattr(module, name) for name in module.__all__}
        for name, found in offered.items():
            is_class = inspect.isclass(found)
            kind = "autoclass" if is_class else "autofunction"
            yield from documented(kind, f"{package}.{name}", *[":members:"] * is_class)
        functions = filter(inspect.isfunction, offered.values())
        returned = [get_type_hints(each)["return"] for each in functions]
        for found in dict.fromkeys(returned):
            if found.__module__.startswith(f"{package}."):
                name = f"{found.__module__}.{found.__qualname__}"
                yield from documented("autoclass", name, ":members:")

    def run(self) -> list[nodes.Node]:
        """Return what the Markdown says, its sections too."""
        package = self.arguments[0]
        self.content = StringList(list(self.lines(package)), package)
        return self.parse_content_to_nodes(allow_section_headings=True)


def members(package: str, level: str) -> Iterator[str]:
    """Yield the Markdown that documents a module, or each module of a package."""
    found = import_module(package)
    if not hasattr(found, "__path__"):
        yield from documented("automodule", package, ":members:")
    for module in iter_modules(getattr(found, "__path__", ())):
        yield from (f"{level} {module.name}", "")
        yield from documented("automodule", f"{package}.{module.name}", ":members:")


class Definitions(Interface):
    """Every module of a package, in a section of its own."""

    def lines(self, package: str) -> Iterator[str]:
        """Yield the Markdown that documents the modules of a package."""
        return members(package, "##")


class Families(Interface):
    """Every family of attacks: its definitions, or what measures it."""

    def lines(self, _: str) -> Iterator[str]:
        """Yield the Markdown that documents all families."""
        for family in FAMILIES:
            said = str(import_module(family.package).__doc__)
            yield from (f"## {said.partition('.')[0]}", "")
            has_own = find_spec(f"{family.package}.definitions") is not None
            module = "definitions" if has_own else "measure"
            yield from members(f"{family.package}.{module}", "###")


def escape(
    app: Sphinx, kind: str, name: str, found: object, options: object, lines: list[str]
) -> None:
    """Have |S|, x* and q_ of a plain docstring shown as they are written."""
    in_example = False
    for number, line in enumerate(lines):
        in_example = line.startswith(">>>") or (in_example and line != "")
        if not in_example:
            lines[number] = re.sub(r"(`[^`]+`)|([|*])|(_)\b", _escaped, line)
    if kind in {"attribute", "data", "property"}:
        # An empty comment, as what stands before a colon in the first line is a type.
        lines[:0] = ["..", ""]


def _escaped(found: re.Match[str]) -> str:
    return found[1] or f"\\{found[0]}"


def short_arrays(*of: Any) -> tuple[str | None, str | None]:
    """Write the types of arrays as the code does, of arguments and of the result."""
    taken, returned = (each and ARRAY.sub(r"NDArray[\1]", each) for each in of[5:])
    return taken, returned


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directives."""
    app.connect("autodoc-process-docstring", escape, priority=400)
    app.connect("autodoc-process-signature", short_arrays)
    app.add_directive("interface", Interface)
    app.add_directive("definitions", Definitions)
    app.add_directive("families", Families)
    return {"parallel_read_safe": True}
