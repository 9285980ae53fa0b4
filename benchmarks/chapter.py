"""A chapter of the page of tables that a program of its own measures and writes."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any, Final

from benchmarks.machine import machine
from microleak.base.files import write_text

PAGE: Final = "performance-tables.md"
"""All tables; docs/performance.md, which is kept, has some of them."""


@dataclass(frozen=True)
class Chapter:
    """Where a chapter stands, and how it is made from its results.

    Attributes
    ----------
    results
        Name of its file of results, beside the page.
    heading, following
        Its heading, and those before the first of which on the page it stands.
    text
        Makes what stands below the line on the machine, from what was measured.
    """

    results: str
    heading: str
    following: tuple[str, ...]
    text: Callable[[list[dict[str, Any]]], str]

    def put(self, page: str, folder: Path) -> str:
        """Return the page with the chapter, if it was measured.

        A chapter that the page has is replaced.
        """
        if not (folder / self.results).is_file():
            return page
        content = json.loads((folder / self.results).read_text(encoding="utf-8"))
        following = next(heading for heading in self.following if heading in page)
        before, _, rest = page.partition(following)
        before = before.partition(self.heading)[0]
        told = f"{_measured_on(content)}\n\n{self.text(content['taken'])}"
        return f"{before}{self.heading}\n{told}\n\n{following}{rest}"

    def write(
        self, taken: Iterable[dict[str, Any]], packages: Iterable[str], folder: Path
    ) -> None:
        """Write what was measured, and the chapter, into a folder with the page."""
        content = {
            "date": datetime.now(UTC).date().isoformat(),
            "machine": machine(),
            "versions": {
                "python": python_version(),
                **{name: version(name) for name in packages},
            },
            "taken": list(taken),
        }
        write_text(folder / self.results, json.dumps(content, indent=1) + "\n")
        page = folder / PAGE
        if page.is_file():
            write_text(page, self.put(page.read_text(encoding="utf-8"), folder))


def _measured_on(content: dict[str, Any]) -> str:
    on = content["machine"]
    packages = ", ".join(f"{name} {v}" for name, v in content["versions"].items())
    return (
        f"{content['date']}; {on['cpu']}, {on['cores']} cores, "
        f"{on['memory_gib']} GiB, {on['system']}. {packages}."
    )
