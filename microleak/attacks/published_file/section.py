"""Attacks on a file that somebody else protected or made, as a study file has them."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from microleak.base.errors import StudyError, did_you_mean
from microleak.records.compared import Need
from microleak.study_file.hierarchies import Hierarchies, check_hierarchies
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Attributes,
    Context,
    Different,
    OfQids,
    OneRelease,
    Section,
    Share,
    check_sensitive,
    refuse,
)


class Near(Section):
    """When a number that is guessed is near enough to be right."""

    absolute: Share | None = None
    """How far the guess may lie from the true number, as a text, as `"100"`."""

    relative: Share | None = None
    """The same as a share of the true number, as `"0.05"`; with `absolute` the larger
    of both holds. Of 0 only 0 is near."""

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.absolute is None and self.relative is None:
            refuse("must give absolute, relative or both.")
        return self


TwoSets = Annotated[tuple[Attributes, ...], Field(min_length=2, max_length=2)]


class PublishedFile(OfQids):
    """What a file gives away that somebody else protected or made of a release.

    Nothing is known of how it was made, so it may have been by ARX, sdcMicro or a
    script, or be synthetic; rows need not be in order, nor as many. An adversary knows
    sets of facts of people of the release and looks for them in the file. Labels are
    read as these programs write them, as `[20, 30[`, `(20,30]`, `{a, b}`, `81***`, `*`,
    `<50` or `80+`, or by hierarchies.
    """

    published: OneRelease
    """The release with the file that is published, whose attributes have the names of
    the table."""

    control: OneRelease | None = None
    """A release with people of the same kind whose records were never published nor
    used to make the file. One that was taken out of the table afterwards is refused:
    the file was made of those people too, so there would be no difference."""

    sensitive: AnyAttributes = ()
    """Attributes that are guessed from the file; none of them a QID, none an identifier
    of the person or record."""

    near: dict[Attribute, Near] = Field({})
    """When a guess of a number is near enough, by sensitive attribute, as `{INCOME:
    {relative: "0.05"}}`; of others only the same value is right."""

    key: Attribute | None = None
    """Attribute of the table and of the file that says which published record is made
    of whose, where there is one; it is no fact, and only tells which links are true."""

    hierarchies: Hierarchies = Field({})
    """Levels of attributes from which the file has labels that are not read otherwise,
    as for `protections`."""

    missing: Literal["value", "suppressed"] | None = None
    """What an empty cell of the file is: a missing `value` like that of the table, or a
    `suppressed` one, which may be any. It must be said where a QID has more empty cells
    in the file than in the table."""

    links: Annotated[tuple[TwoSets, ...], Different()] = ()
    """Pairs of sets of QIDs, as `[[[AGE, SEX], [TOWN, JOB]]]`: two adversaries know
    each one's facts of the same person, and find out whether they mean the same."""

    @property
    def needs(self) -> Iterator[Need]:
        attributes = (*self.qids, *self.sensitive, *filter(None, [self.key]))
        yield self.table, self.focal, attributes
        yield self.published.table, self.published.release, attributes
        if self.control is not None:
            yield self.control.table, self.control.release, self.compared

    @property
    def compared(self) -> tuple[str, ...]:
        return (*self.qids, *self.sensitive)

    def checked(self, where: str) -> Self:
        super().checked(where)
        check_sensitive(self.near, self.sensitive, "near", where)
        linked = chain.from_iterable(chain.from_iterable(self.links))
        for name in (*self.hierarchies, *linked):
            if name not in self.qids:
                raise StudyError(
                    f"{where}: hierarchies or links have {name}, which is not among "
                    f"qids.{did_you_mean(name, self.qids)} Correct it."
                )
        if self.key in self.compared:
            raise StudyError(f"{where}: {self.key} is the key and a fact. Remove it.")
        check_hierarchies(self.hierarchies, self.hierarchies, where)
        return self


SECTION = PublishedFile


def read_one(context: Context, section: PublishedFile) -> PublishedFile:
    where = context.where(section)
    given = [(table, release) for table, release, _ in section.needs]
    if len({*given}) < len(given):
        raise StudyError(
            f"{where}: the table, published and control are not different releases. "
            "Correct them."
        )
    for table, release in given:
        named = context.release(table, release, where)
        named.check_roles(section.qids, section.sensitive)
        named.check_released(section.compared)
    return section.checked(where)
