"""A population and a sample: which attributes of theirs can be compared."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from microleak.base.errors import StudyError, nearest
from microleak.records.compared import Renamed, TableRelease
from microleak.sources.definitions.crosswalk import Crosswalk, crosswalk
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of

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

        Raises
        ------
        StudyError
            If a release does not have an attribute, it identifies persons or
            records, or no crosswalk says what it is in the sample.
        """
        _check(attributes, self.population, self.where)
        whole = self._whole()
        if whole is None:
            _check(attributes, self.sample, self.where)
            return None
        self._check_among(attributes, whole.counterparts, whole)
        own = {name: whole.counterparts[name].sample_attribute for name in attributes}
        _check(list(own.values()), self.sample, self.where)
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
                    f"the other table.{nearest(attribute, known)} It has: "
                    f"{', '.join(known)}. Use these, or add rows there."
                )


def _check(attributes: Sequence[str], release: SourceDefinition, where: str) -> None:
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
        tables[0].releases[population.release].twin_size,
        tables[1].releases[sample.release].twin_size,
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
