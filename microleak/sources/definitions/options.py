"""Patterns of values, and how a study says a delimited text is written.

Patterns that a whole value must match, and how a value that matches can begin. They
are read by RE2, whose time grows with the value's length alone: a pattern from a
study file cannot hang a run, and millions of values take no Python loop.

RE2 answers for whole values only. Plain patterns are one or more alternatives that
are characters, or classes of them, one after the other: `[0-9]{10}` is, `0?[1-9]`
and `(a|b)c` are not.
"""

import codecs
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from microleak.base.errors import StudyError
from microleak.sources.files.member import printable


def matches(values: pa.Array | pa.ChunkedArray, pattern: str) -> pa.BooleanArray:
    """Whether each value matches from its first character to its last."""
    # A missing value gives null.
    return pc.match_substring_regex(values, rf"\A(?:{pattern})\z")


def is_pattern(pattern: str) -> bool:
    """Whether RE2 reads it, alone and where a whole value must match it."""
    # Look-around, back-references and possessive repetitions are not in RE2.

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


# Encodings in which an ASCII character is the same single byte, by codec name
ENCODINGS = {"utf-8": "utf-8", "iso8859-1": "latin-1", "cp1252": "cp1252"}
_EDIT = "Correct options in the study file"


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "delimiter": _delimiter(options["delimiter"]),
        "encoding": _encoding(options["encoding"]),
        "missing": _missing(options["missing"]),
        "sheet": options.get("sheet"),
        "person_id": _identifier("person_id", options["person_id"]),
        "record_id": _identifier("record_id", options["record_id"]),
        "domains": _patterns(options.get("domains", {})),
    }


def _delimiter(value: Any) -> str:
    if value in ("tab", r"\t"):
        return "\t"
    if not isinstance(value, str) or not re.fullmatch(r"[\t !#-~]", value):
        raise StudyError(
            "delimiter must be one ASCII character other than a quotation mark, or "
            f"tab. {_EDIT}."
        )
    return value


def _encoding(value: Any) -> str:
    try:
        return ENCODINGS[codecs.lookup(str(value)).name]
    except LookupError:
        raise StudyError(
            f"encoding {value} cannot be read; use one of "
            f"{', '.join(ENCODINGS.values())}. {_EDIT}."
        ) from None


def _missing(values: Any) -> tuple[str, ...]:
    """Texts as they were written; YAML reads some, as NO and 1.0, as others."""
    is_right = isinstance(values, list) and all(
        isinstance(value, str | int) and not isinstance(value, bool) for value in values
    )
    if not is_right:
        raise StudyError(
            f"missing must be a list of texts, each in quotation marks. {_EDIT}."
        )
    return tuple(str(value) for value in values)


def _identifier(option: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or not value):
        raise StudyError(f"{option} must be the name of an attribute. {_EDIT}.")
    return value


def _patterns(patterns: Any) -> dict[str, str]:
    if not isinstance(patterns, dict):
        raise StudyError(f"domains must give a pattern for each attribute. {_EDIT}.")
    for attribute, pattern in patterns.items():
        if not isinstance(pattern, str) or not is_pattern(pattern):
            raise StudyError(
                f"domains: the pattern of {attribute} is {printable(str(pattern))}, "
                "which is not a regular expression that RE2 reads (it has no "
                f"look-around, back-references, possessive repetitions). {_EDIT}."
            )
    return patterns
