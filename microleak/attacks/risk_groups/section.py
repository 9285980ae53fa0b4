"""Analyses of who is at risk, as the study file gives them."""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field, field_validator, model_validator
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.matrix import MOST_DIGITS, read_matrix
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Context,
    Different,
    NotEmpty,
    OfQids,
    Positive,
    Section,
    refuse,
)


class Grouping(Section):
    """Groups of an attribute's values, by their classes or by how many have each."""

    of: Attribute
    """Attribute whose values are grouped; it may have thousands."""

    name: Attribute | None = None
    """What the groups are called in `by` of the results, in the place of the
    attribute; where one attribute is grouped in several ways they need it."""

    classes: NotEmpty | None = None
    """A CSV file of the class of each value: the header `value,class`, then a line for
    each value, as a text in the newest coding, with its class of up to 40 characters.
    An empty value stands for a missing one. Every value of the release must be there.
    The path is relative to the folder that the command is run in."""

    sizes: Annotated[tuple[Positive, ...], Field(min_length=1)] | None = None
    """Numbers of persons that ascend, in the place of `classes`: the groups are the
    persons whose value so many of the release have. `[1000, 10000]` are three groups:
    of values of fewer than 1,000 persons, of 1,000 to 9,999, and of 10,000 or more.
    Those whose value is missing are a group of their own."""

    class_of: SkipJsonSchema[dict[str, str] | None] = None
    """What the file of `classes` says; the empty text is a missing value."""

    @model_validator(mode="after")
    def _check_kind(self) -> Self:
        is_classed = (self.classes is not None) or (self.class_of is not None)
        if is_classed == (self.sizes is not None):
            refuse("must give exactly one of classes and sizes.")
        if any(first >= second for first, second in pairwise(self.sizes or ())):
            refuse("has sizes that do not ascend. Give each once, the smallest first.")
        return self

    @property
    def called(self) -> str:
        return self.name or self.of


class RiskGroups(OfQids):
    """Who is at risk: re-identification and inference by groups of the persons.

    The attacks are those of collective analyses; success is told for the persons who
    have each value of an attribute, and compared with that of all others.
    """

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record. Without any, persons are re-identified only."""

    by: Annotated[tuple[Attribute | Grouping, ...], Field(min_length=1), Different()]
    """Attributes whose values are the groups, such as race, sex or state, or groups of
    values, as `{of: CO_MUNICIPIO_NASC, sizes: [1000, 10000]}`. Each gives 100 groups at
    most, that of a missing value among them. The attributes may be QIDs or
    sensitive."""

    @field_validator("by")
    @classmethod
    def _check_names(cls, by: tuple[str | Grouping, ...]) -> tuple[str | Grouping, ...]:
        """Refuse two entries that results could not tell apart."""
        names = [each if isinstance(each, str) else each.called for each in by]
        for name in names:
            if names.count(name) > 1:
                said = f"has two entries called {name}. Give one of them another name."
                refuse(said)
        return by

    @property
    def grouped(self) -> tuple[str, ...]:
        return tuple(each if isinstance(each, str) else each.of for each in self.by)

    @property
    def needs(self) -> Iterator[Need]:
        every = dict.fromkeys((*self.qids, *self.sensitive, *self.grouped))
        yield self.table, self.focal, tuple(every)


SECTION = RiskGroups


def read_one(context: Context, section: RiskGroups) -> RiskGroups:
    release = context.focal(section)
    section.checked(release.where)
    release.check_roles(section.qids, section.sensitive)
    for name in set(section.grouped) & set(release.definition.identifiers):
        raise StudyError(
            f"{release.where}: {name} identifies persons or records, so that each "
            "would be a group of its own. Remove it from by."
        )
    release.check_released((*section.qids, *section.sensitive, *section.grouped))
    by = tuple(_with_classes(each, release.where) for each in section.by)
    return section.model_copy(update={"by": by})


def _with_classes(given: str | Grouping, where: str) -> str | Grouping:
    if isinstance(given, str) or given.classes is None:
        return given
    class_of = read_classes(Path(given.classes), where)
    return given.model_copy(update={"class_of": class_of})


def read_classes(path: Path, where: str) -> dict[str, str]:
    """Return the class of each value of a CSV file, a missing one as the empty text."""
    said = f"a class of up to {MOST_DIGITS} characters"
    matrix = read_matrix(path, ".+", said, f"{where}: classes")
    if matrix.columns != ("class",):
        raise StudyError(f"{path}: line 1 must be value,class. Correct it.")
    return {value: name for value, (name,) in matrix.rows.items()}
