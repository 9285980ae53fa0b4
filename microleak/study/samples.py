"""Analyses of a sample: who of a population is in it, and how anonymous it is."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from microleak.study.subsets import Subset, subsets_of

Values = Mapping[str, tuple[str | None, ...]]
"""Values of attributes; None is a missing one."""

Need = tuple[str, str, tuple[str, ...]]
"""A table, a release of it, and the attributes of it that an analysis needs."""

COUNT, REFUSE = "count", "refuse"
"""What becomes of records of a sample that the population does not have."""


@dataclass(frozen=True)
class TableRelease:
    """One release of one table."""

    table: str
    release: str

    def __str__(self) -> str:
        return f"{self.table} {self.release}"


@dataclass(frozen=True)
class Renamed:
    """A crosswalk between two sources, and what it says of some attributes' names.

    Attributes
    ----------
    sample_source, population_source
        Names of the sources.
    own_names
        The sample's name of each attribute, by the population's.
    """

    sample_source: str
    population_source: str
    own_names: Mapping[str, str]


@dataclass(frozen=True)
class Compared:
    """A population and a sample, whose records are counted block by block.

    Attributes
    ----------
    name
        As the study file gives it.
    population, sample
        Two releases, of one table or of two.
    qids
        As the population names them.
    wanted
        What the study file says of subsets.
    keep
        Values by attribute of the population, in its codes: only records that have
        one of them, in each of the attributes, are counted, in both tables.
    not_found
        `count` or `refuse` records of the sample that the population does not have.
    crosswalk
        By which the QIDs and the attributes of `keep` are read in the sample; None
        if they have the same names and codes there.
    """

    name: str
    population: TableRelease
    sample: TableRelease
    qids: tuple[str, ...]
    wanted: Any
    keep: Values = field(default_factory=dict)
    not_found: str = COUNT
    crosswalk: Renamed | None = None

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> "Compared":
        """Return the comparison of which `dataclasses.asdict` made these fields."""
        return cls(
            **{
                **given,
                "population": TableRelease(**given["population"]),
                "sample": TableRelease(**given["sample"]),
                "crosswalk": _renamed(given["crosswalk"]),
            }
        )

    @property
    def subsets(self) -> tuple[Subset, ...]:
        """Subsets as bit masks over `qids`, by size and then position."""
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @property
    def attributes(self) -> tuple[str, ...]:
        """QIDs, and then the other attributes of `keep`."""
        return tuple(dict.fromkeys((*self.qids, *self.keep)))

    def in_sample(self, attribute: str) -> str:
        """Return what the sample calls an attribute of the population."""
        if self.crosswalk is None:
            return attribute
        return self.crosswalk.own_names[attribute]

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of either release."""
        attributes = self.attributes
        own = tuple(dict.fromkeys(map(self.in_sample, attributes)))
        yield self.population.table, self.population.release, attributes
        yield self.sample.table, self.sample.release, own


@dataclass(frozen=True)
class Membership(Compared):
    """A membership analysis; who prints it does not see what is known of targets.

    Attributes
    ----------
    targets
        Known values of each target by QID, in the population's codes; None is a
        missing one.
    """

    targets: Mapping[str, Mapping[str, str | None]] = field(
        default_factory=dict, repr=False
    )

    @property
    def member_files(self) -> dict[str, str]:
        """Target by the name of its table, without an ending."""
        return {f"{self.name}-{target}": target for target in self.targets}


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


def as_fields(compared: Compared) -> dict[str, Any]:
    """Return the fields of which `Compared.of` makes it, nothing of its targets."""
    known = {part.name for part in fields(Compared)}
    return {name: value for name, value in asdict(compared).items() if name in known}


def _renamed(given: Mapping[str, Any] | None) -> Renamed | None:
    return None if given is None else Renamed(**given)
