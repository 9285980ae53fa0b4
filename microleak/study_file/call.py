"""Parts of a study file from the arguments of a function."""

from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from pydantic import ValidationError

from microleak.base.errors import StudyError
from microleak.records.call import People
from microleak.records.recoding import Confusion
from microleak.study_file.faults import fault_sentence
from microleak.study_file.hierarchies import Hierarchies, HierarchySection
from microleak.study_file.rough import Roughly, RoughSection, check_rough
from microleak.study_file.schema import plain_schema
from microleak.study_file.section import Section, as_text

SectionType = TypeVar("SectionType", bound=Section)


def analysis_of(
    model: type[SectionType], function: str, arguments: Mapping[str, Any]
) -> SectionType:
    """Return an analysis of the name of a function, checked key by key."""
    # `function` begins what is said; arguments that are None are left out.
    given = {key: _plain(v, function) for key, v in arguments.items() if v is not None}
    try:
        return model.model_validate(given)
    except ValidationError as error:
        said = fault_sentence(error, plain_schema(model), given)
        raise StudyError(f"{function}: {said}") from None


def _plain(value: Any, function: str) -> Any:
    """Return lists for tuples and texts for integer keys, as a study file has them."""
    if isinstance(value, (list, tuple)):
        return [_plain(each, function) for each in value]
    if isinstance(value, Mapping):
        found = {as_text(key): _plain(each, function) for key, each in value.items()}
        if len(found) < len(value):
            raise StudyError(
                f"{function}: a mapping has a key twice, as a number and as a text. "
                "Give it once."
            )
        return found
    return value


def hierarchies_of(
    function: str, hierarchies: Mapping[str, Mapping[str, Any]]
) -> Hierarchies:
    """Return hierarchies by column, each checked as `analysis_of` does."""
    return {
        column: analysis_of(HierarchySection, f"{function}: hierarchies of {column}", h)
        for column, h in hierarchies.items()
    }


def roughly_of(
    function: str,
    roughly: Mapping[str, Mapping[str, Any]],
    among: Collection[str],
    role: str,
    people: People,
) -> Roughly:
    # `roughly` has by column `within`, `unknown`, and as `confusion` a mapping of
    # values to what they are taken for, with the chance of each. `among` are the
    # columns of `people` that may be known so; `role` is the argument that names them.
    _check_shape(function, roughly)
    check_rough(roughly, among, role, function)
    found = {}
    for name, rough in roughly.items():
        plain = {key: rough[key] for key in rough if key != "confusion"}
        section = analysis_of(RoughSection, f"{function}: roughly of {name}", plain)
        if "confusion" in rough:
            matrix = _confusion(function, rough["confusion"], people, name)
            section = section.model_copy(update={"matrix": matrix})
        found[name] = section
    return found


def _check_shape(function: str, roughly: Any) -> None:
    """Refuse what says of no column how it is known."""
    ways: list[Any] = [*roughly.values()] if isinstance(roughly, Mapping) else [None]
    for rough in ways:
        chances = rough.get("confusion", {}) if isinstance(rough, Mapping) else None
        parts = [*chances.values()] if isinstance(chances, Mapping) else [None]
        if not all(isinstance(part, Mapping) for part in parts):
            raise StudyError(
                f"{function}: roughly is a mapping of columns to mappings, as "
                '{"age": {"within": 1}} or {"race": {"confusion": {"a": {"a": "9/10", '
                '"b": "1/10"}}}}.'
            )
        if "confusion" in rough and "within" in rough:
            raise StudyError(
                f"{function}: a column has both within and confusion. Give one of them."
            )


def _confusion(
    function: str, given: Mapping[Any, Mapping[Any, Any]], people: People, name: str
) -> Confusion:
    def text(value: Any) -> str:
        return people.text(function, name, value) or ""

    known = dict.fromkeys(value for chances in given.values() for value in chances)
    try:
        exact = [
            [Fraction(str(chances.get(value, 0))) for value in known]
            for chances in given.values()
        ]
    except (ValueError, ZeroDivisionError):
        exact = [[Fraction(0)]]
    if any(sum(chances) != 1 or min(chances) < 0 for chances in exact):
        raise StudyError(
            f"{function}: the chances of a value of {name} are no numbers from 0 on "
            "that add up to 1. Give them as texts of fractions, as '1/3'."
        )
    rows = (tuple(map(str, chances)) for chances in exact)
    columns, names = tuple(map(text, known)), tuple(map(text, given))
    if len({*columns}) < len(columns) or len({*names}) < len(names):
        raise StudyError(
            f"{function}: two values in the confusion of {name} have the same text. "
            "Give one of them."
        )
    return Confusion(columns, dict(zip(names, rows, strict=True)))
