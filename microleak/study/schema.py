"""Checks a study file against config/schema.yaml and documents its keys."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError

from microleak.errors import StudyError, most_like, nearest, ordinal
from microleak.paths import SCHEMA


@cache
def schema() -> Mapping[str, Any]:
    """Return the JSON schema of study files."""
    content: Mapping[str, Any] = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    return content


def check(content: object, path: Path) -> None:
    """Refuse a study file that does not fit the schema.

    Raises
    ------
    StudyError
        One line for the first fault in the file: the key, what is wrong with
        it and, for an unknown key, the nearest that exists.
    """
    faults = sorted(
        _Validator(schema()).iter_errors(content), key=lambda f: list(map(str, f.path))
    )
    if faults:
        fault = _deepest(faults[0])
        known = _places_in_known(fault, content)
        said = _sentence_of_known(fault, known) if known else _sentence(fault)
        raise StudyError(f"{path}: {said}")


def _fits(
    _: Any, pattern: str, value: object, __: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Yield a fault unless the pattern fits; `$` is the end, as JSON schema has it.

    In Python `$` also fits before a line feed at the end. The schema's patterns
    have it in no other meaning.
    """
    if isinstance(value, str) and not re.search(pattern.replace("$", r"\Z"), value):
        yield ValidationError(f"not of the form {pattern}")


_Validator = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
    jsonschema.Draft202012Validator, {"pattern": _fits}
)


_KINDS = ("type", "enum")
_DEPTH_OF_KNOWN = 4
"""Steps to the known values of a target: analyses, targets, its place, known."""


def _deepest(fault: Any) -> Any:
    """Return the branch of an alternative that the file was closest to."""
    if fault.validator == "anyOf" and fault.context:
        closer = [f for f in fault.context if f.path or f.validator not in _KINDS]
        return closer[0] if closer else fault
    return fault


def _sentence(fault: Any) -> str:
    where = ".".join(map(_printable, fault.absolute_path)) or "the study"
    known = fault.schema.get("properties", {})
    if fault.validator == "additionalProperties" and isinstance(fault.instance, dict):
        return f"{where} has {_unknown_key(fault)} It may have: {', '.join(known)}."
    if fault.validator == "required" and isinstance(fault.instance, dict):
        lacking = [key for key in fault.validator_value if key not in fault.instance]
        return f"{where} lacks {', '.join(lacking)}: {_described(known, lacking[0])}"
    if fault.validator == "oneOf":
        return f"{where} must give exactly one of archive, url and synthetic."
    return f"{where} is {_expectation(fault)}: {fault.schema.get('description', '')}"


def _unknown_key(fault: Any) -> str:
    """Name the first key that cannot be; in a target it may be a piece of a value."""
    known = fault.schema.get("properties", {})
    i, unknown = next(
        (i, key) for i, key in enumerate(fault.instance, 1) if key not in known
    )
    if _is_secret(fault):
        return f"a key that cannot be, the {ordinal(i)} one.{nearest(unknown, known)}"
    return f"no key {unknown!r}; did you mean {most_like(unknown, known)!r}?"


def _places_in_known(fault: Any, content: Any) -> list[int]:
    """Return at which place among known values one is wrong, from 1 up, or nothing.

    Two places if they are given by release. Keys are not shown: where a comma is
    not in quotes, one is a piece of a value.
    """
    path, places = list(fault.absolute_path), []
    if path[:2] != ["analyses", "targets"] or path[3:4] != ["known"]:
        return []
    for depth, step in enumerate(path):
        if depth >= _DEPTH_OF_KNOWN:
            places.append(1 + list(content).index(step))
        content = content[step]
    return places


def _sentence_of_known(fault: Any, places: Sequence[int]) -> str:
    where = ".".join(map(str, list(fault.absolute_path)[:_DEPTH_OF_KNOWN]))
    entry = " of the ".join(f"{ordinal(place)} entry" for place in reversed(places))
    kind = type(fault.instance).__name__
    what = "empty" if fault.validator == "minProperties" else f"a value of type {kind}"
    return f"{where}: the {entry} is {what}; write it as text in quotes, or null."


def _is_secret(fault: Any) -> bool:
    return "targets" in fault.absolute_path


def _printable(step: object) -> str:
    return str(step) if str(step).isprintable() else repr(step)


def _shown(value: object, is_secret: bool) -> str:
    """Show a value of the study file, but not what it says of a person."""
    if is_secret:
        return f"a value of type {type(value).__name__}"
    if isinstance(value, list):
        return "a list"
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:79]}…"


def _described(known: Mapping[str, Any], key: str) -> str:
    return str(known.get(key, {}).get("description", ""))


def _expectation(fault: Any) -> str:
    """Say what was found and what was expected, in words of a study file."""
    value, wanted = fault.instance, fault.validator_value
    shown = _shown(value, _is_secret(fault))
    expected = {
        "enum": f"not one of {', '.join(map(str, wanted))}"
        if fault.validator == "enum"
        else "",
        "type": f"not of type {wanted}",
        "pattern": f"not of the form {wanted}",
        "not": "which cannot be",
        "minLength": "which is empty",
        "minimum": f"below {wanted}",
        "maximum": f"above {wanted}",
        "maxItems": "not empty",
        "minItems": "empty",
        "minProperties": "empty",
        "uniqueItems": "with an entry given twice",
    }
    return f"{shown}, {expected.get(str(fault.validator), 'not as it should be')}"


def documentation() -> str:
    """Return docs/study-file.md: every key, what it means, type and default."""
    lines = [
        "# The study file",
        "",
        "Made from `config/schema.yaml` by `make docs`; edit that file, not this one.",
        "Keys not listed here are refused. The default study is",
        "`config/school-twin.yaml`.",
        "",
        "| key | what it means | values | default |",
        "|---|---|---|---|",
    ]
    for key, part in _keys(schema(), ""):
        default = _yaml_like(part["default"]) if "default" in part else ""
        description = part.get("description", "")
        lines.append(f"| `{key}` | {description} | {_values(part)} | {default} |")
    return "\n".join(lines) + "\n"


def _keys(part: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, inner in part.get("properties", {}).items():
        yield prefix + key, inner
        yield from _keys(inner, f"{prefix}{key}.")
        yield from _keys(inner.get("items", {}), f"{prefix}{key}[].")
        named = inner.get("additionalProperties")
        if isinstance(named, dict):
            yield from _keys(named, f"{prefix}{key}.NAME.")
        for alternative in inner.get("anyOf", []):
            yield from _keys(alternative, f"{prefix}{key}.")


def _values(part: Mapping[str, Any]) -> str:
    if "enum" in part:
        return ", ".join(f"`{value}`" for value in part["enum"])
    if "anyOf" in part:
        return " or ".join(_values(alternative) for alternative in part["anyOf"])
    kind = part.get("type", "")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _yaml_like(value: object) -> str:
    if isinstance(value, list):
        return "`[" + ", ".join('""' if v == "" else str(v) for v in value) + "]`"
    return f"`{value}`"
