"""An analysis of who stands out by few attributes."""

from collections.abc import Iterator

from microleak.records.compared import Need
from microleak.study_file.section import Name, Qids, Section, Text


class SpecialUniques(Section):
    """Who stands out by few attributes: all minimal sample uniques, and their scores.

    A set of QIDs is a minimal sample unique of a record that is alone with its values
    of these, and with no part of them (SUDA). Nothing is sampled: the sets of all
    records are found.
    """

    name: Name
    """Name of the analysis, unique among the analyses of all kinds that have one;
    formed as that of the study."""

    table: str
    """Which table."""

    focal: Text
    """Which release of it is measured."""

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list of 16 at most or
    the name of a QID set; none an identifier of the person or record."""

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        yield self.table, self.focal, self.qids
