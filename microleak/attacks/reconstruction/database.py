"""The databases that are rebuilt: entries by chance, or persons of a release.

Of a release it is enough to know how many persons have the value. Persons drawn
without replacement, in a random order, are ones and zeros drawn from that many of
each: who they are, and the order of the records, make no difference.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from microleak.attacks.reconstruction.analysis import Drawn, Random, Reconstruction
from microleak.attacks.reconstruction.definitions.subset_queries import Stream, stream
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.kernels.subset_sums import Bits
from microleak.records.chunks import ParquetChunks
from microleak.records.record_filter import KeptChunks

Database = Callable[[int, int], Bits]
"""Takes a number of entries and a seed to a database."""


@dataclass(frozen=True)
class Persons:
    """How many persons there are, and how many of them have the value."""

    n_records: int
    n_ones: int

    def database(self, n: int, seed: int) -> Bits:
        """Return whether each of n persons has it, drawn without replacement."""
        generator = stream(seed, Stream.DATABASE)
        drawn = generator.choice(self.n_records, n, replace=False)
        return (drawn < self.n_ones).astype(np.uint8)


def database_of(analysis: Reconstruction, people: Path | None) -> Database:
    """Return how the databases of an analysis are drawn.

    Parameters
    ----------
    analysis
        The analysis.
    people
        Records of its release, one a person, of which one column is read; None if
        it needs no release.

    Raises
    ------
    TableError
        If nobody has the value, or a database has more entries than there are
        persons.
    """
    source = analysis.database
    if isinstance(source, Random):
        return _by_chance(float(source.density))
    assert people is not None
    persons = _counted(people, source)
    where = f"analysis {analysis.name!r}: {source.table} {source.release}"
    if not persons.n_ones:
        raise TableError(
            f"{where} has no record with the value of equals in {source.attribute}, so "
            "that every entry would be 0. Correct equals in the study file."
        )
    most = max(analysis.settings.entries)
    if most > persons.n_records:
        raise TableError(
            f"{where} has {persons.n_records:,} persons, and entries has {most:,}. "
            "Give fewer entries in the study file."
        )
    return persons.database


def _by_chance(density: float) -> Database:
    def database(n: int, seed: int) -> Bits:
        """Draw a database of n entries from a seed."""
        drawn = stream(seed, Stream.DATABASE).random(n) < density
        return drawn.astype(np.uint8)

    return database


def _counted(people: Path, source: Drawn) -> Persons:
    chunks = ParquetChunks([people])
    with progress("counting persons", chunks.n_rows) as advance:
        having = KeptChunks(chunks, {source.attribute: (source.equals,)}, advance)
    return Persons(chunks.n_rows, having.n_rows)
