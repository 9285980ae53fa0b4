"""An analysis of who is at risk."""

from collections.abc import Iterator

from pydantic import Field

from microleak.records.compared import Need
from microleak.records.subsets import Subset, subsets_of
from microleak.study_file.section import (
    AnyAttributes,
    Attributes,
    Name,
    Qids,
    Section,
    Subsets,
    Text,
)


class RiskGroups(Section):
    """Who is at risk: re-identification and inference by groups of the persons.

    The attacks are those of collective analyses; success is told for the persons who
    have each value of an attribute, and compared with that of all others.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds that have one;
    formed as that of the study."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it is attacked."""

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list (of 62 at most)
    or the name of a QID set; none an identifier of the person or record."""

    wanted: Subsets = Field("all", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    sensitive: AnyAttributes = ()
    """Attributes that are inferred; none of them a QID, none an identifier of the
    person or record. Without any, persons are re-identified only."""

    by: Attributes
    """Attributes whose values are the groups, such as race, sex or state; each has 100
    values at most, a missing one among them. They may be QIDs or sensitive."""

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        every = dict.fromkeys((*self.qids, *self.sensitive, *self.by))
        yield self.table, self.focal, tuple(every)
