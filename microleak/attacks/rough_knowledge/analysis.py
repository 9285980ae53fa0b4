"""An analysis of what is known roughly."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Annotated, Self

from pydantic import Field, model_validator
from pydantic.dataclasses import dataclass
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from microleak.records.compared import Need
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    NotEmpty,
    OfQids,
    Positive,
    Section,
    Subsets,
    Text,
)


@dataclass(frozen=True)
class Confusion:
    """How often each value is taken for each other one.

    Attributes
    ----------
    perceived
        What values are taken for, the empty text for a missing one.
    chances
        Of each true value, the empty text for a missing one, the chance of each of
        these, as a text of a fraction. Values that are not there are taken as they are.
    """

    perceived: tuple[str, ...]
    chances: dict[str, tuple[str, ...]]

    @cached_property
    def exact(self) -> Mapping[str | None, dict[str | None, Fraction]]:
        """Chances above 0 by true and perceived value; None is a missing one."""
        return {
            true or None: {
                value or None: Fraction(chance)
                for value, chance in zip(self.perceived, chances, strict=True)
                if Fraction(chance)
            }
            for true, chances in self.chances.items()
        }


class RoughSection(Section):
    """How one QID is known: `within` or `confusion`, and how often it is `unknown`."""

    within: Positive | None = None
    """The value known is up to so much less or more than the true one, each whole
    number in between as likely; of an attribute whose values are whole numbers. A
    missing value is known as it is."""

    confusion: NotEmpty | None = None
    """A CSV file of what values are taken for: a header of `true` and the values known;
    then a line for each true value with the chance of each, as `0.9` or `1/3`, that add
    up to 1. An empty heading or name stands for a missing value; values without a line
    are known as they are. The path is relative to the folder that the command is run
    in."""

    unknown: Annotated[
        Text,
        Field(
            pattern=r"^(0?\.\d{1,15}|0|1|\d{1,15}/\d{0,14}[1-9]\d{0,14})$",
            description="Chance that the QID is not known at all, from 0 to 1, as "
            '`"0.1"` or `"1/3"`.',
        ),
    ] = "0"
    matrix: SkipJsonSchema[Confusion | None] = None
    """What the file of `confusion` says."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if Fraction(self.unknown) > 1:
            said = "has a chance of unknown above 1. Correct it."
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        if self.within is not None and self.confusion is not None:
            said = "has both within and confusion. Give one of them."
            raise PydanticCustomError("sentence", "{said}", {"said": said})
        return self


class RoughKnowledge(OfQids):
    """What an adversary finds who knows the quasi-identifiers only roughly.

    Each QID of `roughly` is known within a range, as others would say it, or perhaps
    not at all; the others exactly. The adversary knows how, and believes by Bayes.
    """

    wanted: Subsets = Field("full", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record. Without any, persons are re-identified only."""

    roughly: Annotated[dict[Attribute, RoughSection], Field(min_length=1)]
    """How QIDs are known that are not known exactly, as `{NU_ANO: {within: 1},
    TP_COR_RACA: {confusion: race.csv}, CO_MUNICIPIO_NASC: {unknown: "0.3"}}`."""

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        yield self.table, self.focal, (*self.qids, *self.sensitive)
