"""Analyses of risks in households and other units, as the study file gives them."""

from collections.abc import Iterator
from typing import Self

from microleak.records.compared import Need
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Context,
    OfQids,
    check_own_role,
)


class UnitRisks(OfQids):
    """Whose household is found by what its neighbours know of its members.

    Risks are counted by units and by their size, and what others teach is what those
    of other units do. QIDs may be facts that `units` makes.
    """

    unit: Attribute
    """Attribute whose value is the same in the records of one unit, as the number of a
    household; neither a QID nor sensitive. Records without a value are in blocks, but
    are not counted."""

    sensitive: AnyAttributes = ()
    """Attributes that should stay hidden; none of them a QID, none an identifier of the
    person or record."""

    @property
    def needs(self) -> Iterator[Need]:
        names = *self.qids, *self.sensitive, self.unit
        yield self.table, self.focal, tuple(dict.fromkeys(names))

    def checked(self, where: str) -> Self:
        super().checked(where)
        check_own_role(self.unit, "the unit", self.qids, self.sensitive, where)
        return self


SECTION = UnitRisks


def read_one(context: Context, section: UnitRisks) -> UnitRisks:
    release = context.focal(section)
    release.check(section.qids, section.sensitive)
    if section.unit != release.definition.person_id:
        release.check([section.unit])
    return section.checked(release.where)
