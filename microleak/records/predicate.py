"""Which values of an attribute are counted, and how they are written in one cell."""

import re
from dataclasses import dataclass

MISSING = "(missing)"
r"""How a missing value is written.

In others a `\` stands before each `|` and `\`, and before this text if a value is
that: so values joined by `|` are never taken for others.
"""


def distinct(value: str | None) -> str:
    r"""Write a value so that it is no other one, nor several, nor a missing one.

    >>> print(distinct("1|2"), distinct(None), distinct("(missing)"))
    1\|2 (missing) \(missing)
    """
    if value is None:
        return MISSING
    if value == MISSING:
        return rf"\{value}"
    return re.sub(r"[|\\]", r"\\\g<0>", value)


EQUALS, IN, GREATER, BETWEEN = "equals", "in", "greater", "between"
ORDERED = (GREATER, BETWEEN)
"""Kinds of predicates that need an order of the values."""


@dataclass(frozen=True)
class Predicate:
    """Which useful values are counted.

    Attributes
    ----------
    kind
        `equals`, `in`, `greater` or `between`.
    values
        What the study file gives; None is a missing value. `greater` has the value
        that is exceeded, `between` the lowest and highest that are counted.
    """

    kind: str
    values: tuple[str | None, ...]

    def __str__(self) -> str:
        r"""Write it as result tables do, the same for no other predicate.

        >>> str(Predicate("in", ("1|2", None)))
        'in 1\\|2|(missing)'
        """
        return f"{self.kind} {'|'.join(map(distinct, self.values))}"
