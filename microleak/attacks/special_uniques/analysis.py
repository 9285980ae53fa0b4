"""An analysis of who stands out by few attributes."""

from collections.abc import Iterator

from microleak.records.compared import Need
from microleak.study_file.section import OfRelease, Qids


class SpecialUniques(OfRelease):
    """Who stands out by few attributes: all minimal sample uniques, and their scores.

    A set of QIDs is a minimal sample unique of a record that is alone with its values
    of these, and with no part of them (SUDA). Nothing is sampled: the sets of all
    records are found.
    """

    qids: Qids
    """The quasi-identifiers, by their newest official names, as a list of 16 at most or
    the name of a QID set; none an identifier of the person or record."""

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the release."""
        yield self.table, self.focal, self.qids
