"""Files of settings and texts that are part of the package."""

from pathlib import Path
from typing import Any

import yaml


def package_yaml(path: Path) -> dict[str, Any]:
    """Return what a YAML file of the package says, by libyaml: it has no faults."""
    content: dict[str, Any] = yaml.load(
        path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    return content
