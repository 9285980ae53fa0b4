"""What an auxiliary release says of each person of a focal one (Nunes, AL4).

Both releases have one record a person, sorted by the identifier's bytes, so they
are read side by side, a few row groups at a time, for any number of persons.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from microleak.base.errors import TableError
from microleak.base.files import whole_file, write_text
from microleak.base.language import number_text
from microleak.base.progress import Advance, progress, tell_user
from microleak.sources.steps.intermediate import (
    metadata_of,
    parquet,
    receipt_text,
    schema_of,
)
from microleak.sources.steps.odd_values import PADDED, n_zeros_apart, without_zeros


@dataclass(frozen=True)
class ReleaseLink:
    """Two files of one record a person, the identifier, and the release linked."""

    focal: Path
    auxiliary: Path
    person_id: str
    release: str


def join(link: ReleaseLink, panel: Path, receipt: Path) -> None:
    """Write the auxiliary release's values of each focal person, and the counts.

    The panel has the rows and row groups of the focal file, and the auxiliary file's
    columns but `person_id`, named `ATTRIBUTE|RELEASE`. A person whom the auxiliary
    release does not have has missing values, as one of whom it says nothing. Persons
    that only it has are left out. The receipt has how many persons each release has,
    and how many both have. A file is refused that lacks the identifier, or has a row
    without one, two rows of one person or another order; so are two files that have
    nobody in common.
    """
    for path in (link.focal, link.auxiliary):
        _require(path, link.person_id)
    schema = panel_schema(link)
    n_focal = metadata_of(link.focal).num_rows
    auxiliary = _People(link.auxiliary, link.person_id)
    with (
        progress("linking persons", n_focal) as advance,
        whole_file(panel) as aside,
        pq.ParquetWriter(aside, schema, compression="zstd") as writer,
    ):
        for table in _tables(link, auxiliary, schema, advance):
            writer.write_table(table, row_group_size=len(table))
    n_auxiliary, n_linked = auxiliary.n_rows, auxiliary.n_taken
    if FEW * n_linked < min(n_focal, n_auxiliary):
        tell_user(
            f"Hardly anybody in {link.focal.stem} is in {link.release}. Check that "
            f"{link.person_id} is written alike in both: as text, 025 is not 25."
        )
    else:
        _tell_padded(link)
    counts = {"n_focal": n_focal, "n_auxiliary": n_auxiliary, "n_linked": n_linked}
    write_text(receipt, receipt_text(counts))


def _tell_padded(link: ReleaseLink) -> None:
    """Tell of persons whom both releases have, one of them with leading zeros."""
    both = link.focal, link.auxiliary
    n = sum(_n_padded(*pair, link.person_id) for pair in (both, both[::-1]))
    if n:
        tell_user(
            f"{number_text(n)} persons or more are not found in {link.release} because "
            f"one release has leading zeros in {link.person_id} and the other has not: "
            "as text, 025 is not 25. Write both alike."
        )


def _n_padded(one: Path, other: Path, person_id: str) -> int:
    """Count persons of a release who are in another without their leading zeros."""
    padded = pa.array([], pa.string())
    for group in _groups(one, [person_id]):
        ids = group.column(0).combine_chunks()
        is_padded = pc.match_substring_regex(ids, PADDED)
        padded = pa.concat_arrays([padded, ids.filter(is_padded)])
        if len(padded) >= LOOKED_AT or ids[-1].as_py() > "1":
            break
    if not len(padded):
        return 0
    padded = padded[:LOOKED_AT]
    wanted = pa.concat_arrays([padded, without_zeros(padded)])
    groups = (group.column(0) for group in _groups(other, [person_id]))
    seen = [ids.filter(pc.is_in(ids, wanted)).combine_chunks() for ids in groups]
    there = pa.concat_arrays([pa.array([], pa.string()), *seen])
    return n_zeros_apart(padded, there)


def _require(path: Path, person_id: str) -> None:
    if person_id not in schema_of(path).names:
        raise TableError(
            f"{path} has no column {person_id}, which should name the person.{_AGAIN}"
        )


def panel_schema(link: ReleaseLink) -> pa.Schema:
    schema = schema_of(link.auxiliary)
    names = [name for name in schema.names if name != link.person_id]
    fields = [(f"{name}|{link.release}", pa.string()) for name in names]
    return pa.schema(fields, schema.metadata)


def _tables(
    link: ReleaseLink, auxiliary: "_People", schema: pa.Schema, advance: Advance
) -> Iterator[pa.Table]:
    for focal in _groups(link.focal, [link.person_id]):
        ids = focal.column(0).combine_chunks()
        values = auxiliary.values_of(ids)
        yield pa.Table.from_arrays(values.columns, schema=schema)
        advance(len(ids))
    auxiliary.finish()
    if auxiliary.n_rows and not auxiliary.n_taken:
        raise TableError(
            f"Nobody in {link.focal.stem} is in {link.release}: no {link.person_id} is "
            "in both, so the release would seem to add nothing. Check that it names "
            "the same persons in both, written alike (as text, 025 is not 25), or "
            "remove the release from auxiliary."
        )


class _People:
    """The persons of a release, taken in ascending order of their identifiers."""

    def __init__(self, path: Path, person_id: str) -> None:
        names = schema_of(path).names
        order = [person_id, *(name for name in names if name != person_id)]
        self.n_rows = metadata_of(path).num_rows
        self.n_taken = 0
        self._groups = _groups(path, order)
        self._empty = schema_of(path).empty_table().select(order)
        self._group = next(self._groups, self._empty)

    def values_of(self, ids: pa.Array) -> pa.Table:
        """Return the values of these persons, whose identifiers ascend."""
        # They are greater than those of earlier calls. Values of a person who is not
        # there are missing.
        places, rows = [], [self._empty]
        while len(self._group) and self._group.column(0)[0].as_py() <= ids[-1].as_py():
            place = pc.index_in(self._group.column(0), value_set=ids)
            places.append(place.drop_null().combine_chunks().to_numpy())
            rows.append(self._group.filter(place.is_valid()))
            if self._group.column(0)[-1].as_py() > ids[-1].as_py():
                break
            self._group = next(self._groups, self._empty)
        return self._spread(len(ids), places, pa.concat_tables(rows))

    def finish(self) -> None:
        """Check the rows that nobody asked for, as all others were."""
        for _ in self._groups:
            pass

    def _spread(self, n: int, places: list[np.ndarray], rows: pa.Table) -> pa.Table:
        self.n_taken += len(rows)
        of_person = np.full(n, -1, dtype=np.int64)
        if places:
            of_person[np.concatenate(places)] = np.arange(len(rows))
        index = pa.array(of_person, mask=of_person < 0)
        return rows.drop_columns(rows.column_names[0]).take(index)


def _groups(path: Path, names: list[str]) -> Iterator[pa.Table]:
    """Yield row groups that have rows, checked to ascend by the first column."""
    before = pa.nulls(0, pa.string())
    first_row = 1
    with parquet(path) as file:
        for number in range(file.num_row_groups):
            group = file.read_row_group(number, columns=names).select(names)
            ids = group.column(0).combine_chunks()
            _check_order(pa.concat_arrays([before, ids]), path, first_row - len(before))
            first_row += len(ids)
            before = ids[-1:]
            if len(ids):
                yield group


def _check_order(ids: pa.Array, path: Path, first_row: int) -> None:
    """Refuse identifiers, from a row on, that do not ascend from one to the next."""
    if ids.null_count:
        row = first_row + int(np.flatnonzero(ids.is_null())[0])
        raise TableError(f"{path}: row {row} has no person identifier.{_AGAIN}")
    ascends = pc.less(ids[:-1], ids[1:]).to_numpy(zero_copy_only=False)
    if not ascends.all():
        row = first_row + 1 + int(np.flatnonzero(~ascends)[0])
        raise TableError(
            f"{path}: row {row} has the person of the row before it, or comes before "
            f"it in order; a panel needs one record a person.{_AGAIN}"
        )


LOOKED_AT = 100_000  # Persons with leading zeros who are looked for without them
# Of the persons of the smaller release one in so many is linked, or this is told
FEW = 10
_AGAIN = " Delete the file and run microleak resume with the study file."
