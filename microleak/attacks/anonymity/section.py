"""Analyses of how anonymous a release is, as the study file gives them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Self

from pydantic import Field
from pydantic.dataclasses import dataclass as validated
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError
from microleak.base.machine import without_collection
from microleak.count_tables.published import PublishedTable, range_of
from microleak.records.compared import Compared, Need, Renamed, TableRelease
from microleak.study_file.published import (
    MISSING,
    Form,
    Row,
    cells_of,
    read_rows,
)
from microleak.study_file.section import (
    AnyAttributes,
    Attribute,
    Context,
    Different,
    NotEmpty,
    OfQids,
    OneRelease,
    Ordered,
    Positive,
    check_own_role,
    check_sensitive,
)
from microleak.study_file.totals import COUNT, TOTALS, written_totals


@validated(frozen=True)
class Margin:
    """Persons of a population by some attributes: values and `counts` of each cell."""

    # A missing value is the empty text. `most` is what suppressed or rounded counts can
    # be at most, where `counts` are the least. `sums` are attributes and values whose
    # counts are the sums of all others', so that they are totals unless the sample has
    # them, and what to say.

    path: str
    names: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    counts: tuple[int, ...]
    most: tuple[int, ...] | None = None
    is_whole: bool = True  # Whether nobody has values that it does not list
    sums: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether it says of each cell how many persons there are."""
        return self.most is None and self.is_whole


def read_margins(
    given: str | PublishedTable, qids: Sequence[str], where: str
) -> Iterator[Margin]:
    """Yield the published counts of a file, apart those of totals that tell more.

    No message has the content of a cell.
    """
    is_path = isinstance(given, str)
    table = (
        PublishedTable(file=given, unlisted="zero") if isinstance(given, str) else given
    )
    path = Path(table.file)
    number = {COUNT: r"\d{1,15}"}
    form = Form(number, table.suppressed, attributes=qids, printed=table.printed)
    rows = read_rows(path, form, where)
    ranges = [range_of(row.numbers.get(COUNT, ""), table) for row in rows]
    is_exact = is_path or all(low == high for low, high in ranges)
    cells = cells_of(rows, f"{where}: {path}") if is_exact else rows
    counted = [row.counted(str(path)) for row in rows]
    sums = []
    for found in written_totals([counted], ()):
        said = (
            f"{where}: {found.said} add lines with * as {found.name} that count "
            "everybody."
        )
        if found.by_words:
            raise StudyError(said)
        sums.append((found.name, _known(found.value), said))
    # A line of a printed table has several cells.
    range_of_row = {id(row): each for row, each in zip(rows, ranges, strict=True)}
    told: dict[tuple[str, ...], list[Row]] = {}
    for row in cells:
        names = tuple(n for n, text in row.values.items() if text not in TOTALS)
        told.setdefault(names, []).append(row)
    for names, own in told.items():
        if names:
            values = tuple(tuple(_known(row.values[n]) for n in names) for row in own)
            low, high = zip(*(range_of_row[id(row)] for row in own), strict=True)
            is_whole = table.unlisted == "zero"
            most = None if low == high else high
            yield Margin(str(path), names, values, low, most, is_whole, tuple(sums))


def _known(text: str) -> str:
    """Return a value as the records have it."""
    return "" if text == MISSING else text


_OF_SIZE = (
    ("population", "n_population", "a table of the population has its size"),
    ("population", "weight", "a table of the population needs no weights"),
    ("population", "margins", "a table of the population has all of them"),
    ("weight", "n_population", "the sum of the weights is its size"),
    ("margins", "n_population", "the first of the margins has its size"),
)
"""Ways to say how many persons the population has, of which one excludes another."""


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

    population: OneRelease | None = None
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
                NotEmpty | PublishedTable,
                Field(
                    description="A CSV file of persons of the population by some QIDs: "
                    "a header of their names and `count`; then a line for each "
                    "combination of values, as texts. `(missing)` is a missing value, "
                    "and `*` or an empty cell a total, which must be the sum. The "
                    "path is relative to the folder that the command is run in. If "
                    "counts are suppressed, rounded or noisy, the keys of a table of "
                    "`table_rebuilding` say how; a path alone has all combinations."
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
        """Whether how many share the values of all QIDs is known of no record."""
        is_partly = self.n_population or self.weight or self.margins
        return bool(is_partly) and self.covering(self.qids) is None

    def covering(self, names: Sequence[str]) -> Margin | None:
        """Return the first margin that crosses some QIDs, which is exact of them."""
        every = (
            margin
            for margin in self.published or ()
            if margin.is_exact and {*margin.names} >= {*names}
        )
        return next(every, None)

    def checked(self, where: str) -> Self:
        super().checked(where)
        check_sensitive(self.order, self.sensitive, "order", where)
        for name, what in ((self.entity, "the entity"), (self.weight, "the weight")):
            check_own_role(name, what, self.qids, self.sensitive, where)
        for one, other, why in _OF_SIZE:
            if getattr(self, one) and getattr(self, other):
                raise StudyError(
                    f"{where}: both {one} and {other} are given, and {why}. Remove one "
                    "of them."
                )
        if not self.margins:
            return self
        where = f"{where}: margins"
        with without_collection():
            tables = [[*read_margins(each, self.qids, where)] for each in self.margins]
        read = [margin for table in tables for margin in table]
        if not read[0].is_exact:
            raise StudyError(
                f"{where}: the first, {read[0].path}, has the size of the population, "
                "and some of its counts are not known. Put one first that has all, or "
                "say unlisted: zero if it lists everybody."
            )
        return self.model_copy(update={"published": tuple(read)})

    @property
    def own(self) -> TableRelease:
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
            keys="population or focal",
        )

    @property
    def _qids_of_population(self) -> tuple[str, ...]:
        if self.crosswalk is None:
            return self.qids
        name_of = {own: name for name, own in self.crosswalk.own_names.items()}
        return tuple(name_of[qid] for qid in self.qids)

    @property
    def needs(self) -> Iterator[Need]:
        others = [name for name in (self.entity, self.weight) if name is not None]
        own = (*self.qids, *self.sensitive, *others)
        yield self.table, self.focal, tuple(dict.fromkeys(own))
        if self.compared:
            yield from self.compared.needs


SECTION = Anonymity


def read_one(context: Context, section: Anonymity) -> Anonymity:
    release = context.focal(section)
    where = release.where
    release.check_roles(section.qids, section.sensitive)
    section = section.checked(where)
    entity = section.entity
    has_entity = entity is not None and entity not in release.definition.identifiers
    others = [section.weight, entity if has_entity else None]
    release.check_released((*section.qids, *section.sensitive, *filter(None, others)))
    for attribute, values in section.order.items():
        release.check_possible(values, attribute, f"order of {attribute}")
    if entity is not None and section.focal not in release.table.releases:
        raise StudyError(
            f"{where}: entity counts the rows of a release as it was read, and "
            f"{section.focal} is made of others, with one record a person. Remove "
            "entity, or attack a release that it is made of."
        )
    if section.population is None:
        return section
    population = TableRelease(**dict(section.population))
    pair = context.pair(population, section.own, where)
    return section.model_copy(update={"crosswalk": pair.by_sample(section.qids)})
