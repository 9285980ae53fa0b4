"""The families of attacks: the only place in the code that lists them."""

from collections.abc import Callable
from typing import Any

from microleak.base.errors import check_known
from microleak.family import Family, load

NAMES = (
    *("collective", "targets", "membership", "anonymity"),
    *("mechanism", "reconstruction"),
    *("g_leakage", "special_uniques", "risk_groups", "composition"),
    *("rough_knowledge", "smallest_protection", "known_protection", "linkage"),
    *("intersection", "table_rebuilding", "query_answers", "published_file"),
    "unit_risks",
)
"""In the order of the page; a family may read what those before it have."""

# By name, so that a fingerprint of what loops over them does not follow all of them.
FAMILIES: tuple[Family, ...] = tuple(
    load(f"microleak.attacks.{name}:FAMILY") for name in NAMES
)

FUNCTIONS = {name: family for family in FAMILIES for name in family.functions}
"""Families by the names of their functions on frames."""


def function(name: str) -> Callable[..., Any]:
    """Return a function on frames by its name in `microleak`."""
    make = load("microleak.frames:function_of")
    found: Callable[..., Any] = make(FUNCTIONS[name], name)
    return found


def analyse(kind: str, *frames: Any, **keys: Any) -> Any:
    """Analyse frames, with the keys of an analysis of a study file.

    Parameters
    ----------
    kind
        Name of a function of `microleak`, or of a key below `analyses`, which stands
        for the first function of its family.
    frames, keys
        What this function takes (docs/python.md).

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [25, 26, 40, 60]})
    >>> found = analyse("special_uniques", people, qids=["age"])
    >>> found.special_uniques[["size", "n_minimal"]]
       size  n_minimal
    0     1          4
    """
    first = {family.name: family.functions[0] for family in FAMILIES}
    check_known(kind, {**FUNCTIONS, **first}, "There is no kind of analysis")
    return function(kind if kind in FUNCTIONS else first[kind])(*frames, **keys)
