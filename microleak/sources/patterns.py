"""Regular expressions that a whole value must match.

They are read by RE2, whose time grows with the value's length alone: a pattern
from a study file cannot hang a run, and millions of values take no Python loop.
"""

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
