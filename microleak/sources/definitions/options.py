"""How a study says a delimited text is written, checked."""

import codecs
import re
from collections.abc import Mapping
from typing import Any

from microleak.base.errors import StudyError
from microleak.sources.definitions.patterns import is_pattern
from microleak.sources.files.member import printable

ENCODINGS = {"utf-8": "utf-8", "iso8859-1": "latin-1", "cp1252": "cp1252"}
"""Encodings in which an ASCII character is the same single byte, by codec name."""

_EDIT = "Correct options in the study file"


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Give the options that are read as text, each as its type should be.

    Raises
    ------
    StudyError
        If a value of `delimiter`, `encoding`, `missing`, `person_id`,
        `record_id` or `domains` cannot be.
    """
    return {
        "delimiter": _delimiter(options["delimiter"]),
        "encoding": _encoding(options["encoding"]),
        "missing": _missing(options["missing"]),
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
