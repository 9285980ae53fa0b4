"""Analyses of independent releases, as the study file gives them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.section import (
    Attributes,
    Context,
    Different,
    OfRelease,
    Qids,
    Text,
)


class Intersection(OfRelease):
    """What independent releases tell together of who is in all of them.

    Records with the target's quasi-identifiers are its candidates in each release, and
    the target has a sensitive value that some candidate has in every one (Ganta,
    Kasiviswanathan and Smith 2008). No identifier is needed; where all releases have
    one that links, it says how many of the claims are right.
    """

    others: Annotated[
        tuple[Annotated[Text, Field(description="Another release of the table.")], ...],
        Field(min_length=1, alias="auxiliary"),
        Different(),
    ]
    """Other releases of the table, in which the target is as well, as a list; they are
    taken in this order, and each beginning of it is measured."""

    qids: Qids
    """The quasi-identifiers, which all releases have and the adversary knows of the
    target, as a list or the name of a QID set; what does not change, as birth, sex and
    place of birth. None an identifier of the person or record."""

    sensitive: Attributes
    """Attributes that all releases have and that are inferred, each by itself; what
    does not change, as a disability. None of them a QID, none an identifier."""

    person_id: SkipJsonSchema[str | None] = None
    """The identifier that says who is in all releases; found by reading."""

    @property
    def releases(self) -> tuple[str, ...]:
        return (self.focal, *self.others)

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.qids, *self.sensitive)

    @property
    def needs(self) -> Iterator[Need]:
        for release in self.releases:
            yield self.table, release, self.names


SECTION = Intersection


def read_one(context: Context, section: Intersection) -> Intersection:
    where = context.where(section)
    context.table(section.table, section.releases, where)
    if section.focal in section.others:
        raise StudyError(
            f"{where}: release {section.focal} is both focal and auxiliary, so that "
            "it would be intersected with itself. Correct auxiliary."
        )
    for release in section.releases:
        named = context.release(section.table, release, where)
        named.check(section.qids, section.sensitive)
    names = section.table, section.focal, section.others
    person_id = context.linking_identifier(*names)
    return section.model_copy(update={"person_id": person_id})
