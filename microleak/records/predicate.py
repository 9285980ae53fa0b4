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


def split_values(written: str) -> tuple[str | None, ...]:
    r"""Return the values that `distinct` wrote and `|` joins; None is a missing one.

    >>> split_values(r"1\|2|(missing)|\(missing)")
    ('1|2', None, '(missing)')
    """
    values = [""]
    for token in re.findall(r"\\.|[^\\]", written, flags=re.DOTALL):
        if token == "|":
            values.append("")
        else:
            values[-1] += token
    return tuple(map(_read, values))


def _read(written: str) -> str | None:
    if written == MISSING:
        return None
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL)


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

    @property
    def written_values(self) -> str:
        r"""The values as result tables have them, joined by `|`.

        >>> print(Predicate("in", ("1|2", None)).written_values)
        1\|2|(missing)
        """
        return "|".join(map(distinct, self.values))

    def __str__(self) -> str:
        """Write it, the same for no other predicate."""
        return f"{self.kind} {self.written_values}"
