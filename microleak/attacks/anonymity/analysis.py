"""An analysis of how anonymous a release is."""

from collections.abc import Iterator

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.records.compared import Compared, Need, Renamed, TableRelease
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    OfQids,
    Ordered,
    Positive,
    ReleaseOf,
)


class Anonymity(OfQids):
    """How anonymous a release is by the usual models.

    They are k-anonymity, l-diversity, t-closeness and, before a population, k-map and
    delta-presence.
    """

    sensitive: AnyAttributes = ()
    """Attributes that should stay hidden; none of them a QID, none an identifier of the
    person or record."""

    order: dict[Attribute, Ordered] = Field({})
    """Values of sensitive attributes from low to high, as `{ILLNESS: [none, mild,
    severe]}`, of attributes whose values have an order; t-closeness then has the
    ordered distance too."""

    entity: Attribute | None = None
    """Attribute that says which records are of one entity, so that k counts entities
    and not records; neither a QID nor sensitive. It may be the identifier of the
    person."""

    population: ReleaseOf | None = None
    """Release that has the persons of whom the table is a sample. QIDs keep the table's
    names; a crosswalk says what each is in the population, as for membership."""

    n_population: Positive | None = None
    """Number of persons of whom the table is a sample, where there is no table of them;
    k-map and uniqueness are then estimated."""

    crosswalk: SkipJsonSchema[Renamed | None] = None
    """Between the table and the population, as in `Compared`."""

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
            population=TableRelease(**dict(self.population)),
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
