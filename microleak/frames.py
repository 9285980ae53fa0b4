"""Attacks on frames: functions whose arguments are the keys of a study file's analysis.

What a key means, may be and is by default stands in the model of the analysis alone.
A family's `frames.py` has what a call does besides; without one it is made here.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, make_dataclass
from functools import reduce, wraps
from operator import or_
from typing import Any, ClassVar

import pandas as pd
from pydantic import BaseModel

from microleak.base.machine import Resources
from microleak.family import Family, load
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    check_subsets,
    people_of,
    room,
)
from microleak.study_file.call import analysis_of
from microleak.study_file.schema import Schema, plain_schema
from microleak.study_file.section import Section
from microleak.tables.result import LANGUAGE, Result, with_study, without_study

Tables = Mapping[str, Any]
"""Tables of a study by their names, and what else a result has."""

_GIVEN = {"table": TABLE, "focal": RELEASE}
"""Keys of an analysis that a function fills, besides its name."""

_TEXTS = {
    "frame": "One record a person, as `microleak.assess` takes it.",
    "n_threads": "Threads to use; results do not depend on it.",
}
_OF_FILES = " or the name of a QID set|, by their newest official names"
"""What the texts of keys say that holds of study files alone."""

_RAISES = (
    "If a column does not exist or has two roles, an argument is not as it should be, "
    "or there are no records."
)


@dataclass(frozen=True, repr=False, eq=False)
class Found(Result):
    """Tables that an attack on frames found, as attributes; each a pandas frame."""

    shown: ClassVar[tuple[str, ...]] = ()
    """Columns of the first table that a notebook shows; all of them without any."""

    left_out: ClassVar[tuple[str, ...]] = ()
    """Columns that only a study file fills, besides those of all tables."""

    def figure(self) -> str:
        """Draw the first figure that a page has of it; empty if there is none."""
        from microleak.report.contents import Headline  # noqa: PLC0415
        from microleak.report.contents import Tables as Reported  # noqa: PLC0415

        family = _family_of(type(self).__module__)
        analysis = family.functions[0]
        tables = {
            name: {analysis: with_study(table, spec, analysis=analysis)}
            for name, table in self.tables.items()
            if (spec := self.specs[name]).audience == "internal"
        }
        shown = load(family.part)
        for figure in shown.figures(Headline(""), Reported(tables, {})):
            return str(figure.draw(words()))
        return ""

    def _summary(self) -> pd.DataFrame:
        table = next(iter(self.tables.values()))
        return table[[*self.shown]] if self.shown else table


def words() -> Any:
    """Return what figures of a notebook say."""
    from microleak.report.texts import voice  # noqa: PLC0415

    return voice(LANGUAGE).words(is_synthetic=False)


@dataclass(frozen=True)
class Call:
    """What a function on frames is given: keys of a study file, and room to work."""

    function: str
    model: type[Section]
    keys: Mapping[str, Any]
    resources: Resources

    def columns(self, *keys: str) -> list[str]:
        """Return the columns that keys name, one or several each."""
        given = [self.keys.get(key) or () for key in keys]
        lists = ([each] if isinstance(each, str) else each for each in given)
        return [name for names in lists for name in names]

    def people(
        self, frame: Any, names: Sequence[str], what: str = "the frame"
    ) -> People:
        """Return columns of a frame as texts."""
        return people_of(self.function, frame, names, what)

    def analysis(self, **changed: Any) -> Any:
        """Return the analysis of its keys and some others, checked as a study's is."""
        return self.section(**changed).checked(self.function)

    def section(self, **changed: Any) -> Any:
        """Return the analysis of its keys and some others, each of which can be."""
        given = {"name": self.function, **_GIVEN, **self.keys, **changed}
        fields = {_key_of(self.model, name) for name in self.model.model_fields}
        own = {key: value for key, value in given.items() if key in fields}
        return analysis_of(self.model, self.function, own)

    def by_column(
        self, people: People, given: Mapping[str, Sequence[object]] | None
    ) -> dict[str, list[Any]]:
        """Return values by column as texts, as the columns have them."""
        return {
            name: people.texts(self.function, name, values)
            if name in people.types
            else list(map(str, values))
            for name, values in (given or {}).items()
        }


Hook = Callable[..., Tables]


def on_frames(
    model: type[Section],
    result: type[Found],
    *,
    positional: Sequence[str] | None = None,
    without: Sequence[str] = (),
) -> Callable[[Hook], Callable[..., Any]]:
    """Make a function on frames of what it does with a `Call`.

    Parameters
    ----------
    model
        The analysis, whose keys are arguments: those that it needs by position, others
        by name. One that the function has itself as an argument is its own.
    result
        What the function returns, from its tables.
    positional
        Arguments that are given by position after its own, if not those needed.
    without
        Keys that are no arguments.
    """

    def made(hook: Hook) -> Callable[..., Any]:
        schema = plain_schema(model)
        own = [*inspect.signature(hook).parameters.values()][1:]
        signature = _signature(own, schema, positional, without, result)
        own_names = {each.name for each in own}
        name = hook.__name__

        @wraps(hook)
        def function(*args: Any, **keywords: Any) -> Any:
            try:
                given = signature.bind(*args, **keywords).arguments
            except TypeError as error:
                raise TypeError(f"{name}() {error}") from None
            passed = {n: each for n, each in given.items() if n in own_names}
            others = {n: each for n, each in given.items() if n not in own_names}
            keys = {n: each for n, each in others.items() if each is not None}
            _check(name, keys, schema)
            with room(name, given.get("n_threads", 1)) as resources:
                tables = hook(Call(name, model, keys, resources), **passed)
            return _result(result, tables)

        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__annotations__ = {"return": result}
        function.__doc__ = _documentation(hook, signature, schema, result)
        return function

    return made


def function_of(family: Family, name: str) -> Callable[..., Any]:
    """Return a function of a family, made of its model and its measure if need be."""
    if family.frames:
        found: Callable[..., Any] = getattr(load(family.frames), name)
        return found
    model, measured = load(family.section).SECTION, load(f"{family.package}.measure")
    tables = [(table, pd.DataFrame) for table in family.tables]
    result = make_dataclass(
        "".join(map(str.capitalize, name.split("_"))),
        tables,
        bases=(Found,),
        namespace={"specs": family.tables, "__doc__": f"What `{name}` found."},
        **{"frozen": True, "repr": False, "eq": False},
    )
    result.__module__ = measured.__name__

    def hook(call: Call, frame: Any, *, n_threads: int = 1) -> Tables:
        analysis = call.analysis()
        ((_, _, names),) = analysis.needs
        people = call.people(frame, names).table
        tables: Tables = measured.measured(people, analysis, call.resources)
        return tables

    hook.__name__ = hook.__qualname__ = name
    hook.__module__, hook.__doc__ = measured.__name__, model.__doc__
    return on_frames(model, result)(hook)


def _family_of(module: str) -> Family:
    found: Family = load(f"{module.rpartition('.')[0]}:FAMILY")
    return found


def _key_of(model: type[BaseModel], field: str) -> str:
    return model.model_fields[field].alias or field


def _check(function: str, keys: Mapping[str, Any], schema: Schema) -> None:
    """Refuse what frames alone can have: names that are none, or of two roles."""
    roles = {}
    for role in ("qids", "sensitive"):
        if role in keys:
            is_one = schema["properties"][role].get("type") == "string"
            roles[role] = [keys[role]] if is_one else keys[role]
    if roles:
        check_names(function, **roles)
    if "subsets" in keys:
        check_subsets(function, keys["subsets"])


def _result(kind: type[Found], tables: Tables) -> Found:
    """Return a result, whose tables are empty that were not made."""
    names = [each.name for each in fields(kind) if each.name in kind.specs]
    empty = {name: kind.specs[name].frame(()) for name in names}
    return kind(
        **{
            name: without_study(each, kind.specs[name], kind.left_out)
            if name in kind.specs
            else each
            for name, each in (empty | dict(tables)).items()
        }
    )


def _signature(
    own: Sequence[inspect.Parameter],
    schema: Schema,
    positional: Sequence[str] | None,
    without: Sequence[str],
    result: type[Found],
) -> inspect.Signature:
    first = [each for each in own if each.kind is each.POSITIONAL_OR_KEYWORD]
    others = {each.name: each for each in own if each.kind is each.KEYWORD_ONLY}
    taken = {each.name for each in first} | {"name", *_GIVEN, *without}
    keys = {
        key: others[key] if key in others else _parameter(key, part, schema)
        for key, part in schema["properties"].items()
        if key not in taken
    } | others
    needed = [key for key in schema.get("required", ()) if key in keys]
    by_place = needed if positional is None else positional
    kinds = [keys[n].replace(kind=first_kind) for n in by_place]
    rest = [each for n, each in keys.items() if n not in by_place]
    return inspect.Signature([*first, *kinds, *rest], return_annotation=result)


first_kind = inspect.Parameter.POSITIONAL_OR_KEYWORD


def _parameter(key: str, part: Schema, schema: Schema) -> inspect.Parameter:
    default = part.get("default")
    if isinstance(default, list):
        default = tuple(default)
    if key in schema.get("required", ()):
        default = inspect.Parameter.empty
    kind = inspect.Parameter.KEYWORD_ONLY
    annotation = _type_of(part)
    if default in (None, {}):
        default, annotation = None, annotation | None
    return inspect.Parameter(key, kind, default=default, annotation=annotation)


_PLAIN = {"string": str, "integer": int, "boolean": bool, "null": None}


def _type_of(part: Schema) -> Any:
    """Return the type of a key's value, as a function is given it."""
    branches = [_type_of(each) for each in part.get("anyOf", ())]
    kinds = part.get("type", [])
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        if kind == "array":
            branches.append(Sequence[_type_of(part.get("items", {}))])  # type: ignore[misc]
        elif kind == "object":
            value = part.get("additionalProperties")
            inner = _type_of(value) if isinstance(value, dict) else Any
            branches.append(Mapping[str, inner])  # type: ignore[valid-type]
        else:
            branches.append(_PLAIN[kind])
    if not branches:
        return str if "enum" in part else Any
    if str in branches and Sequence[str] in branches:
        return Sequence[str]  # Not the name of a QID set
    return reduce(or_, branches)


def _documentation(
    hook: Hook, signature: inspect.Signature, schema: Schema, result: type[Found]
) -> str:
    """Return the docstring: the function's own, and of each key what its model says."""
    own = inspect.getdoc(hook) or ""
    begin, _, examples = own.partition("\nExamples\n--------\n")
    begin, _, parameters = begin.partition("\nParameters\n----------\n")
    told = dict(_entries(parameters))
    lines = [begin.rstrip(), "", "Parameters", "----------"]
    for name in signature.parameters:
        group = next((each for each in told if name in each.split(", ")), None)
        if group is not None and not group.startswith(name):
            continue
        key = schema["properties"].get(name, {}).get("description", "")
        key = re.sub(_OF_FILES, "", key)
        text = told[group] if group else _TEXTS.get(name, key)
        lines += [group or name, *textwrap.wrap(text, 84, **_INDENTED)]
    tables = ", ".join(f"`{each.name}`" for each in fields(result))
    lines += ["", "Returns", "-------", result.__name__]
    lines += textwrap.wrap(f"With {tables} as attributes.", 84, **_INDENTED)
    lines += ["", "Raises", "------", "StudyError, TableError"]
    lines += textwrap.wrap(_RAISES, 84, **_INDENTED)
    if examples:
        lines += ["", "Examples", "--------", examples.rstrip()]
    return "\n".join(lines) + "\n"


_INDENTED: dict[str, Any] = {
    "initial_indent": "    ",
    "subsequent_indent": "    ",
    "break_on_hyphens": False,
    "break_long_words": False,
}


def _entries(parameters: str) -> Iterator[tuple[str, str]]:
    """Yield names of parameters and what a docstring says of them."""
    for entry in re.split(r"\n(?=\S)", parameters.strip("\n")):
        names, _, text = entry.partition("\n")
        yield names, " ".join(text.split())
