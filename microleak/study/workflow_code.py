"""The workflow that made a study's results, copied beside them for who reads them."""

import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from microleak.files import whole_folder
from microleak.paths import ROOT

CODE = "code"
"""Folder of the copy, below the study's results."""

SNAKEFILE = f"{CODE}/Snakefile"

_RULE = re.compile(r'^rule (\w+):\n    """(.*?)"""', re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Rule:
    """Where a rule stands, as a path of the copy, and what its docstring says."""

    path: str
    says: str


def workflow_files() -> list[Path]:
    """Snakefile, scripts and rules of this checkout, in the order of their paths."""
    parts = (("", "Snakefile"), ("scripts", "*.py"), ("workflow/rules", "*.smk"))
    return [
        file
        for folder, pattern in parts
        for file in sorted((ROOT / folder).glob(pattern))
    ]


def copy_code(study_dir: Path) -> None:
    """Copy the workflow's files, bytes alone, in place of an earlier copy."""
    with whole_folder(study_dir / CODE) as folder:
        for file in workflow_files():
            copy = folder / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy)


def rules() -> dict[str, Rule]:
    """Every rule of the workflow by its name."""
    return {
        name: Rule(_copied(file), " ".join(says.split()))
        for file in workflow_files()
        for name, says in _RULE.findall(file.read_text(encoding="utf-8"))
    }


def _copied(file: Path) -> str:
    return f"{CODE}/{file.relative_to(ROOT).as_posix()}"
