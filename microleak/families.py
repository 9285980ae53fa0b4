"""The families of attacks: the only place in the code that lists them."""

from microleak.family import Family, load

NAMES = (
    *("collective", "targets", "membership", "anonymity"),
    *("mechanism", "reconstruction"),
    *("g_leakage", "special_uniques", "risk_groups", "composition"),
    *("rough_knowledge", "smallest_protection", "known_protection", "linkage"),
    *("intersection", "table_rebuilding", "query_answers"),
)
"""In the order of the page; a family may read what those before it have."""

# By name, so that a fingerprint of what loops over them does not follow all of them.
FAMILIES: tuple[Family, ...] = tuple(
    load(f"microleak.attacks.{name}:FAMILY") for name in NAMES
)
