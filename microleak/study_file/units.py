"""Releases whose records have facts of their unit, as a study file gives them.

A unit is a household, a family or a class: the records in which one attribute has one
value. What is known of its members becomes attributes of each of them, so that every
analysis takes it as any other attribute.
"""

from collections.abc import Iterator
from typing import Annotated, Self

from pydantic import Field, model_validator

from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Different,
    Filter,
    OneRelease,
    Section,
    refuse,
)


class FactSection(Section):
    """What is known of the members of a unit."""

    of: AnyAttributes = ()
    """Attributes listed of each member. Two units have the same list if they have the
    same members, each as often, in any order. Without it, the fact is the number of
    members."""

    where: Filter = Field({})
    """Which members, by attribute and values; without it all of them. A missing value
    is null."""

    others: bool = False
    """Leave the record itself out."""

    whether: bool = False
    """Only whether there is such a member, `yes` or `no`."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.of and self.whether:
            refuse("has of and whether: a list tells more than whether. Remove one.")
        return self

    @property
    def named(self) -> tuple[str, ...]:
        """Attributes of the release that it is made of."""
        return (*self.of, *self.where)


class JoinedSection(OneRelease):
    """A file that has one record a unit."""

    unit: Attribute
    """Its attribute that has the units' names."""

    attributes: Attributes
    """Attributes that each member gets from it; missing for a unit that it does not
    have."""


class UnitsSection(OneRelease):
    """A release whose records have facts of their unit."""

    unit: Attribute
    """Attribute whose value is the same in the records of one unit, as the number of a
    household. A record without a value is a unit by itself. If the attribute identifies
    persons, each person is a unit, and facts are of that person alone."""

    facts: dict[Attribute, FactSection] = Field({})
    """Facts of the members, by the name of an attribute that each record then has."""

    joined: Annotated[tuple[JoinedSection, ...], Different()] = ()
    """Further files of the release that have one record a unit, as those of
    households."""

    @property
    def made(self) -> tuple[str, ...]:
        """Attributes that its records have beside those of its release."""
        return (*self.facts, *(n for each in self.joined for n in each.attributes))

    @property
    def named(self) -> tuple[str, ...]:
        """Attributes of its release that its own are made of, each once."""
        every = (name for each in self.facts.values() for name in each.named)
        return tuple(dict.fromkeys((self.unit, *every)))

    @property
    def others(self) -> Iterator[tuple[str, str, tuple[str, ...]]]:
        """Tables and releases that are joined, and what is read of each."""
        for each in self.joined:
            yield each.table, each.release, (each.unit, *each.attributes)
