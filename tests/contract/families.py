"""What tests of all families ask of each: its files, its rules, its tables."""

import re

from microleak.base.paths import ROOT
from microleak.family import Family, steps_of

PAGE_RULES = ("publish", "draw", "report", "audit")
"""What every family's files may rerun: what is shown of it, and the manifest."""


def own_files(family: Family) -> list[str]:
    """Its files, as paths below the project."""
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
