"""How values are written where several may stand in one cell of a table."""

import re

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
