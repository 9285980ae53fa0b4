"""One sentence for what is wrong with a study file: where, what, and what may be.

What is known of a person is never shown. Its attributes are neither: where a comma
is not in quotes, YAML takes a piece of a value for one.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from gettext import gettext as _
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import yaml
from pydantic import ValidationError

from microleak.base.errors import did_you_mean, most_like, ordinal
from microleak.base.language import nth_place, spoken_language
from microleak.study_file.noise import EPSILON_FORM
from microleak.study_file.schema import Schema
from microleak.study_file.section import SHARE_FORM

Path = tuple[str | int, ...]
_OF_ANALYSIS = 3  # Steps to an analysis: analyses, its family, its place
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
# A pattern of the schema that an example explains better than its description
_FORM_OF_NAMES = f"^{_NAME.pattern}$"
_UNKNOWN, _LACKING, _NEITHER, _OF_KEY = "extra_forbidden", "missing", "neither", "[key]"
_KINDS = (
    *("string_type", "int_type", "tuple_type", "dict_type", "model_type"),
    *("literal_error", "null"),
)
"""Faults of pydantic's that say that a value is of another kind."""

_ASKED = {"string_type": "string", "int_type": "integer", "tuple_type": "array"}
"""Types of the JSON schema that such faults ask for."""

_EXPECTED = {
    "literal_error": "not one of {enum}",
    "string_pattern_mismatch": "not of the form {pattern}",
    SHARE_FORM: 'not a number from 0 to 1 in quotes, as "0.05" or "1/20"',
    EPSILON_FORM: 'not a number above 0 in quotes, as "0.5" or "1/2"',
    "string_unicode": "which cannot be",
    "never": "which cannot be",
    "string_too_short": "which is empty",
    "string_too_long": "longer than {max_length}",
    "greater_than_equal": "below {ge}",
    "less_than_equal": "above {le}",
    "too_short": "with fewer than {min_length} entries",
    "too_long": "with more than {max_length} entries",
    _NEITHER: "not as it should be",
}
"""Words for pydantic's faults, with what it says of each."""

_JSON = {list: "array", dict: "object", str: "string", int: "integer"}


class _Fault(NamedTuple):
    """A fault, its place in the file, and whether a key is wrong, not its value."""

    kind: str
    path: Path
    is_of_key: bool
    context: dict[str, Any]


def fault_sentence(
    error: ValidationError, schema: Schema, content: Any, whole: str = ""
) -> str:
    """Return what is said of the first fault, an unknown key before all others.

    `whole` is what the file is called, if not a study.
    """
    if not isinstance(content, dict):
        return _("this is not a study file, which begins with study: NAME (README.md).")
    errors = error.errors(include_input=False, include_url=False)
    found = [(e["loc"], e["type"], e.get("ctx", {})) for e in errors]
    faults = _closest_alternative(found, content)
    fault = min(faults, key=lambda each: each.kind != _UNKNOWN)
    return _Sentence(fault, faults, schema, content, whole or _("the study")).text


_FaultFound = tuple[Path, str, dict[str, Any]]


def _is_of_entries(found: _FaultFound, content: Any) -> bool:
    """Whether a list is too short only as wrong entries do not count."""
    path, kind, context = found
    if kind != "too_short" or path != _in_file(path, kind, content):
        return False
    value = _content_at(content, path)
    is_several = isinstance(value, (list, dict))
    return is_several and len(value) >= context["min_length"]


def _closest_alternative(found: Sequence[_FaultFound], content: Any) -> list[_Fault]:
    """Return faults by place, of alternatives those of the one the file is closest to.

    Where pydantic tries alternatives, their labels are among its steps to a place.
    """
    faults: list[_Fault] = []
    unions: dict[Path, dict[str, list[_FaultFound]]] = {}
    for steps, kind, context in found:
        path = _in_file(steps, kind, content)
        n = len(path)
        if steps[n:] in ((), (_OF_KEY,)):
            if not _is_of_entries((steps, kind, context), content):
                faults.append(_Fault(kind, path, bool(steps[n:]), context))
            continue
        branch = unions.setdefault(path, {}).setdefault(str(steps[n]), [])
        rest = (*path, *steps[n + 1 :]), kind, context
        if not _is_of_entries(rest, content):
            branch.append(rest)
    for path, branches in unions.items():
        near = [
            each
            for each in branches.values()
            if not (len(each) == 1 and each[0][0] == path and each[0][1] in _KINDS)
        ]
        if near:
            faults += _closest_alternative(min(near, key=_misfit_of), content)
        else:
            faults.append(_Fault(_NEITHER, path, False, {}))
    return faults


def _misfit_of(branch: Sequence[_FaultFound]) -> tuple[list[int], int]:
    """Return how far off an alternative is: less where values of a kind are deeper."""
    depths = (-len(steps) for steps, kind, _ in branch if kind in _KINDS)
    return sorted(depths, reverse=True), len(branch)


def _in_file(steps: Path, kind: str, content: Any) -> Path:
    """Return the first steps that are of the file, and one to what it lacks."""
    for n, step in enumerate(steps):
        of_list = isinstance(content, list) and isinstance(step, int)
        if of_list or (isinstance(content, dict) and step in content):
            content = content[step]
        else:
            lacks = kind == _LACKING and n == len(steps) - 1
            return steps if lacks else steps[:n]
    return steps


class _Sentence:
    # `path` leads to what has the fault, `parts` are what the schema says of it and
    # before of all that it is in, `value` is what is there.

    def __init__(
        self,
        fault: _Fault,
        faults: Sequence[_Fault],
        schema: Schema,
        content: Any,
        whole: str,
    ) -> None:
        self.whole = whole
        self.fault, self.faults, self.content = fault, faults, content
        is_of_section = fault.is_of_key or fault.kind in (_UNKNOWN, _LACKING)
        self.path = fault.path[:-1] if is_of_section else fault.path
        self.parts = [*accumulate(self.path, _inner_schema, initial=schema)]
        self.value = _content_at(content, self.path)
        if fault.is_of_key:
            self.parts.append(self.parts[-1].get("propertyNames", {}))
            self.value = fault.path[-1]
        elif fault.kind not in (_NEITHER, _UNKNOWN, _LACKING):
            kind = _ASKED.get(fault.kind, _JSON.get(type(self.value)))
            several = self.parts[-1].get("anyOf", ())
            self.parts += [each for each in several if each.get("type") == kind][:1]
        secret = (i for i, part in enumerate(self.parts) if "writeOnly" in part)
        self.secret_from = next(secret, None)

    @property
    def text(self) -> str:
        hidden = self._hidden_from()
        if hidden is not None:
            return self._of_hidden(hidden)
        where = _place_of(self.path, self.content) or self.whole
        if self.fault.kind in (_UNKNOWN, _LACKING):
            return self._of_section(where)
        if self.fault.kind == "sentence":
            return f"{where} {self.fault.context['said']}"
        return self._of_value(where)

    def _of_value(self, where: str) -> str:
        if self.fault.kind == "repeated":
            said = _("{where} has {entry} twice. Give it once.")
            return said.format(where=where, entry=self._repeated())
        is_told = self.secret_from is None
        if is_told and self.fault.context.get("pattern") == _FORM_OF_NAMES:
            return _of_name(where, self.value)
        is_text = isinstance(self.value, str) and not self.fault.is_of_key
        if is_told and is_text and {*_type_names(self.parts[-1])} == {"array"}:
            listed = yaml.safe_dump([self.value], default_flow_style=True).strip()
            said = _("{where} is {value}, but must be a list: {listed}.")
            value = _value_shown(self.value)
            return said.format(where=where, value=value, listed=listed)
        said = _("{where} is {found}").format(where=where, found=self._expectation())
        is_whole = self.fault.context.get("pattern") == EPSILON_FORM
        return _ended_sentence(said, "" if is_whole else self._description())

    def _description(self) -> str:
        """Return what the schema says of the place, or of the nearest around it."""
        said = [part["description"] for part in self.parts if "description" in part]
        return said[-1] if said else ""

    def _hidden_from(self) -> int | None:
        """Return the first step that is the user's own word for something secret."""
        if self.secret_from is None:
            return None
        for i, step in enumerate(self.path[self.secret_from :], self.secret_from):
            if isinstance(step, str) and step not in _possible_keys(self.parts[i]):
                return i
        return None

    def _of_hidden(self, hidden: int) -> str:
        """Return what is wrong with a secret, by its place among the others."""
        where = _place_of(self.path[:hidden], self.content) or self.whole
        entries = [
            ordinal(
                1 + list(_content_at(self.content, self.path[:i])).index(self.path[i])
            )
            for i in range(hidden, len(self.path))
        ]
        entry = " of the ".join(f"{place} entry" for place in reversed(entries))
        is_empty = self.value == {}
        what = "empty" if is_empty else f"a value of type {type(self.value).__name__}"
        said = f"{where}: the {entry} is {what}"
        if "string" in _type_names(self.parts[len(self.path)]):
            return f"{said}; write it as text in quotes, or null."
        return _ended_sentence(said, self._description())

    def _of_section(self, where: str) -> str:
        """Return which key there cannot be, or which are lacking."""
        known = _possible_keys(self.parts[len(self.path)])
        if self.fault.kind == _LACKING:
            lacking = [
                str(each.path[-1])
                for each in self.faults
                if each.kind == _LACKING and each.path[:-1] == self.path
            ]
            said = known[lacking[0]].get("description", "")
            lacks = _("{where} lacks {keys}")
            return _ended_sentence(
                lacks.format(where=where, keys=", ".join(lacking)), said
            )
        unknown = str(self.fault.path[-1])
        may = _("It may have: {keys}.").format(keys=", ".join(known))
        if self.secret_from is None:
            said = _("{where} has no key {key}").format(where=where, key=repr(unknown))
            like = most_like(unknown, known)
            hint = _("; did you mean {like}?").format(like=repr(like)) if like else "."
            return f"{said}{hint} {may}"
        # It may be a piece of a value.
        place = ordinal(1 + list(self.value).index(unknown))
        like = did_you_mean(unknown, known)
        return f"{where} has a key that cannot be, the {place} one.{like} {may}"

    def _repeated(self) -> str:
        """Return the entry that a list repeats, or its place if it is secret."""
        place = self.fault.context["place"]
        entry = self.value[place]
        if self.secret_from is not None or isinstance(entry, (list, dict)):
            return _("its {nth} entry").format(nth=nth_place(place + 1))
        return _value_shown(entry)

    def _expectation(self) -> str:
        part, kind = self.parts[-1], self.fault.kind
        is_secret = self.secret_from is not None
        name = type(self.value).__name__
        of_type = _("a value of type {name}").format(name=name)
        shown = of_type if is_secret else _value_shown(self.value)
        if self.value in ([], {}) and kind == "too_short":
            return _("{value}, empty").format(value=shown)
        listed = ", ".join(map(str, part.get("enum", ())))
        pattern = self.fault.context.get("pattern")
        kind = pattern if pattern in _EXPECTED else kind
        of_types = _("not of type {types}")
        form = _(_EXPECTED[kind]) if kind in _EXPECTED else of_types
        types = _(" or ").join(_type_names(part))
        told = {**self.fault.context, "enum": listed, "types": types}
        return f"{shown}, {form.format_map(told)}"


def _of_name(where: str, name: str) -> str:
    """Return what a name may have, and the nearest that it could be."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    offered = re.sub("[^A-Za-z0-9._-]+", "-", plain).strip("._-")
    example = _(", as {name}").format(name=offered) if _NAME.fullmatch(offered) else ""
    return _(
        "{where} is {name}; a name has letters without accents, digits, '.', '_' and "
        "'-', and begins with a letter or digit{example}."
    ).format(where=where, name=_value_shown(name), example=example)


def _possible_keys(part: Schema) -> dict[str, Schema]:
    """Return what a section may have, also as one of alternatives."""
    known = {**part.get("properties", {})}
    for each in part.get("anyOf", ()):
        known |= _possible_keys(each)
    return known


def _inner_schema(part: Schema, step: str | int) -> Schema:
    found: Schema = {}
    if step in part.get("properties", {}):
        found = part["properties"][step]
    elif isinstance(step, int):
        found = part.get("items", {})
    elif isinstance(part.get("additionalProperties"), dict):
        found = part["additionalProperties"]
    branches = [
        *filter(None, (_inner_schema(each, step) for each in part.get("anyOf", ())))
    ]
    several: Schema = {"anyOf": branches}
    return found or (several if len(branches) > 1 else next(iter(branches), {}))


def _type_names(part: Schema) -> list[str]:
    kind = part.get("type", [])
    kinds = [kind] if isinstance(kind, str) else list(kind)
    return kinds + [
        each for branch in part.get("anyOf", ()) for each in _type_names(branch)
    ]


def _content_at(content: Any, path: Path) -> Any:
    for step in path:
        content = content[step]
    return content


def _ended_sentence(said: str, description: str) -> str:
    """End a sentence with what the schema says, which is in English alone."""
    is_told = description and spoken_language() == "en"
    return f"{said}: {description}" if is_told else f"{said}."


def _place_of(path: Path, content: Any) -> str:
    """Return which place it is: an analysis by its name, other entries by number."""
    said, rest = "", path
    if path[:1] == ("analyses",) and len(path) >= _OF_ANALYSIS:
        said, rest = _analysis_name(path, content), path[_OF_ANALYSIS:]
    inner = ""
    for before, step in pairwise((None, *rest)):
        if isinstance(step, int):
            entry = _("the {nth} entry of {inner}")
            inner = entry.format(nth=nth_place(step + 1), inner=inner)
        elif isinstance(before, int):
            inner = f"{inner}: {_printable_step(step)}"
        else:
            inner = (
                f"{inner}.{_printable_step(step)}" if inner else _printable_step(step)
            )
    return ": ".join(part for part in (said, inner) if part)


_BY_ATTRIBUTE = frozenset({"hierarchies", "round", "generalise", "randomise"})
"""Sections whose keys are attributes."""


def places_of(name: str, content: Any) -> list[str]:
    """Return the places of a study file that name an attribute, each once."""
    # What is known of a person is not looked at; a QID set may have that name.
    return [
        *dict.fromkeys(_place_of(path, content) for path in _named_paths(name, content))
    ]


def _named_paths(name: str, content: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of lists, keys and values that have a name."""
    inner: Iterable[tuple[str | int, Any]] = ()
    is_here = content == name
    if isinstance(content, dict):
        inner = (
            (key, each)
            for key, each in content.items()
            if key != "known" or path == ("qid_sets",)
        )
        is_here = bool(path) and path[-1] in _BY_ATTRIBUTE and name in content
    elif isinstance(content, list):
        inner = ((i, each) for i, each in enumerate(content) if each != name)
        is_here = name in content
    if is_here:
        yield path
    for step, each in inner:
        yield from _named_paths(name, each, (*path, step))


def _analysis_name(path: Path, content: Any) -> str:
    """Name an analysis, if it has a name that can be one and is not the fault."""
    family, place = path[1:_OF_ANALYSIS]
    given = _content_at(content, path[:_OF_ANALYSIS])
    name = given.get("name") if isinstance(given, dict) else None
    is_fault = path[_OF_ANALYSIS:] == ("name",)
    if isinstance(name, str) and _NAME.fullmatch(name) and not is_fault:
        return f"analyses.{family} {name!r}"
    said = _("the {nth} of analyses.{family}")
    return said.format(nth=nth_place(int(place) + 1), family=family)


def _printable_step(step: object) -> str:
    return str(step) if str(step).isprintable() else repr(step)


def _value_shown(value: object) -> str:
    """Show a value of the study file, which says nothing of a person."""
    if isinstance(value, list):
        return _("a list")
    if isinstance(value, dict) and value:
        return _("a mapping")
    text = re.sub("//.*@", "//…@", repr(value))  # it may be an address with a password
    return text if len(text) <= 80 else f"{text[:79]}…"
