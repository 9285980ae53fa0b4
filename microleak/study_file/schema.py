"""Checks a study file against its schema, words faults, and documents its keys."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError

from microleak.base.errors import StudyError, most_like, nearest, ordinal
from microleak.base.paths import SCHEMA

_KINDS = ("type", "enum")
_OF_ANALYSIS = 3
"""Steps to an analysis: analyses, its kind, its place."""

_DEPTH_OF_KNOWN = 4
"""Steps to the known values of a target: those to the target, known."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FORM_OF_NAMES = f"^{_NAME.pattern}$"
"""A pattern of the schema, of which an example says more than the description."""

_EXPECTED = {
    "enum": "not one of {}",
    "type": "not of type {}",
    "pattern": "not of the form {}",
    "not": "which cannot be",
    "minLength": "which is empty",
    "maxLength": "longer than {}",
    "minimum": "below {}",
    "maximum": "above {}",
    "minItems": "with fewer than {} entries",
    "maxItems": "with more than {} entries",
    "minProperties": "empty",
}
"""Words for what a key of the schema asks for."""


def sentence(fault: Any, schema: Mapping[str, Any], content: Any) -> str:
    """Say where a fault is, what was found there and what was expected.

    Parameters
    ----------
    fault
        What jsonschema found in the file.
    schema
        The whole schema.
    content
        The whole file.
    """
    fault = _deepest(fault)
    places = _places_in_known(fault, content)
    if places:
        return _sentence_of_known(fault, content, places)
    if content is fault.instance and fault.validator == "type":
        return "this is not a study file, which begins with study: NAME (README.md)."
    where = _where(list(fault.absolute_path), content)
    known = fault.schema.get("properties", {})
    if fault.validator == "additionalProperties" and isinstance(fault.instance, dict):
        return f"{where} has {_unknown_key(fault)} It may have: {', '.join(known)}."
    if fault.validator == "required" and isinstance(fault.instance, dict):
        lacking = [key for key in fault.validator_value if key not in fault.instance]
        described = known.get(lacking[0], {}).get("description", "")
        return _ended(f"{where} lacks {', '.join(lacking)}", described)
    if fault.validator == "oneOf":
        return f"{where} must give exactly one of archive, url and synthetic."
    return _sentence_of_value(fault, where, schema)


def _sentence_of_value(fault: Any, where: str, schema: Mapping[str, Any]) -> str:
    if fault.validator == "uniqueItems":
        return f"{where} has {_repeated(fault)} twice. Give it once."
    is_name = fault.validator == "pattern" and fault.validator_value == _FORM_OF_NAMES
    if is_name and not _is_secret(fault):
        return _sentence_of_name(where, fault.instance)
    return _ended(f"{where} is {_expectation(fault)}", _description(fault, schema))


def _sentence_of_name(where: str, name: str) -> str:
    """Say what a name may have, and give the nearest that it could be."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    offered = re.sub("[^A-Za-z0-9._-]+", "-", plain).strip("._-")
    example = f", as {offered}" if _NAME.fullmatch(offered) else ""
    return (
        f"{where} is {_shown(name, False)}; a name has letters without accents, "
        f"digits, '.', '_' and '-', and begins with a letter or digit{example}."
    )


def _deepest(fault: Any) -> Any:
    """Return the branch of an alternative that the file was closest to."""
    if fault.validator == "anyOf" and fault.context:
        closer = [f for f in fault.context if f.path or f.validator not in _KINDS]
        return closer[0] if closer else fault
    return fault


def _ended(said: str, description: str) -> str:
    return f"{said}: {description}" if description else f"{said}."


def _description(fault: Any, schema: Mapping[str, Any]) -> str:
    """Return what the schema says of a place, or of the nearest that it is in."""
    found, part = "", schema
    for step in fault.absolute_schema_path:
        part = part[step]
        if isinstance(part, Mapping) and isinstance(part.get("description"), str):
            found = part["description"]
    return found


def _where(path: Sequence[str | int], content: Any) -> str:
    """Say which place it is: an analysis by its name, other entries by number."""
    said, rest = "", path
    if path[:1] == ["analyses"] and len(path) >= _OF_ANALYSIS:
        said, rest = _analysis(path, content), path[_OF_ANALYSIS:]
    inner = ""
    for step in rest:
        if isinstance(step, int):
            inner = f"the {ordinal(step + 1)} entry of {inner}"
        elif inner.startswith("the "):
            inner = f"{inner}: {_printable(step)}"
        else:
            inner = f"{inner}.{_printable(step)}" if inner else _printable(step)
    return ": ".join(part for part in (said, inner) if part) or "the study"


def _analysis(path: Sequence[str | int], content: Any) -> str:
    """Name an analysis, if it has a name that can be one and is not the fault."""
    _, kind, place = path[:_OF_ANALYSIS]
    given = content["analyses"][kind][place]
    name = given.get("name") if isinstance(given, dict) else None
    is_fault = path[_OF_ANALYSIS:] == ["name"]
    if isinstance(name, str) and _NAME.fullmatch(name) and not is_fault:
        return f"analyses.{kind} {name!r}"
    return f"the {ordinal(int(place) + 1)} of analyses.{kind}"


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


def _sentence_of_known(fault: Any, content: Any, places: Sequence[int]) -> str:
    where = _where(list(fault.absolute_path)[:_DEPTH_OF_KNOWN], content)
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


def _expectation(fault: Any) -> str:
    """Say what was found and what was expected, in words of a study file."""
    shown = _shown(fault.instance, _is_secret(fault))
    if fault.instance == [] and fault.validator == "minItems":
        return f"{shown}, empty"
    form = _EXPECTED.get(fault.validator, "not as it should be")
    wanted = fault.validator_value
    between = " or " if fault.validator == "type" else ", "
    listed = between.join(map(str, wanted)) if isinstance(wanted, list) else wanted
    return f"{shown}, {form.format(listed)}"


def _repeated(fault: Any) -> str:
    """Name the first entry that a list repeats, by its place if it is secret."""
    entries = fault.instance
    i, entry = next((i, e) for i, e in enumerate(entries) if e in entries[:i])
    if _is_secret(fault) or isinstance(entry, (list, dict)):
        return f"its {ordinal(i + 1)} entry"
    return _shown(entry, False)


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
        raise StudyError(f"{path}: {sentence(faults[0], schema(), content)}")


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
