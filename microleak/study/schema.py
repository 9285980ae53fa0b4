"""Checks a study file against config/schema.yaml and documents its keys."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import yaml
from jsonschema.exceptions import ValidationError

from microleak.errors import StudyError
from microleak.paths import SCHEMA
from microleak.study.schema_faults import sentence


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
