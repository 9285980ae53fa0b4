"""How many people of a release have each value of an attribute."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq

Release = tuple[str, str]
"""Table and release."""

Group = tuple[str, str, str, str, int]
"""Table, release, attribute and value, and how many have it."""


def value_counts(file: Path, names: Sequence[str]) -> dict[str, Counter[str | None]]:
    """Return how many records have each value, a missing one too, by attribute.

    Parameters
    ----------
    file
        People of a release.
    names
        Attributes that it has.
    """
    found: dict[str, Counter[str | None]] = {name: Counter() for name in names}
    with pq.ParquetFile(file) as records:
        for batch in records.iter_batches(columns=[*names]):
            for name, counts in found.items():
                values, n_each = pc.value_counts(batch[name]).flatten()
                counts.update(
                    dict(zip(values.to_pylist(), n_each.to_pylist(), strict=True))
                )
    return found


def single_sizes(
    known: Iterable[tuple[str, str, Sequence[str]]], people: Callable[[str, str], Path]
) -> Iterator[Group]:
    """Yield how many records releases have, and each value of some attributes.

    A value has its place in its stead, the most frequent first.

    Parameters
    ----------
    known
        Tables, releases and attributes, which may be there several times.
    people
        Where the people of a table's release are.
    """
    by_release: dict[Release, dict[str, None]] = {}
    for table, release, own in known:
        by_release.setdefault((table, release), {}).update(dict.fromkeys(own))
    for place, names in by_release.items():
        counts = value_counts(people(*place), [*names])
        n_records = max((of.total() for of in counts.values()), default=0)
        yield *place, "", "", n_records
        for name, of in counts.items():
            yield from placed(place, name, of.values())


def placed(release: Release, by: str, sizes: Iterable[int]) -> Iterator[Group]:
    """Yield groups of a release by their places, the largest first."""
    for place, size in enumerate(sorted(sizes, reverse=True), 1):
        yield *release, by, str(place), size
