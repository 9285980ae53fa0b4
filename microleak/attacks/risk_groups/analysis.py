"""An analysis of who is at risk."""

from collections.abc import Iterator

from microleak.records.compared import Need
from microleak.study_file.section import (
    AnyAttributes,
    Attributes,
    OfQids,
)


class RiskGroups(OfQids):
    """Who is at risk: re-identification and inference by groups of the persons.

    The attacks are those of collective analyses; success is told for the persons who
    have each value of an attribute, and compared with that of all others.
    """

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record. Without any, persons are re-identified only."""

    by: Attributes
    """Attributes whose values are the groups, such as race, sex or state; each has 100
    values at most, a missing one among them. They may be QIDs or sensitive."""

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        every = dict.fromkeys((*self.qids, *self.sensitive, *self.by))
        yield self.table, self.focal, tuple(every)
