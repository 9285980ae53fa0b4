"""Analyses of who is alone by one attribute, as the study file gives them."""

from collections.abc import Iterator, Sequence

from microleak.records.compared import Need
from microleak.study_file.section import Attribute, Context, OfRelease


class Toy(OfRelease):
    """Who is alone by one attribute: of how many records no other has the value."""

    attribute: Attribute
    """Attribute that the adversary knows; not an identifier of the person or record."""

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        yield self.table, self.focal, (self.attribute,)


SECTION = Toy


def read(context: Context, sections: Sequence[Toy]) -> list[Toy]:
    """Return the analyses, each checked."""
    for each in sections:
        release = context.focal(each)
        release.check((each.attribute,))
        each.checked(release.where)
    return list(sections)
