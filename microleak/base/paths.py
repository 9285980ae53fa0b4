"""Where things are: the checkout's data files, the package's, and results."""

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
CONFIG = ROOT / "config"
SCHEMA = CONFIG / "schema.yaml"
DEFAULT_STUDY = CONFIG / "school-twin.yaml"
MANIFEST = "manifest.json"
"""Name of a study's manifest, below its results."""
RESULTS = Path("results")
"""Folder of all studies' results, below the one where a command is run."""

CODE = "code"
"""Folder of the copy, below the study's results."""


def package_yaml(path: Path) -> dict[str, Any]:
    """Return what a YAML file of the package says, by libyaml: it has no faults."""
    content: dict[str, Any] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    return content
