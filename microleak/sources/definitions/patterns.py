"""Patterns that a whole value must match, and how a value that matches can begin.

They are read by RE2, whose time grows with the value's length alone: a pattern
from a study file cannot hang a run, and millions of values take no Python loop.

RE2 answers for whole values only. Plain patterns are one or more alternatives that
are characters, or classes of them, one after the other: `[0-9]{10}` is, `0?[1-9]`
and `(a|b)c` are not.
"""

import re

import pyarrow as pa
import pyarrow.compute as pc


def matches(values: pa.Array | pa.ChunkedArray, pattern: str) -> pa.BooleanArray:
    r"""Whether each value matches from its first character to its last.

    A missing value gives null.

    Raises
    ------
    pa.ArrowInvalid
        If RE2 cannot read the pattern.

    Examples
    --------
    >>> matches(pa.array(["1", "12", "1\\n", None]), "1|2").to_pylist()
    [True, False, False, None]
    """
    return pc.match_substring_regex(values, rf"\A(?:{pattern})\z")


def is_pattern(pattern: str) -> bool:
    r"""Whether RE2 reads it, alone and where a whole value must match it.

    Look-around, back-references and possessive repetitions are not in RE2.

    >>> is_pattern(r"[0-9]{4}|\pL+"), is_pattern(r"(?=a)b"), is_pattern("a)|(b")
    (True, False, False)
    """
    # Without a value RE2 is not asked.
    value = pa.array([""])
    try:
        pc.match_substring_regex(value, pattern)
        matches(value, pattern)
    except pa.ArrowInvalid:
        return False
    return True


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
