"""docs/pipeline.md: what each rule reads and makes, and the function that does it."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from typing import NamedTuple

from microleak.base.files import write_text
from microleak.base.paths import ROOT, path_in_checkout
from microleak.families import NAMES
from microleak.study.steps import steps_by_rule

PAGE = ROOT / "docs/pipeline.md"
BEGIN, END = "<!-- Made by make docs from workflow/rules. -->", "<!-- End of it. -->"
STAGES = {
    "Releases": ("releases",),
    "People": ("people", "protect"),
    "Attacks": NAMES,
    "Report": ("pages",),
}

_RULE = re.compile(r"^rule (\w+):\n((?:    .*\n|\n)+)", re.M)
_ITEM = re.compile(r"^        (\w+)=(.*(?:\n            .*)*)", re.M)
_PATH = re.compile(r'"<results>/([^"]+)"|(STUDY_FILE)|(?<= )(\w+/[\w./]+\w)')
"""What a rule writes as a pattern or, where the study file decides, in a comment."""


class ShownRule(NamedTuple):
    """A rule as its file shows it: patterns of paths, by their names."""

    name: str
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]


def shown_rules(*files: str) -> Iterator[ShownRule]:
    """Yield the rules of some files in workflow/rules."""
    for file in files:
        text = path_in_checkout(f"workflow/rules/{file}.smk").read_text(
            encoding="utf-8"
        )
        for name, body in _RULE.findall(text):
            yield ShownRule(
                name, _paths_of_part(body, "input"), _paths_of_part(body, "output")
            )


def _paths_of_part(body: str, part: str) -> dict[str, list[str]]:
    found = re.search(rf"^    {part}:\n((?:        .*\n)+)", body, re.M)
    items = _ITEM.findall(found[1]) if found else ()
    return {name: ["".join(path) for path in _PATH.findall(v)] for name, v in items}


def documented_rules(page: str) -> str:
    """Return docs/pipeline.md with a table a stage between its two marks."""
    before, after = page.partition(BEGIN)[0], page.partition(END)[2]
    head = "| rule | reads | makes | script | function |\n|---|---|---|---|---|\n"
    tables = "\n".join(
        f"## {stage}\n\n{head}" + "".join(map(_rule_row, shown_rules(*files)))
        for stage, files in STAGES.items()
    )
    return f"{before}{BEGIN}\n\n{tables}\n{END}{after}"


def _rule_row(rule: ShownRule) -> str:
    paths = (chain(*by.values()) for by in (rule.inputs, rule.outputs))
    cells = [rule.name], *paths, [f"{rule.name}.py"], _functions_of_script(rule.name)
    listed = (dict.fromkeys(cell) for cell in cells)
    return "| " + " | ".join("<br>".join(f"`{e}`" for e in c) for c in listed) + " |\n"


def _functions_of_script(rule: str) -> Iterator[str]:
    """Yield the functions of a rule's own modules that its script imports."""
    others = "microleak.tables", "microleak.study.load", "microleak.study_file"
    own = [m for m in steps_by_rule()[rule].modules if not m.startswith(others)]
    for each in ast.parse(
        path_in_checkout(f"scripts/{rule}.py").read_text("utf-8")
    ).body:
        if isinstance(each, ast.ImportFrom) and (module := str(each.module)) in own:
            names = [alias.name for alias in each.names if alias.name[0].islower()]
            yield from (f"{module.removeprefix('microleak.')}.{n}" for n in names)


if __name__ == "__main__":
    write_text(PAGE, documented_rules(PAGE.read_text(encoding="utf-8")))
