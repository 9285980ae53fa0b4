"""Analyses of who stands out by few attributes, as the study file gives them."""

from collections.abc import Iterator
from typing import Self

from microleak.base.errors import StudyError
from microleak.records.compared import Need
from microleak.study_file.section import Context, OfRelease, Qids

MOST_QIDS = 16
"""QIDs of which all sets are numbers of 16 bits, as the kernels have them."""


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
        yield self.table, self.focal, self.qids

    def checked(self, where: str) -> Self:
        if len(self.qids) > MOST_QIDS:
            raise StudyError(
                f"{where}: {len(self.qids)} QIDs, more than the {MOST_QIDS} of which "
                "minimal sample uniques are found. Remove some from qids."
            )
        return self


SECTION = SpecialUniques


def read_one(context: Context, section: SpecialUniques) -> SpecialUniques:
    release = context.focal(section)
    release.check(section.qids)
    return section.checked(release.where)
