"""The JSON schema of sections, plain and without references, and its keys."""

import ast
import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from textwrap import dedent
from typing import Any

import yaml
from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

Schema = Mapping[str, Any]

_LEFT_OUT = ("title", "$defs", "$ref")


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of a model, as `config/schema.yaml` has it."""
    # Of a class its keys are described, not itself; what may be left out is not null.
    schema = model.model_json_schema(schema_generator=_Described)
    plain: dict[str, Any] = _plain_part(schema, schema.get("$defs", {}))
    return plain


class _Described(GenerateJsonSchema):
    """Describes each key by the text below it.

    Pydantic can, too, but reads all source files then whenever a study is read.
    """

    def model_schema(self, schema: Any) -> JsonSchemaValue:
        return self._with_texts(super().model_schema, schema)

    def typed_dict_schema(self, schema: Any) -> JsonSchemaValue:
        return self._with_texts(super().typed_dict_schema, schema)

    def _with_texts(
        self, made: Callable[[Any], JsonSchemaValue], schema: Any
    ) -> JsonSchemaValue:
        found, cls = made(schema), schema["cls"]
        fields = getattr(cls, "__pydantic_fields__", {})
        for name, text in _texts_below(cls).items():
            field = fields.get(name)
            part = found["properties"].get((field and field.alias) or name)
            if part is not None:
                part["description"] = text
        return found


def _texts_below(cls: type) -> dict[str, str]:
    """Return the texts below the attributes of a class and of those it is made of."""
    found: dict[str, str] = {}
    for each in reversed(cls.__mro__):
        is_ours = each.__module__.partition(".")[0] == __name__.partition(".")[0]
        for named, text in pairwise(_body_of(each) if is_ours else ()):
            match named, text:
                case (
                    ast.AnnAssign(target=ast.Name(id=name)),
                    ast.Expr(value=ast.Constant(value=str(said))),
                ):
                    found[name] = inspect.cleandoc(said)
    return found


def _body_of(cls: type) -> list[ast.stmt]:
    """Return what stands in a class; nothing of one that was put together."""
    try:
        tree = ast.parse(dedent(inspect.getsource(cls)))
    except OSError:
        return []
    return [node for each in tree.body for node in getattr(each, "body", [])]


def _plain_part(part: Any, classes: Schema) -> Any:
    if isinstance(part, list):
        return [_plain_part(each, classes) for each in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        described = classes[part["$ref"].rpartition("/")[2]]
        part = {k: v for k, v in described.items() if k != "description"} | part
    kept: dict[str, Any] = {}
    for key, value in part.items():
        if key == "properties":
            kept[key] = {
                name: _plain_part(each, classes) for name, each in value.items()
            }
        elif key == "patternProperties":
            ((pattern, named),) = value.items()
            kept["propertyNames"] = {"pattern": pattern}
            kept["additionalProperties"] = _plain_part(named, classes)
        elif key == "description":
            kept[key] = " ".join(value.split())
        elif key == "const":
            kept["enum"] = [value]
        elif key == "propertyNames":
            kept[key] = kept.get(key, {}) | _plain_part(value, classes)
        elif key not in _LEFT_OUT and (key != "default" or _is_plain(value)):
            kept[key] = _plain_part(value, classes)
    return _merged_types(kept, part)


def _is_plain(default: object) -> bool:
    """Whether a default is told: one of a section is told key by key."""
    return default is not None and (default == {} or not isinstance(default, dict))


def _merged_types(kept: dict[str, Any], part: Schema) -> dict[str, Any]:
    """Write alternatives that are types alone as types, and no null for a default."""
    branches = kept.get("anyOf", [])
    if "default" in part and part["default"] is None:
        branches = [each for each in branches if each != {"type": "null"}]
    if branches and all(set(each) == {"type"} for each in branches):
        kept.pop("anyOf")
        types = [each["type"] for each in branches]
        return kept | {"type": types if len(types) > 1 else types[0]}
    if len(branches) == 1:
        kept.pop("anyOf")
        return {**branches[0], **kept}
    return kept | ({"anyOf": branches} if branches else {})


class _Dumper(yaml.SafeDumper):
    """Writes what stands in several places in each of them."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def schema_file(schema: Schema) -> str:
    """Return config/schema.yaml: the JSON schema of study files, for editors."""
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Study file",
        **schema,
    }
    made = "# Made by make docs from the sections in the code; edit those, not this.\n"
    return made + yaml.dump(
        whole, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=88
    )


def keys_below(part: Schema, prefix: str = "") -> Iterator[tuple[str, Schema]]:
    for key, inner in part.get("properties", {}).items():
        yield prefix + key, inner
        yield from keys_below(inner, f"{prefix}{key}.")
        yield from keys_below(inner.get("items", {}), f"{prefix}{key}[].")
        named = inner.get("additionalProperties")
        if isinstance(named, dict):
            yield from keys_below(named, f"{prefix}{key}.NAME.")
    for alternative in part.get("anyOf", []):
        yield from keys_below(alternative, prefix)
