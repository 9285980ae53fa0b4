"""An analysis of how anonymous a release is."""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.attacks.anonymity.margins import Margin, read_margin
from microleak.records.compared import Compared, Need, Renamed, TableRelease
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Different,
    NotEmpty,
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

    weight: Attribute | None = None
    """Attribute that says how many persons of the population a record stands for, a
    number above 0 as 12 or 12.5, in the place of `n_population`; neither a QID nor
    sensitive. A comma before decimals is read where it cannot stand between
    thousands."""

    margins: Annotated[
        tuple[
            Annotated[
                NotEmpty,
                Field(
                    description="A CSV file of persons of the population by some QIDs: "
                    "a header of their names and `count`; then a line for each "
                    "combination of values, as texts. `(missing)` is a missing value, "
                    "and `*` or an empty cell a total, which must be the sum. The "
                    "path is relative to the folder that the command is run in."
                ),
            ],
            ...,
        ],
        Different(),
    ] = ()
    """Published counts of the population, as by municipality, sex and age, to which
    weights are raked where there is no table of its persons. The first one has its
    size, in the place of `n_population`."""

    published: SkipJsonSchema[tuple[Margin, ...] | None] = None
    """What the files of `margins` say."""

    crosswalk: SkipJsonSchema[Renamed | None] = None
    """Between the table and the population, as in `Compared`."""

    @property
    def is_estimated(self) -> bool:
        """Whether the population is known by its size, weights or margins alone."""
        return bool(self.n_population or self.weight or self.margins)

    def with_margins(self, where: str) -> Self:
        """Return the analysis with what its files of margins say."""
        if not self.margins:
            return self
        where = f"{where}: margins"
        read = [read_margin(Path(path), self.qids, where) for path in self.margins]
        return self.model_copy(update={"published": tuple(read)})

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
        others = [name for name in (self.entity, self.weight) if name is not None]
        own = (*self.qids, *self.sensitive, *others)
        yield self.table, self.focal, tuple(dict.fromkeys(own))
        if self.compared:
            yield from self.compared.needs
