"""Searches for the smallest protection as the study file gives them."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Annotated, Any, Literal, Self

from pydantic import Field, StrictInt, model_validator
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError, check_known
from microleak.records.compared import Need
from microleak.study_file.hierarchies import Hierarchies, check_hierarchies
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Context,
    OfRelease,
    Positive,
    Qids,
    Section,
    Share,
    refuse,
)

AtLeast2 = Annotated[StrictInt, Field(ge=2)]


class ProtectionTarget(Section):
    """What a protected release must keep to, all that is given."""

    k: AtLeast2 | None = None
    """Records that every block must have (k-anonymity)."""

    alone: Share | None = None
    """Share of the records that may be alone in their block, at most."""

    reidentified: Share | None = None
    """Share of the records that the best guess may re-identify, at most (Nunes 4.5)."""

    certain: Share | None = None
    """Share of the records of which a sensitive value may be certain, at most, for each
    sensitive attribute (Nunes 4.8)."""

    inferred: Share | None = None
    """Share of the records whose sensitive value the best guess may get right, at most,
    for each sensitive attribute (Nunes 4.12)."""

    l: AtLeast2 | None = None  # noqa: E741, as the field calls it
    """Values that every block must have of each sensitive attribute (distinct
    l-diversity)."""

    own_record: Share | None = None
    """Share of the records whose sensitive value the best guess may get right only by
    their own record, at most, for each sensitive attribute: beyond what is guessed
    without any QID, or from all other records (leave one out)."""

    example: bool = False
    """Whether it is an example, as that which `init` writes: no verdict follows from
    it. Remove this once the office has set its own."""

    @model_validator(mode="after")
    def _check_some(self) -> Self:
        if not self._bounds:
            refuse("must give at least one bound.")
        for name, bound in self._bounds.items():
            if isinstance(bound, str) and Fraction(bound) > 1:
                refuse(f"has a share above 1 in {name}. Correct it.")
        return self

    @property
    def text(self) -> str:
        """The bounds, as `NAME:BOUND` joined by `|`; shares are fractions."""
        bounds = self._bounds
        for name, value in bounds.items():
            if isinstance(value, str):
                numerator, denominator = Fraction(value).as_integer_ratio()
                bounds[name] = f"{numerator}/{denominator}"
        return "|".join(f"{name}:{value}" for name, value in bounds.items())

    @property
    def _bounds(self) -> dict[str, Any]:
        given = {name: getattr(self, name) for name in type(self).model_fields}
        del given["example"]
        return {name: value for name, value in given.items() if value is not None}

    def most(self, name: str, n_records: int) -> int:
        """Return of how many records at most a share may hold; all without a bound."""
        share = getattr(self, name)
        return n_records if share is None else int(Fraction(share) * n_records)

    @property
    def needs_sensitive(self) -> bool:
        return any((self.certain, self.inferred, self.l, self.own_record))


class Regression(Section):
    """A line by least squares, of which a user of the data needs the coefficients."""

    outcome: Attribute
    """What it explains: an attribute whose values are numbers, as 12 or 12.5."""

    on: Attributes
    """By what: numbers, or indicators of all values but one. Attributes that nearly
    follow from one another are refused, as rounding would decide on their
    coefficients."""


class Loss(Section):
    """What users of the release lose; one key."""

    total_variation: Attributes | None = None
    """Names of `tabulations`: the share of records that stand in a wrong cell, of the
    table that loses most."""

    largest_error: Attributes | None = None
    """Names of `tabulations`: the error of their worst cell, as a share of the
    records."""

    regression: Regression | None = None
    """The largest change of a coefficient, in standard deviations."""

    @model_validator(mode="after")
    def _check_one(self) -> Self:
        if len(self._given) != 1:
            refuse("has to have one of total_variation, largest_error and regression.")
        return self

    @property
    def _given(self) -> list[str]:
        return [n for n in type(self).model_fields if getattr(self, n) is not None]

    @property
    def kind(self) -> str:
        return self._given[0]

    @property
    def named(self) -> tuple[str, ...]:
        return self.total_variation or self.largest_error or ()


class Search(OfRelease):
    """The smallest protection that keeps a risk within bounds, with its proof.

    Each QID has a hierarchy (`hierarchies`), and a node of the lattice says on which
    level each is. Of all nodes that keep to the target the answer is the one that takes
    the least information from the QIDs.
    """

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list or the name of a
    QID set; each has a hierarchy."""

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record."""

    target: ProtectionTarget
    """What the protected release must keep to, as `{k: 5, certain: "0.05"}`."""

    with_any: Positive | None = None
    """How many of the QIDs the adversary knows, any of them. Without it, all."""

    loss: Literal["information", "cells"] | Loss = "information"
    """What the answer loses least of: the `information` of the QIDs (Shannon), their
    `cells` that change, or what users of the release lose."""

    hierarchies: SkipJsonSchema[Hierarchies] = Field({})
    """Those of the QIDs."""

    tables: SkipJsonSchema[tuple[tuple[str, ...], ...]] = ()
    """Attributes of each table that loss is of, or of the regression, the outcome
    first."""

    compared: SkipJsonSchema[dict[str, tuple[str, ...]]] = Field({})
    """Attributes of each tabulation of the table that has a QID, by its name: of these
    it is told what a change of one QID and the answer do to them."""

    @property
    def tabulations(self) -> tuple[str, ...]:
        return self.loss.named if isinstance(self.loss, Loss) else ()

    @property
    def loss_text(self) -> str:
        """The loss, as `NAME` or as `NAME:` and what it is of, joined by `|`."""
        if not isinstance(self.loss, Loss):
            return self.loss
        of = self.loss.named or self.tables[0]
        return f"{self.loss.kind}:{'|'.join(of)}"

    @property
    def known(self) -> tuple[tuple[int, ...], ...]:
        """Sets of QIDs by which the target must hold, as places in `qids`."""
        places = range(len(self.qids))
        return tuple(combinations(places, self.with_any or len(self.qids)))

    def checked(self, where: str) -> Self:
        if self.target.needs_sensitive and not self.sensitive:
            raise StudyError(
                f"{where}: target has certain, inferred, l or own_record, and "
                "sensitive is empty. Name the attributes that are inferred in "
                "sensitive."
            )
        if self.with_any is not None and self.with_any > len(self.qids):
            raise StudyError(
                f"{where}: with_any is {self.with_any}, and there are "
                f"{len(self.qids)} QIDs. Give at most as many, or leave it out."
            )
        for attributes in self.tables:
            if not {*attributes} & {*self.qids}:
                raise StudyError(
                    f"{where}: loss has {', '.join(attributes)}, none of which is a "
                    "QID: no combination of levels loses anything of it. Remove it, or "
                    "add a QID to it."
                )
            if len({*attributes}) < len(attributes):
                raise StudyError(
                    f"{where}: the outcome of regression in loss is in on, too. Remove "
                    "it there."
                )
        return self

    @property
    def needs(self) -> Iterator[Need]:
        tables = (*self.tables, *self.compared.values())
        of_tables = (name for table in tables for name in table)
        names = dict.fromkeys((*self.qids, *self.sensitive, *of_tables))
        yield self.table, self.focal, tuple(names)


SECTION = Search


def read_one(context: Context, section: Search) -> Search:
    release = context.focal(section)
    where = release.where
    if section.focal in release.table.units:
        raise StudyError(
            f"{where}: {section.focal} has facts of units, which are made again from "
            "any release of the records. Search a protection of the release that it is "
            "made of."
        )
    release.check(section.qids, section.sensitive)
    given = context.file.hierarchies
    check_hierarchies(given, section.qids, where)
    update = {
        "hierarchies": {name: given[name] for name in section.qids},
        "tables": tables_of(section, _tabulated(context, section, where)),
        "compared": _compared(context, section, release),
    }
    whole = section.model_copy(update=update)
    for attributes in whole.tables:
        release.check_released(attributes)
    return whole.checked(where)


def _tabulated(
    context: Context, section: Search, where: str
) -> dict[str, tuple[str, ...]]:
    own = {e.name: e for e in context.file.tabulations if e.table == section.table}
    said = f"{where}: {section.table} has no tabulation"
    for name in section.tabulations:
        check_known(name, own, said, " Name those of tabulations.")
    return {name: own[name].attributes for name in section.tabulations}


def _compared(
    context: Context, section: Search, release: Any
) -> dict[str, tuple[str, ...]]:
    """Return the tabulations of the table that have a QID and that the release has."""
    # It has them if protected releases are made of it, or if its attributes are known.
    table, definition = release.table, release.definition
    known = {*(definition.names or definition.columns)} - {*definition.unreleased}
    is_origin = section.focal in {table.origin(n).name for n in table.protections}
    return {
        each.name: each.attributes
        for each in context.file.tabulations
        if each.table == section.table
        and {*each.attributes} & {*section.qids}
        and (is_origin or {*each.attributes} <= known)
    }


def tables_of(
    section: Search, tabulations: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, ...], ...]:
    """Return the attributes of each table that the loss is of, or of a regression."""
    if not isinstance(section.loss, Loss):
        return ()
    if section.loss.regression is not None:
        return ((section.loss.regression.outcome, *section.loss.regression.on),)
    return tuple(tuple(tabulations[name]) for name in section.tabulations)
