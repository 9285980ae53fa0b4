"""Where things are: the project's files, the package's, and results."""

from pathlib import Path
from typing import Any

import yaml

PACKAGE = Path(__file__).resolve().parents[1]
_IN_WHEEL = PACKAGE / "project"
# Folder of Snakefile, workflow, scripts, config, envs and profiles: the checkout, or
# where a wheel has them
ROOT = _IN_WHEEL if _IN_WHEEL.is_dir() else PACKAGE.parent
CONFIG = ROOT / "config"
SCHEMA = CONFIG / "schema.yaml"
DEFAULT_STUDY = CONFIG / "school-twin.yaml"
MANIFEST = "manifest.json"  # Name of a study's manifest, below its results
# Folder of all studies' results, below the one where a command is run
RESULTS = Path("results")
CODE = "code"  # Folder of the copy, below the study's results
RECORDS = "records"  # Folder of the jobs' records, below them


def home_of(name: str) -> Path:
    """Return the folder below which a path in a checkout, or a pattern, is found."""
    return PACKAGE.parent if name.partition("/")[0] == PACKAGE.name else ROOT


def path_in_checkout(name: str) -> Path:
    return home_of(name) / name


def name_of(file: Path) -> str:
    """Return the path that a file of the project or the package has in a checkout."""
    root = ROOT if file.is_relative_to(ROOT) else PACKAGE.parent
    return file.relative_to(root).as_posix()


def package_yaml(path: Path) -> dict[str, Any]:
    """Return what a YAML file of the package says, by libyaml: it has no faults."""
    content: dict[str, Any] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    return content
