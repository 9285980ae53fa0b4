"""A population and a sample: what is compared, and their records as one table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from pydantic.dataclasses import dataclass as validated

from microleak.base.arrays import QidMask
from microleak.base.errors import TableError, ordinal
from microleak.base.progress import progress
from microleak.records.chunks import ROWS_A_CHUNK, Chunks, Given, chunks_of
from microleak.records.coding import Group
from microleak.records.record_filter import FilterValues, kept_mask, unseen_values
from microleak.records.subsets import subsets_of
from microleak.sources.definitions.crosswalk import Crosswalk, crosswalk

Need = tuple[str, str, tuple[str, ...]]
"""A table, a release of it, and the attributes of it that an analysis needs."""

COUNT, REFUSE = "count", "refuse"
"""What becomes of records of a sample that the population does not have."""


@validated(frozen=True)
class TableRelease:
    """One release of one table."""

    table: str
    release: str

    def __str__(self) -> str:
        return f"{self.table} {self.release}"


@validated(frozen=True)
class Renamed:
    """A crosswalk between two sources, and what it says of some attributes' names."""

    # Names of the sources
    sample_source: str
    population_source: str
    own_names: Mapping[str, str]


@validated(frozen=True)
class Compared:
    """A population and a sample, whose records are counted block by block."""

    name: str  # As the study file gives it
    # Two releases, of one table or of two
    population: TableRelease
    sample: TableRelease
    qids: tuple[str, ...]  # As the population names them
    wanted: Any  # What the study file says of subsets
    keep: FilterValues = field(default_factory=dict)
    not_found: str = COUNT
    crosswalk: Renamed | None = None
    keys: str = "population, sample or filter"  # What in the study file says this

    @property
    def subsets(self) -> tuple[QidMask, ...]:
        return subsets_of(len(self.qids), self.wanted, f"analysis {self.name!r}")

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.qids, *self.keep)))

    def in_sample(self, attribute: str) -> str:
        """Return what the sample calls an attribute of the population."""
        if self.crosswalk is None:
            return attribute
        return self.crosswalk.own_names[attribute]

    @property
    def needs(self) -> Iterator[Need]:
        attributes = self.attributes
        own = tuple(dict.fromkeys(map(self.in_sample, attributes)))
        yield self.population.table, self.population.release, attributes
        yield self.sample.table, self.sample.release, own


SAMPLED = "|sampled"
"""Column that says which table a record is of; no attribute has such a name."""

MARK = Group("sample", SAMPLED, ("1",))
"""The records of the sample."""


@dataclass(frozen=True)
class Named:
    """A table with the population's names and codes, by a crosswalk if it needs one."""

    chunks: Chunks
    crosswalk: Crosswalk | None

    def columns(
        self, chunk: int, names: Sequence[str], mask: pa.BooleanArray | None = None
    ) -> dict[str, pa.ChunkedArray]:
        own = {name: self._own_name(name) for name in names}
        table = self.chunks.read(chunk, list(dict.fromkeys(own.values())))
        if mask is not None:
            table = table.filter(mask)
        return {name: self._recoded(name, table[own[name]]) for name in names}

    def _own_name(self, name: str) -> str:
        if self.crosswalk is None:
            return name
        return self.crosswalk.counterparts[name].sample_attribute

    def _recoded(self, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        if self.crosswalk is None:
            return column
        return self.crosswalk.recoded(name, column.cast(pa.string()))


class Kept(NamedTuple):
    """A chunk, and which of its records count; all of them without a mask."""

    chunk: int
    mask: pa.BooleanArray | None


@dataclass(frozen=True)
class TablePart:
    """The records of one table that count."""

    table: Named
    mark: str  # What the column `SAMPLED` says of them
    kept: Sequence[Kept]  # Chunks that have records that count
    n_rows: int  # Records that count

    def read(self, place: int, names: Sequence[str]) -> dict[str, pa.ChunkedArray]:
        return self.table.columns(self.kept[place].chunk, names, self.kept[place].mask)

    def own(self, place: int, name: str) -> pa.ChunkedArray:
        chunk, mask = self.kept[place]
        column = self.table.chunks.read(chunk, [name])[name]
        return column if mask is None else column.filter(mask)


class BothChunks:
    """The records that count of a population, and then those of its sample."""

    def __init__(
        self, population: TablePart, sample: TablePart, some_name: str, most_rows: int
    ) -> None:
        self.population = population
        self.sample = sample
        self.most_rows = most_rows
        self.n_rows = population.n_rows + sample.n_rows
        self._some_name = some_name
        self._places = [
            (part, place)
            for part in (population, sample)
            for place in range(len(part.kept))
        ]
        self.n_chunks = len(self._places)

    def part_of(self, chunk: int) -> tuple[TablePart, int]:
        """Return the table that a chunk is of, and its place there."""
        return self._places[chunk]

    def read(self, chunk: int, names: Sequence[str]) -> pa.Table:
        part, place = self.part_of(chunk)
        # Alone, the mark is as long as some other column, which is read for that.
        own = [name for name in names if name != SAMPLED] or [self._some_name]
        found = part.read(place, own)
        codes = pa.array(np.zeros(len(found[own[0]]), dtype=np.int32))
        mark = pa.DictionaryArray.from_arrays(codes, pa.array([part.mark], pa.string()))
        found[SAMPLED] = pa.chunked_array([mark])
        return pa.table({name: found[name] for name in names})


def both_of(
    population: Given,
    sample: Given,
    compared: Compared,
    rows_a_chunk: int = ROWS_A_CHUNK,
) -> BothChunks:
    tables = [chunks_of([given], rows_a_chunk) for given in (population, sample)]
    parts = []
    with progress("filtering", sum(table.n_rows for table in tables)) as advance:
        for table, role in zip(tables, ("population", "sample"), strict=True):
            parts.append(_part_of(table, compared, role))
            _refuse_empty(parts[-1], compared, role)
            advance(table.n_rows)
    _refuse_unseen([part.table for part in parts], compared)
    _refuse_larger(parts[1].n_rows, parts[0].n_rows, compared)
    most_rows = max(table.most_rows for table in tables)
    return BothChunks(parts[0], parts[1], compared.qids[0], most_rows)


def _part_of(chunks: Chunks, compared: Compared, role: str) -> TablePart:
    is_sample = role == "sample"
    mark = MARK.values[0] if is_sample else "0"
    table = Named(chunks, crosswalk_between(compared) if is_sample else None)
    if not compared.keep:
        kept = [Kept(chunk, None) for chunk in range(chunks.n_chunks)]
        return TablePart(table, mark, kept, chunks.n_rows)
    masks = [
        kept_mask(table.columns(chunk, list(compared.keep)), compared.keep)
        for chunk in range(chunks.n_chunks)
    ]
    kept = [Kept(chunk, mask) for chunk, mask in enumerate(masks) if mask.true_count]
    return TablePart(table, mark, kept, sum(mask.true_count for mask in masks))


def crosswalk_between(compared: Compared) -> Crosswalk | None:
    if compared.crosswalk is None:
        return None
    sources = compared.crosswalk.sample_source, compared.crosswalk.population_source
    whole = crosswalk(*sources)
    used = {name: whole.counterparts[name] for name in compared.attributes}
    return Crosswalk(whole.where, used)


def _refuse_empty(part: TablePart, compared: Compared, role: str) -> None:
    if part.n_rows:
        return
    where = f"analysis {compared.name!r}: the {role} {getattr(compared, role)} has no"
    if compared.keep:
        raise TableError(
            f"{where} record with the values of filter ({', '.join(compared.keep)}). "
            "Correct filter in the study file."
        )
    raise TableError(f"{where} records. Correct {role} in the study file.")


def _refuse_unseen(tables: Sequence[Named], compared: Compared) -> None:
    for name, values in compared.keep.items():
        unseen: Sequence[str | None] = values
        for table in tables:
            chunks = range(table.chunks.n_chunks)
            unseen = unseen_values(
                (table.columns(chunk, [name])[name] for chunk in chunks), unseen
            )
        for value in unseen[:1]:
            raise TableError(
                f"analysis {compared.name!r}: the {ordinal(values.index(value) + 1)} "
                f"value of filter of {name} is that of no record of {compared.sample}, "
                f"nor of {compared.population}. Correct filter in the study file."
            )


def _refuse_larger(n_sample: int, n_population: int, compared: Compared) -> None:
    if n_sample <= n_population:
        return
    kept = " with the values of filter" if compared.keep else ""
    raise TableError(
        f"analysis {compared.name!r}: of records{kept} the sample {compared.sample} "
        f"has {n_sample:,}, more than the {n_population:,} of the population "
        f"{compared.population}, so it is no part of it. Correct {compared.keys} in "
        "the study file."
    )
