"""Whether a value of a domain can begin so, where its pattern is plain enough to tell.

RE2 answers for whole values only. Plain patterns are one or more alternatives that
are characters, or classes of them, one after the other: `[0-9]{10}` is, `0?[1-9]`
and `(a|b)c` are not.
"""

import re

import pyarrow as pa

from microleak.sources.patterns import matches

_ONE = r"(\[(?:\\.|[^]\[\\])+\]|\\[dws]|[^]\[\\(){}|.*+?^$])(?:\{([0-9]+)\})?"
"""One character or class, and how often it stands there."""


def can_begin(beginning: str, pattern: str) -> bool:
    """Whether a value that matches may begin so; True where it cannot be told.

    Parameters
    ----------
    beginning
        First characters of a value, or all of them.
    pattern
        Regular expression of whole values, as RE2 reads it.

    Examples
    --------
    >>> [can_begin(text, "[0-9]{4}|X") for text in ("03", "0304", "X", "X0", "03040")]
    [True, True, True, False, False]
    >>> can_begin("X", "0?[1-9]")
    True
    """
    alternatives = [_characters(part) for part in pattern.split("|")]
    n = len(beginning)
    heads = []
    for characters in alternatives:
        if characters is None:
            return True
        if n <= len(characters):
            heads.append("".join(characters[:n]))
    if not heads:
        return False
    return bool(matches(pa.array([beginning]), "|".join(heads))[0].as_py())


def _characters(part: str) -> list[str] | None:
    """Patterns of the characters of each value, or None if that is not plain."""
    if not re.fullmatch(f"(?:{_ONE})*", part):
        return None
    found = re.findall(_ONE, part)
    return [one for one, times in found for _ in range(int(times or 1))]
