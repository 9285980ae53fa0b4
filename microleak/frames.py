"""Attacks on frames: functions whose arguments are the keys of a study file's analysis.

What a key means, may be and is by default stands in the model of the analysis alone.
A family's `frames.py` has what a call does besides; without one it is made here.
"""

import inspect
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce, wraps
from operator import or_
from typing import Any, ClassVar

import pandas as pd

from microleak.base.errors import StudyError
from microleak.base.machine import Resources
from microleak.family import Family, load
from microleak.records.call import (
    RELEASE,
    TABLE,
    People,
    check_names,
    people_of,
    room_to_work,
)
from microleak.study_file.call import analysis_of, roughly_of
from microleak.study_file.rough import Roughly
from microleak.study_file.schema import Schema, plain_schema
from microleak.study_file.section import Attribute, Filter, Ordered, Section
from microleak.tables.result import (
    LANGUAGE,
    Result,
    is_of_polars,
    with_study,
    without_study,
)
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of

# Tables of a study by their names, and what else a result has
Tables = Mapping[str, Any]
# What a function does with a `Call` and with arguments of its own
Hook = Callable[..., Tables]
# Keys of an analysis that a function fills, besides its name
_GIVEN = {"table": TABLE, "focal": RELEASE}
# Types of keys that have values of columns
_BY_COLUMN = (Filter, dict[Attribute, Ordered])

_TEXTS = {
    "frame": "One record a person, as `microleak.assess` takes it.",
    "n_threads": "Threads to use, all cores if none are given; results do not depend "
    "on it.",
}
_OF_FILES = " or the name of a QID set|, by their newest official names"
"""What the texts of keys say that holds of study files alone."""

_RAISES = (
    "If a column does not exist or has two roles, an argument is not as it should be, "
    "or there are no records."
)
_WHOLE: dict[str, Any] = {"break_on_hyphens": False, "break_long_words": False}
_PLAIN = {"string": str, "integer": int, "boolean": bool, "null": None}


class Found(Result):
    """Tables that an attack on frames found."""

    # Columns that only a study file fills, besides those of all tables
    left_out: ClassVar[tuple[str, ...]] = ()
    function: ClassVar[str] = ""

    def __reduce__(self) -> tuple[Any, ...]:
        # Its class is made when the function is first asked for.
        return _loaded, (self.function, self._found, self._is_polars)

    def of_study(self, **known: str) -> dict[str, pd.DataFrame]:
        """Return its tables as a study has them, with what only that knows."""
        specs = self.specs
        return {n: with_study(t, specs[n], **known) for n, t in self._frames.items()}

    def _svg(self) -> str:
        """Draw the first figure that a page has of it; empty if there is none."""
        from microleak.report.contents import Headline  # noqa: PLC0415
        from microleak.report.contents import Tables as Reported  # noqa: PLC0415

        family: Family = load(f"{type(self).__module__.rpartition('.')[0]}:FAMILY")
        name = family.functions[0]
        tables = {
            kind: {name: table}
            for kind, table in self.of_study(analysis=name).items()
            if self.specs[kind].audience == "internal"
        }
        figures = load(family.part).figures(Headline(""), Reported(tables, {}))
        return next((str(each.draw(words())) for each in figures), "")


def _loaded(function: str, found: Mapping[str, Any], is_polars: bool) -> Found:
    """Return a result that was pickled."""
    kind: type[Found] = load(f"microleak:{function}").__annotations__["return"]
    return kind(found, is_polars)


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
        given = [self.keys.get(key) or () for key in keys]
        lists = ([each] if isinstance(each, str) else each for each in given)
        return [name for names in lists for name in names]

    def people(
        self, frame: Any, names: Sequence[str], what: str = "the frame"
    ) -> People:
        return people_of(self.function, frame, names, what)

    def given(self, frame: Any) -> tuple[People, Any]:
        """Return the people of an analysis of one frame, and the analysis."""
        own = {name: key for key, name in _fields(self.model).items()}
        keys = {"name": self.function, **_GIVEN, **self.keys}
        draft: Any = self.model.model_construct(**{own[k]: v for k, v in keys.items()})
        ((*_, names),) = draft.needs
        people = self.people(frame, names)
        return people, self.analysis(people)

    def analysis(self, people: People | None = None, /, **changed: Any) -> Any:
        """Return the analysis of its keys and some others, checked as a study's is."""
        # Values are as `people` have them in the columns that they are of.
        return self.section(people, **changed).checked(self.function)

    def section(self, people: People | None = None, /, **changed: Any) -> Any:
        """Return the analysis of its keys and some others, each of which can be."""
        given = {"name": self.function, **_GIVEN, **self.keys, **changed}
        own = {key: given[key] for key in _fields(self.model).values() if key in given}
        if people is not None:
            own |= self._texts(people)
        return analysis_of(self.model, self.function, own)

    def _texts(self, people: People) -> Iterator[tuple[str, Any]]:
        for name, key in _fields(self.model).items():
            kind, value = self.model.model_fields[name].annotation, self.keys.get(key)
            if value and kind in _BY_COLUMN:
                yield key, people.by_column(self.function, value)
            elif value and kind == Roughly:
                qids = self.columns("qids")
                yield key, roughly_of(self.function, value, qids, "qids", people)


def on_frames(
    model: type[Section],
    name: str,
    *,
    tables: Sequence[str] = (),
    positional: Sequence[str] | None = None,
    without: Sequence[str] = (),
    **result: Any,
) -> Callable[[Hook], Callable[..., Any]]:
    """Make a function on frames of what it does with a `Call`.

    Parameters
    ----------
    model
        The analysis, whose keys are arguments: those that it needs by position, others
        by name. One that the function has itself as an argument is its own.
    name, tables, result
        What the result is called and has; its tables if they are not the family's, in
        this order, and its attributes in the place of those of `Found`.
    positional
        Arguments that are given by position after its own, if not those needed.
    without
        Keys that are no arguments.
    """

    def made(hook: Hook) -> Callable[..., Any]:
        schema = plain_schema(model)
        own = [*inspect.signature(hook).parameters.values()][1:]
        kind = _result_of(hook, name, tables, result)
        parameters = _parameters(own, model, positional, without)
        signature = inspect.Signature(parameters, return_annotation=kind)
        needed = {*schema.get("required", ())}
        said, own_names = hook.__name__, {each.name for each in own}

        @wraps(hook)
        def function(*args: Any, **keywords: Any) -> Any:
            try:
                given = signature.bind(*args, **keywords).arguments
            except TypeError as error:
                raise TypeError(f"{said}() {error}") from None
            passed = {n: each for n, each in given.items() if n in own_names}
            others = {n: each for n, each in given.items() if n not in own_names}
            keys = {n: v for n, v in others.items() if v is not None or n in needed}
            _check(said, keys, schema)
            with room_to_work(said, given.get("n_threads")) as resources:
                found = hook(Call(said, model, keys, resources), **passed)
            return _as_given(kind, found, any(map(is_of_polars, given.values())))

        function.__signature__ = signature  # type: ignore[attr-defined]
        function.__annotations__ = {"return": kind}
        function.__doc__ = _documentation(hook, signature, schema)
        return function

    return made


def function_of(family: Family, name: str) -> Callable[..., Any]:
    """Return a function of a family, made of its model and its measure if need be."""
    if family.frames:
        found: Callable[..., Any] = getattr(load(family.frames), name)
        return found
    model, measure = load(family.section).SECTION, load(f"{family.package}.measure")

    def hook(call: Call, frame: Any, *, n_threads: int | None = None) -> Tables:
        people, analysis = call.given(frame)
        tables: Tables = measure.measured(people.table, analysis, call.resources)
        return tables

    hook.__name__ = hook.__qualname__ = name
    hook.__module__, hook.__doc__ = measure.__name__, model.__doc__
    title = "".join(map(str.capitalize, name.split("_")))
    return on_frames(model, f"{title}Found")(hook)


def _fields(model: type[Section]) -> dict[str, str]:
    return {name: each.alias or name for name, each in model.model_fields.items()}


def _result_of(
    hook: Hook, name: str, tables: Sequence[str], attributes: Mapping[str, Any]
) -> type[Found]:
    module = inspect.getmodule(hook)
    if isinstance(made := vars(module).get(name), type):
        return made
    specs = {**tables_of(hook.__module__.rpartition(".")[0])}
    specs |= attributes.get("specs", {})
    names = tables or [n for n, spec in specs.items() if spec.audience != "public"]
    told = (f"{n}\n    {specs[n].description[LANGUAGE]}" for n in names if n in specs)
    doc = [f"What `{hook.__name__}` found.", "", "Attributes", "----------", *told]
    namespace = {
        **attributes,
        "specs": specs,
        "function": hook.__name__,
        "__doc__": "\n".join(doc),
        "__module__": hook.__module__,
        "__annotations__": {n: pd.DataFrame if n in specs else Any for n in names},
    }
    kind: type[Found] = type(name, (Found,), namespace)
    setattr(module, name, kind)
    return kind


def _as_given(kind: type[Found], tables: Tables, is_polars: bool) -> Found:
    names = kind.__annotations__
    specs = {name: kind.specs[name] for name in names if name in kind.specs}
    whole = {name: as_table(spec, ()) for name, spec in specs.items()} | dict(tables)
    left = kind.left_out
    given = {n: without_study(whole[n], spec, left) for n, spec in specs.items()}
    return kind({n: given[n] if n in given else whole[n] for n in names}, is_polars)


def _check(function: str, keys: Mapping[str, Any], schema: Schema) -> None:
    """Refuse what frames alone can have: names that are none, or of two roles."""
    if lacking := next((key for key, value in keys.items() if value is None), ""):
        raise StudyError(f"{function} needs {lacking}, and is given None.")
    roles = {}
    for role in ("qids", "sensitive"):
        if role in keys:
            is_one = schema["properties"][role].get("type") == "string"
            if is_one and not isinstance(keys[role], str):
                raise StudyError(f'{function}: {role} is one name, as "age".')
            roles[role] = [keys[role]] if is_one else keys[role]
    if roles:
        check_names(function, **roles)


def _parameters(
    own: Sequence[inspect.Parameter],
    model: type[Section],
    positional: Sequence[str] | None,
    without: Sequence[str],
) -> list[inspect.Parameter]:
    by_place = inspect.Parameter.POSITIONAL_OR_KEYWORD
    first = [each for each in own if each.kind == by_place]
    others = {each.name: each for each in own if each.kind != by_place}
    taken = {each.name for each in first} | {"name", *_GIVEN, *without}
    own_names = {key: name for name, key in _fields(model).items()}
    schema = plain_schema(model)
    needed = schema.get("required", ())
    keys = {}
    for key, part in schema["properties"].items():
        if key not in taken:
            is_values = model.model_fields[own_names[key]].annotation in _BY_COLUMN
            kind = Mapping[str, Sequence[object]] if is_values else _type_of(part)
            own_one = others.pop(key, None)
            keys[key] = own_one or _parameter(key, part, kind, key in needed)
    keys |= others
    names = [n for n in keys if n in needed] if positional is None else positional
    placed = [keys.pop(name).replace(kind=by_place) for name in names]
    return [*first, *placed, *keys.values()]


def _parameter(key: str, part: Schema, kind: Any, is_needed: bool) -> inspect.Parameter:
    default = part.get("default")
    default = tuple(default) if isinstance(default, list) else default
    if is_needed:
        default = inspect.Parameter.empty
    elif default in (None, {}):
        default, kind = None, kind | None
    by_name = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(key, by_name, default=default, annotation=kind)


def _type_of(part: Schema) -> Any:
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
    if str in branches and Sequence[str] in branches:
        return Sequence[str]  # Not the name of a QID set
    return reduce(or_, branches) if branches else str if "enum" in part else Any


def _documentation(hook: Hook, signature: inspect.Signature, schema: Schema) -> str:
    """Return the docstring: the function's own, and of each key what its model says."""
    own, _, examples = (inspect.getdoc(hook) or "").partition("Examples\n--------\n")
    begin, _, parameters = own.partition("Parameters\n----------\n")
    told, lines = dict(_entries(parameters)), [begin.rstrip()]

    def section(heading: str, entries: Mapping[str, str]) -> None:
        lines.extend(["", heading, "-" * len(heading)])
        for name, text in entries.items():
            lines.append(name)
            lines.append(textwrap.indent(textwrap.fill(text, 84, **_WHOLE), "    "))

    described: dict[str, str] = {}
    for name in signature.parameters:
        key = schema["properties"].get(name, {}).get("description", "")
        text = _TEXTS.get(name, re.sub(_OF_FILES, "", key))
        group = next((each for each in told if name in each.split(", ")), name)
        described.setdefault(group, told.get(group, text))
    section("Parameters", described)
    result = signature.return_annotation
    tables = ", ".join(f"`{name}`" for name in result.__annotations__)
    section("Returns", {result.__name__: f"With {tables} as attributes."})
    section("Raises", {"StudyError, TableError": _RAISES})
    if examples:
        lines.extend(["", "Examples", "--------", examples.rstrip()])
    return "\n".join(lines) + "\n"


def _entries(parameters: str) -> Iterator[tuple[str, str]]:
    for entry in re.split(r"\n(?=\S)", parameters.strip("\n")):
        names, _, text = entry.partition("\n")
        yield names, " ".join(text.split())
