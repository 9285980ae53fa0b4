"""Analyses of who is alone by one attribute, as the study file gives them."""

from collections.abc import Iterator

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


def read_one(context: Context, section: Toy) -> Toy:
    """Return an analysis, checked."""
    release = context.focal(section)
    release.check((section.attribute,))
    return section.checked(release.where)
