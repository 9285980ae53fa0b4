"""Measures what a release of official microdata gives away about the people in it.

The functions below take pandas and Polars frames and Arrow tables (docs/python.md).
Their types are in `__init__.pyi`.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# By name, and loaded when asked for: so `import microleak` stays light, and the
# fingerprint of a job, which is of the package too, does not follow all families.
_FUNCTIONS = {
    "anonymity": "microleak.attacks.anonymity.frames",
    "assess": "microleak.attacks.collective.frames",
    "composition": "microleak.attacks.composition.frames",
    "g_leakage": "microleak.attacks.g_leakage.frames",
    "intersection": "microleak.attacks.intersection.frames",
    "known_protection": "microleak.attacks.known_protection.frames",
    "linkage": "microleak.attacks.linkage.frames",
    "mechanism": "microleak.attacks.mechanism.frames",
    "membership": "microleak.attacks.membership.frames",
    "open_results": "microleak.audit.opened",
    "panel": "microleak.attacks.collective.frames",
    "protect": "microleak.protection.frames",
    "query_answers": "microleak.attacks.query_answers.frames",
    "rebuilt_crossings": "microleak.attacks.table_rebuilding.frames",
    "reconstruct": "microleak.attacks.reconstruction.frames",
    "risk_groups": "microleak.attacks.risk_groups.frames",
    "rough_knowledge": "microleak.attacks.rough_knowledge.frames",
    "smallest_protection": "microleak.attacks.smallest_protection.frames",
    "special_uniques": "microleak.attacks.special_uniques.frames",
    "table_rebuilding": "microleak.attacks.table_rebuilding.frames",
    "target": "microleak.attacks.targets.frames",
}
__all__ = [
    "anonymity",
    "assess",
    "composition",
    "g_leakage",
    "intersection",
    "known_protection",
    "linkage",
    "mechanism",
    "membership",
    "open_results",
    "panel",
    "protect",
    "query_answers",
    "rebuilt_crossings",
    "reconstruct",
    "risk_groups",
    "rough_knowledge",
    "smallest_protection",
    "special_uniques",
    "table_rebuilding",
    "target",
]


def __getattr__(name: str) -> Any:
    if name in _FUNCTIONS:
        return getattr(import_module(_FUNCTIONS[name]), name)
    raise AttributeError(f"module 'microleak' has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
