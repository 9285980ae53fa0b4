"""An analysis of what tables of counts prove."""

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, StrictInt, model_validator
from pydantic_core import PydanticCustomError

from microleak.records.compared import Need
from microleak.study_file.section import (
    Attribute,
    Attributes,
    Different,
    Name,
    NotEmpty,
    Positive,
    Section,
    Text,
)

AnyValues = Annotated[
    tuple[Annotated[str, Field(description="Values, as texts in quotes.")], ...],
    Field(min_length=1, description="Values, as texts in quotes, each once."),
    Different(),
]
Base = Annotated[StrictInt, Field(ge=2, le=1_000_000)]


class PublishedTable(Section):
    """A table of counts of persons, as it was published."""

    file: NotEmpty
    """A CSV file, UTF-8 with commas: a column for each attribute, and `count`. An empty
    value of an attribute, or `*`, stands for all of its values. The path is relative to
    the folder that the command is run in."""

    suppressed: tuple[str, ...] = ()
    """Texts in the place of a count that was suppressed, besides an empty one."""

    below: Base | None = None
    """Counts from 1 to one less than it were suppressed, and no others; without it a
    suppressed count may be any."""

    rounded_to: Base | None = None
    """Counts were rounded to multiples of it."""

    rounding: Literal["nearest", "down", "random"] | None = None
    """How - to the `nearest` multiple, which is taken if none is given, `down`, or at
    random to one of the two multiples around."""

    noise: Positive | None = None
    """Counts are up to so many above or below the true ones."""

    unlisted: Literal["unknown", "zero"] = "unknown"
    """What holds of combinations of values that no row of the file has: nothing is
    known, or nobody has them."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.rounding is not None and self.rounded_to is None:
            said = "has rounding without rounded_to. Give the base of the rounding."
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self


_EVERY_KEY = ("below", "base", "most", "seed")
_KEYS = {
    "none": [],
    "suppress": ["below"],
    "round": ["base"],
    "random_round": ["base", "seed"],
    "perturb": ["most", "seed"],
}
"""What each method needs."""


class Protect(Section):
    """How tables of a release are protected."""

    method: Literal["none", "suppress", "round", "random_round", "perturb"]
    """As they are; with counts from 1 to less than `below` suppressed; rounded to the
    nearest multiple of `base`, halves up, or at random to one of the two multiples
    around, so that the count is the mean; or with a whole number from -`most` to `most`
    added to each, drawn for each cell of each table."""

    below: Base | None = None
    """Of `suppress`."""

    base: Base | None = None
    """Of `round` and `random_round`."""

    most: Positive | None = None
    """Of `perturb`."""

    seed: Annotated[StrictInt, Field(ge=0)] | None = None
    """Of `random_round` and `perturb`, what the draws follow from; the adversary does
    not know it."""

    times: Annotated[StrictInt, Field(ge=1, le=1000)] = 1
    """Of `random_round` and `perturb`, how often each table is published, with new
    draws each time; `1` is as with a key that stays the same."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        needed = _KEYS[self.method]
        given = [key for key in _EVERY_KEY if getattr(self, key) is not None]
        if given != needed or (self.times > 1 and self.seed is None):
            keys = " and ".join(needed) or "nothing"
            said = f"must give {keys} besides method {self.method}."
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self


class MadeTables(Section):
    """Tables of counts that are made of a release, and then attacked."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it."""

    crossings: Annotated[tuple[Attributes, ...], Field(min_length=1), Different()]
    """Attributes that each of the tables crosses, besides `region`. A missing value is
    a value."""

    protect: Protect = Protect(method="none")
    """What is done to their counts, which the adversary knows."""


class TableRebuilding(Section):
    """What tables of counts prove about persons, with proofs that can be checked."""

    name: Name
    """Name of the analysis, unique among the analyses of all kinds but targets; formed
    as that of the study."""

    tables: Annotated[tuple[PublishedTable, ...], Field(min_length=1)] | None = None
    """Tables that were published, in any order."""

    release: MadeTables | None = None
    """In their place, tables that are made of a release."""

    region: Attribute | None = None
    """An attribute that all tables have; each of its values is rebuilt by itself."""

    domains: dict[Attribute, AnyValues] = Field({})
    """Of published tables, all values that an attribute can have; without it those that
    the files have."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        self.check_one("tables", "release")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """Attributes of the release that it needs, region first."""
        crossings = self.release.crossings if self.release else ()
        region = () if self.region is None else (self.region,)
        return tuple(dict.fromkeys([*region, *(n for each in crossings for n in each)]))

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release, if it makes tables of one."""
        if self.release:
            yield self.release.table, self.release.focal, self.attributes
