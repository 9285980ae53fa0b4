"""What tests of all families ask of each: its files, its rules, its tables."""

import re
from importlib import import_module

import pandas as pd

from microleak.base.paths import ROOT
from microleak.families import FAMILIES
from microleak.family import Family, steps_of

PAGE_RULES = ("publish", "draw", "report", "audit")
"""What every family's files may rerun: what is shown of it, and the manifest."""


def own_files(family: Family) -> list[str]:
    folder = ROOT / "microleak/attacks" / family.name
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]


def rules_of(family: Family) -> list[str]:
    """Its rules; two families share the one that compares a sample."""
    return [step.rule for step in steps_of(family)]


def measured_by(family: Family) -> list[str]:
    """What it writes below measures/, a folder an analysis or a file a study."""
    made = [path for step in steps_of(family) for path in step.makes.values()]
    found = [re.fullmatch(r"measures/(\w+)(/.*)?[.]csv", path) for path in made]
    return [each[1] for each in found if each]


def examples_of(name: str) -> dict[str, dict[str, pd.DataFrame]]:
    """Its example rows, `EXAMPLES` of one of its tests: by analysis, and by table."""
    folder = ROOT / "tests/attacks" / name
    for path in sorted(folder.glob("*.py")):
        if re.search("^EXAMPLES = ", path.read_text(encoding="utf-8"), re.MULTILINE):
            module = import_module(f"tests.attacks.{name}.{path.stem}")
            return module.EXAMPLES
    return {}


def examples() -> dict[str, dict[str, pd.DataFrame]]:
    found = (examples_of(family.name) for family in FAMILIES)
    return {name: rows for each in found for name, rows in each.items()}
