"""What analyses name of a release, checked against what it has.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _

import pyarrow as pa

from microleak.base.errors import StudyError, did_you_mean, ordinal
from microleak.records.compared import Renamed
from microleak.sources.definitions.crosswalk import Crosswalk, crosswalk
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import matches
from microleak.study_file.model import Table

KnownOfRelease = Mapping[str, str | None]
"""Known values of one release by attribute; None is a missing one."""


@dataclass(frozen=True)
class NamedRelease:
    """A release that an analysis names; errors begin with `where`."""

    table: Table
    definition: SourceDefinition
    where: str

    def check_roles(self, qids: Sequence[str], sensitive: Sequence[str] = ()) -> None:
        """Refuse an attribute that has two roles: QID, sensitive or identifier."""
        for attribute in sensitive:
            if attribute in qids:
                said = _(
                    "{where}: {attribute} is both a QID and sensitive. Remove it from "
                    "one."
                )
                raise StudyError(said, where=self.where, attribute=attribute)
        for identifier in self.definition.identifiers:
            if identifier in (*qids, *sensitive):
                raise StudyError(
                    f"{self.where}: {identifier} identifies persons or records, so "
                    "that every record would be found by it, and is dropped once each "
                    "person has one record. Remove it from qids and sensitive."
                )

    def check_released(self, attributes: Iterable[str]) -> None:
        """Refuse an attribute that it does not have, as `check_released` does."""
        check_released(attributes, self.definition, self.where)

    def check(self, qids: Sequence[str], sensitive: Sequence[str] = ()) -> None:
        """Refuse attributes of two roles, and those that it does not have."""
        self.check_roles(qids, sensitive)
        self.check_released((*qids, *sensitive))

    def check_possible(
        self, values: Sequence[str | None], attribute: str, what: str
    ) -> None:
        """Refuse a value that no record can have; a missing one any record can."""
        for value in values:
            if fault := self.fault_of(value, attribute):
                raise StudyError(
                    f"{self.where}: {what} has {value!r}, which {fault}. Correct it."
                )

    def fault_of(self, value: str | None, attribute: str) -> str:
        """Say why no record can have a value; empty if one can, as a missing one."""
        domain = self.definition.domains.get(attribute)
        if domain is None or value is None:
            return ""
        if matches(pa.array([value], pa.string()), domain.pattern)[0].as_py():
            return ""
        release = self.definition.release
        return f"is not {domain.expected}, so no record of {release} can have it"

    def check_known_attributes(
        self, known: KnownOfRelease, named: Collection[str]
    ) -> None:
        """Refuse a known attribute that is, it may be, a piece of a value."""
        own = self.definition
        mine = (*own.names, *own.unreleased) if own.names else own.columns
        there = mine or (*named, *own.domains)
        for place, attribute in enumerate(known, 1):
            if attribute in there:
                continue
            add = "." if mine else ", or add the attribute to further or to a QID set."
            what = own.source if mine else "any analysis of the table, or of further"
            raise StudyError(
                f"{self.where}: the {ordinal(place)} attribute of known in "
                f"{own.release} is not one of {what}. Correct it, put values with "
                f"commas in quotes{add}"
            )

    def check_known_values(self, known: KnownOfRelease, what: str = "") -> None:
        """Refuse a known value that no record can have; a missing one any can."""
        where = f"{self.where}: {what}" if what else self.where
        for attribute, value in known.items():
            domain = self.definition.domains.get(attribute)
            if domain is not None and self.fault_of(value, attribute):
                raise StudyError(
                    f"{where}: what is known of {attribute} in "
                    f"{self.definition.release} is not {domain.expected}, so no record "
                    "can have it. Correct it, or write null for a missing value."
                )

    def check_known_qids(
        self, known: KnownOfRelease, qids: Collection[str], what: str
    ) -> None:
        """Refuse what is known of a target and is no QID, without showing it."""
        for place, attribute in enumerate(known, 1):
            if attribute not in qids:
                raise StudyError(
                    f"{self.where}: {what}: the {ordinal(place)} attribute is not one "
                    "of the QIDs of the analysis. Correct it, put values with commas "
                    "in quotes, or add the attribute to qids."
                )


def check_released(
    attributes: Iterable[str], definition: SourceDefinition, where: str
) -> None:
    """Refuse an attribute that a release does not have."""
    # Where only the columns of all releases are known, one that another release has is
    # allowed: its own file's header decides. Where neither names nor columns are known,
    # nothing can be said before the file is read.
    release = definition.release
    for attribute in attributes:
        if attribute in definition.dropped:
            raise StudyError(
                f"{where}: {release} does not have {attribute}: "
                f"{definition.dropped[attribute]} drops it. Leave it out here, with a "
                "list in place of a QID set that has it, or out of drop there."
            )
        if attribute in definition.unreleased:
            raise StudyError(
                f"{where}: {definition.source} {release} does not have {attribute}: it "
                "was not released. Remove it or, where the release is an auxiliary one "
                "of an analysis, name the attributes to use, as in "
                f"auxiliary: [{{{release}: [NAME]}}]."
            )
        known = tuple(definition.names) or definition.columns
        if known and attribute not in known:
            place = (
                f"config/names/{definition.source}.csv"
                if definition.names
                else f"columns in config/sources/{definition.source}.yaml"
            )
            raise StudyError(
                f"{where}: {definition.source} has no attribute {attribute}."
                f"{did_you_mean(attribute, known)} Correct it, or add it to {place}."
            )


DELIMITED = "delimited"
"""The source of any file, whose attributes have the names and codes it has."""


@dataclass(frozen=True)
class Pair:
    """A population and a sample of it."""

    # Two tables of one source have the same names and codes; a delimited one has those
    # of whatever it is compared with.
    population: NamedRelease
    sample: NamedRelease

    def by_population(self, attributes: Sequence[str]) -> Renamed | None:
        """Return what attributes of the population are in the sample."""
        # None if they have the same names and codes there.
        self.population.check(attributes)
        whole = self._whole()
        if whole is None:
            self.sample.check(attributes)
            return None
        self._check_among(attributes, whole.counterparts, whole)
        own = {name: whole.counterparts[name].sample_attribute for name in attributes}
        self.sample.check(list(own.values()))
        return Renamed(*self._sources, own)

    def by_sample(self, own: Sequence[str]) -> Renamed | None:
        """Return what attributes of the sample are in the population, likewise."""
        # Where one is several of the population, the first in the crosswalk counts.
        whole = self._whole()
        if whole is None:
            return self.by_population(own)
        name_of: dict[str, str] = {}
        for name, known in whole.counterparts.items():
            name_of.setdefault(known.sample_attribute, name)
        self._check_among(own, name_of, whole)
        return self.by_population([name_of[attribute] for attribute in own])

    def _whole(self) -> Crosswalk | None:
        if len({*self._sources}) == 1 or DELIMITED in self._sources:
            return None
        return crosswalk(*self._sources)

    @property
    def _sources(self) -> tuple[str, str]:
        return self.sample.definition.source, self.population.definition.source

    def _check_among(
        self, attributes: Iterable[str], known: Iterable[str], whole: Crosswalk
    ) -> None:
        for attribute in attributes:
            if attribute not in known:
                raise StudyError(
                    f"{self.sample.where}: {whole.where} does not say what {attribute} "
                    f"is in the other table.{did_you_mean(attribute, known)} It has: "
                    f"{', '.join(known)}. Use these, or add rows there."
                )
