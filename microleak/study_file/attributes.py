"""Attributes and values of an analysis, checked against what its releases have.

What is known of a target is checked without showing it, its attributes neither:
where a comma is not in quotes, YAML takes a piece of a value for an attribute.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from gettext import gettext as _

import pyarrow as pa

from microleak.base.errors import StudyError, did_you_mean, most_like, ordinal
from microleak.records.compared import Renamed, TableRelease
from microleak.sources.definitions.crosswalk import Crosswalk, crosswalk
from microleak.sources.definitions.definition import SourceDefinition
from microleak.sources.definitions.options import matches
from microleak.study_file.context import Context, definition_of


def check_possible(
    values: Sequence[str | None],
    definition: SourceDefinition,
    attribute: str,
    said: str,
) -> None:
    """Refuse a value that no record can have; a missing one any record can."""
    domain = definition.domains.get(attribute)
    given = [value for value in values if value is not None]
    if domain is None:
        return
    can_be = matches(pa.array(given, pa.string()), domain.pattern).to_pylist()
    for value, is_possible in zip(given, can_be, strict=True):
        if not is_possible:
            raise StudyError(
                f"{said} has {value!r}, which is not {domain.expected}, so no record "
                f"of {definition.release} can have it. Correct it."
            )


KnownOfRelease = Mapping[str, str | None]
"""Known values of one release by attribute; None is a missing one."""


def check_roles(
    qids: Sequence[str],
    sensitive: Sequence[str],
    definition: SourceDefinition,
    where: str,
) -> None:
    """Refuse an attribute that has two roles: QID, sensitive or identifier."""
    for attribute in sensitive:
        if attribute in qids:
            raise StudyError(
                _(
                    "{where}: {attribute} is both a QID and sensitive. Remove it from "
                    "one."
                ).format(where=where, attribute=attribute)
            )
    for identifier in definition.identifiers:
        if identifier in (*qids, *sensitive):
            raise StudyError(
                f"{where}: {identifier} identifies persons or records, so that every "
                "record would be found by it, and is dropped once each person has "
                "one record. Remove it from qids and sensitive."
            )


def check_released(
    attributes: Sequence[str], definition: SourceDefinition, where: str
) -> None:
    """Refuse an attribute that a release does not have.

    Where only the columns of all releases are known, one that another release has
    is allowed: its own file's header decides. Where neither names nor columns are
    known, nothing can be said before the file is read.
    """
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


_LIKENESS = 0.75
"""Of `race` and `rase`; those of most words are less alike."""


def check_spelling(
    names_of: Mapping[str, Collection[str]], meant: Collection[str], where: str
) -> None:
    """Refuse an attribute of one file that is spelt nearly as one of another file.

    Files that share an attribute say more together than if one of them had another.
    """
    for file, names in sorted(names_of.items()):
        others = {
            name: other
            for other in sorted(names_of.keys() - {file})
            for name in names_of[other]
        }
        for name in sorted({*names} - {*others, *meant}):
            like = most_like(name, others.keys() - {*names, *meant}, _LIKENESS)
            if like is not None:
                raise StudyError(
                    f"{where}: {file} alone has {name}, and {others[like]} has {like}. "
                    f"Correct what is misspelt or, if these are two attributes, list "
                    f"the values of {name} in domains."
                )


def check_known_attributes(
    known: KnownOfRelease,
    definition: SourceDefinition,
    named: Collection[str],
    where: str,
) -> None:
    """Refuse a known attribute that is, it may be, a piece of a value."""
    mine = definition.columns
    if definition.names:
        mine = (*definition.names, *definition.unreleased)
    there = mine or (*named, *definition.domains)
    for place, attribute in enumerate(known, 1):
        if attribute in there:
            continue
        add = "." if mine else ", or add the attribute to further or to a QID set."
        what = definition.source if mine else "any analysis of the table, or of further"
        raise StudyError(
            f"{where}: the {ordinal(place)} attribute of known in {definition.release} "
            f"is not one of {what}. Correct it, put values with commas in quotes{add}"
        )


def check_known_values(
    known: KnownOfRelease, definition: SourceDefinition, where: str
) -> None:
    """Refuse a known value that no record of the release can have.

    A missing value is always possible.
    """
    for attribute, value in known.items():
        domain = definition.domains.get(attribute)
        if domain is None or value is None:
            continue
        if not matches(pa.array([value], pa.string()), domain.pattern)[0].as_py():
            raise StudyError(
                f"{where}: what is known of {attribute} in {definition.release} is not "
                f"{domain.expected}, so no record can have it. Correct it, or write "
                "null for a missing value."
            )


def check_known_qids(known: KnownOfRelease, qids: Collection[str], where: str) -> None:
    """Refuse what is known of a target and is no QID, without showing it."""
    for place, attribute in enumerate(known, 1):
        if attribute not in qids:
            raise StudyError(
                f"{where}: the {ordinal(place)} attribute is not one of the QIDs of "
                "the analysis. Correct it, put values with commas in quotes, or add "
                "the attribute to qids."
            )


def check_target_files(files: Iterable[str], family: str, where: str) -> None:
    """Refuse two targets of a family whose tables would have the same name."""
    taken = set()
    for file in files:
        if file in taken:
            raise StudyError(
                f"{where}: two targets of {family} analyses would be written to "
                f"confidential/{family}/{file}.csv. Rename one of them."
            )
        taken.add(file)


DELIMITED = "delimited"
"""The source of any file, whose attributes have the names and codes it has."""


@dataclass(frozen=True)
class Pair:
    """The definitions of a population and of a sample, and the analysis for messages.

    Two tables of one source have the same names and codes; a delimited one has those
    of whatever it is compared with.
    """

    population: SourceDefinition
    sample: SourceDefinition
    where: str

    def by_population(self, attributes: Sequence[str]) -> Renamed | None:
        """Return what attributes of the population are in the sample.

        None if they have the same names and codes there.
        """
        _check_names(attributes, self.population, self.where)
        whole = self._whole()
        if whole is None:
            _check_names(attributes, self.sample, self.where)
            return None
        self._check_among(attributes, whole.counterparts, whole)
        own = {name: whole.counterparts[name].sample_attribute for name in attributes}
        _check_names(list(own.values()), self.sample, self.where)
        return Renamed(self.sample.source, self.population.source, own)

    def by_sample(self, own: Sequence[str]) -> Renamed | None:
        """Return what attributes of the sample are in the population, likewise.

        Where one is several of the population, the first in the crosswalk counts.
        """
        whole = self._whole()
        if whole is None:
            return self.by_population(own)
        name_of: dict[str, str] = {}
        for name, known in whole.counterparts.items():
            name_of.setdefault(known.sample_attribute, name)
        self._check_among(own, name_of, whole)
        return self.by_population([name_of[attribute] for attribute in own])

    def _whole(self) -> Crosswalk | None:
        sources = {self.sample.source, self.population.source}
        if len(sources) == 1 or DELIMITED in sources:
            return None
        return crosswalk(self.sample.source, self.population.source)

    def _check_among(
        self, attributes: Iterable[str], known: Iterable[str], whole: Crosswalk
    ) -> None:
        for attribute in attributes:
            if attribute not in known:
                raise StudyError(
                    f"{self.where}: {whole.where} does not say what {attribute} is in "
                    f"the other table.{did_you_mean(attribute, known)} It has: "
                    f"{', '.join(known)}. Use these, or add rows there."
                )


def _check_names(
    attributes: Sequence[str], release: SourceDefinition, where: str
) -> None:
    check_released(attributes, release, where)
    check_roles(attributes, (), release, where)


def pair_of(
    context: Context, population: TableRelease, sample: TableRelease, where: str
) -> Pair:
    """Return the definitions of two releases that may have persons in common."""
    if population == sample:
        raise StudyError(
            f"{where}: {sample} is both the population and the sample, so that "
            "everybody is in it. Correct one of them."
        )
    tables = [
        context.table(one.table, (one.release,), where) for one in (population, sample)
    ]
    sizes = (
        tables[0].origin(population.release).twin_size,
        tables[1].origin(sample.release).twin_size,
    )
    if None not in sizes and sizes[0] != sizes[1]:
        raise StudyError(
            f"{where}: the synthetic releases {population} and {sample} have other "
            "sizes, so they have no persons in common. Give both the same size."
        )
    return Pair(
        definition_of(tables[0], population.release),
        definition_of(tables[1], sample.release),
        where,
    )
