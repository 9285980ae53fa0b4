"""Tables of counts as a study file names them, by which protections are compared."""

from typing import Annotated, Self

from pydantic import BeforeValidator, model_validator
from pydantic_core import PydanticCustomError

from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Name,
    Section,
)


def _as_list(given: object) -> object:
    return [given] if isinstance(given, str) else given


class TabulationSection(Section):
    """A table of counts of records that is made of protected releases, too."""

    name: Name
    """Name of the tabulation, unique among them; formed as that of the study."""

    table: str
    """Which table; the table of counts is made of each of its protected releases, and
    of the releases that they are made of."""

    attributes: Attributes
    """Attributes by whose values records are counted, a missing value being one; those
    of the first release, whatever becomes of them."""

    by: Annotated[
        AnyAttributes,
        BeforeValidator(_as_list, json_schema_input_type=str | AnyAttributes),
    ] = ()
    """One or several of them, but not all: the records of each of their values are a
    group, and of the group whose part of the table loses most is told how much."""

    outcome: Attribute | None = None
    """One of them, whose values are numbers, as 12 or 12.5: a line by least squares
    explains it by the others, and the largest change of a coefficient is told, too."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        said = ""
        for name in self.by:
            if name not in self.attributes:
                said = f"has {name} in by, which is not among its attributes. Add it."
        if {*self.by} == {*self.attributes}:
            said = "has all of its attributes in by, so that a group is one cell."
            said += " Remove one from by."
        if self.outcome and ({self.outcome} == {*self.attributes}):
            said = "has no attribute beside its outcome. Add one to attributes."
        elif self.outcome and self.outcome not in self.attributes:
            said = f"has {self.outcome} in outcome, which is not among its attributes."
            said += " Add it."
        if said:
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self
