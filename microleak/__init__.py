"""Measures what a release of official microdata gives away about the people in it.

The functions below take pandas and Polars frames and Arrow tables (docs/python.md).
Their types are in `__init__.pyi`.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# By name, and loaded when asked for: so `import microleak` stays light, and the
# fingerprint of a job, which is of the package too, does not follow all families.
_OTHERS = {
    "analyse": "microleak.families",
    "check": "microleak.policy.frames",
    "open_results": "microleak.audit.opened",
    "protect": "microleak.protection.frames",
    "unit_facts": "microleak.units.frames",
}


def __getattr__(name: str) -> Any:
    if name in _OTHERS:
        return getattr(import_module(_OTHERS[name]), name)
    if name == "__all__" or not name.startswith("_"):
        families = import_module("microleak.families")
        if name == "__all__":
            return sorted((*families.FUNCTIONS, *_OTHERS))
        if name in families.FUNCTIONS:
            return families.function(name)
    raise AttributeError(f"module 'microleak' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__getattr__("__all__"), "__version__"]
