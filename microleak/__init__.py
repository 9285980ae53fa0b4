"""Measures what a release of official microdata gives away about the people in it."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["assess"]


def __getattr__(name: str) -> Any:
    # Loaded when asked for, so that `import microleak.base.errors` stays light.
    if name == "assess":
        return import_module("microleak.attacks.collective.assess").assess
    raise AttributeError(f"module 'microleak' has no attribute {name!r}")
