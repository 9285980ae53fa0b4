"""An analysis of how anonymous a release is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from microleak.records.compared import (
    Compared,
    Need,
    Renamed,
    TableRelease,
    _renamed,
)
from microleak.records.subsets import Subset, subsets_of


@dataclass(frozen=True)
class Anonymity:
    """An analysis of how anonymous a release is.

    Attributes
    ----------
    name, table, focal, qids, sensitive
        As of a collective analysis; of a sample, QIDs have the sample's names.
    wanted
        What the study file says of subsets.
    order
        Values of sensitive attributes from low to high, of those that have an order.
    entity
        Attribute that says which records are of one entity.
    population
        Release that the table is a sample of, or None.
    n_population
        Number of persons of the population, if there is no table of them.
    crosswalk
        Between the table and the population, as in `Compared`.
    """

    name: str
    table: str
    focal: str
    qids: tuple[str, ...]
    wanted: Any
    sensitive: tuple[str, ...] = ()
    order: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    entity: str | None = None
    population: TableRelease | None = None
    n_population: int | None = None
    crosswalk: Renamed | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Anonymity":
        """Return the analysis of which `dataclasses.asdict` made these fields."""
        population = given["population"]
        return cls(
            **{
                **given,
                "population": population and TableRelease(**population),
                "crosswalk": _renamed(given["crosswalk"]),
            }
        )

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @property
    def own(self) -> TableRelease:
        """The release that is measured."""
        return TableRelease(self.table, self.focal)

    @property
    def compared(self) -> Compared | None:
        """The table as a sample of the population; None without a population."""
        if self.population is None:
            return None
        return Compared(
            name=self.name,
            population=self.population,
            sample=self.own,
            qids=self._qids_of_population,
            wanted=self.wanted,
            crosswalk=self.crosswalk,
        )

    @property
    def _qids_of_population(self) -> tuple[str, ...]:
        if self.crosswalk is None:
            return self.qids
        name_of = {own: name for name, own in self.crosswalk.own_names.items()}
        return tuple(name_of[qid] for qid in self.qids)

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of the table, and of the population."""
        entity = () if self.entity is None else (self.entity,)
        own = (*self.qids, *self.sensitive, *entity)
        yield self.table, self.focal, tuple(dict.fromkeys(own))
        if self.compared:
            yield from self.compared.needs
