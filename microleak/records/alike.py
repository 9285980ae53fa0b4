"""Releases coded alike, attributes of one role as one number, and who is whom.

Codes are the places of values among the sorted ones of all releases, a missing value
first, so that no result depends on the order of records.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.arrays import BitWords
from microleak.base.errors import TableError
from microleak.base.progress import tell_user
from microleak.definitions.exact import kind_sums
from microleak.kernels.texts import Texts, TextTable, places_in
from microleak.records.chunks import Chunks, Given
from microleak.records.coding import Dictionary, codes_of, encoded_column
from microleak.records.meeting import found_apart
from microleak.records.memory import Memory, counted_values
from microleak.records.recoding import Recoding
from microleak.sources.steps.intermediate import parquet

ROWS_A_PART = 1 << 16
"""Identifiers of a file that are read at once, into memory that is used again."""

PartnerRows = NDArray[np.int32]
"""Rows of another release, -1 for none."""


def partner_rows(focal: Given, auxiliary: Given, person_id: str) -> PartnerRows:
    """Return the focal row of the person of each auxiliary row, -1 without one."""
    # Both are sorted by the identifier, so they are read side by side.
    ahead = _Ahead(_identifiers_of(focal, person_id))
    found = [ahead.rows_of(ids) for ids in _identifiers_of(auxiliary, person_id)]
    return np.concatenate([np.empty(0, dtype=np.int32), *found])


def _identifiers_of(given: Given, person_id: str) -> Iterator[pa.Array]:
    if isinstance(given, Path):
        with parquet(given) as file:
            for part in file.iter_batches(ROWS_A_PART, columns=[person_id]):
                yield part[person_id].cast(pa.string())
    else:
        yield given[person_id].combine_chunks()


def bytes_of(texts: pa.Array) -> Texts:
    _, first, data = texts.buffers()
    begin = texts.offset
    offsets = np.frombuffer(first, np.int32)[begin : begin + len(texts) + 1]
    return Texts(offsets, np.frombuffer(data or b"\0", np.uint8))


class _Ahead:
    """Identifiers of a sorted release, in groups, looked up in ascending order."""

    def __init__(self, groups: Iterator[pa.Array]) -> None:
        self._groups = groups
        self._group = next(groups, pa.nulls(0, pa.string()))
        self._first = 0

    def rows_of(self, ids: pa.Array) -> PartnerRows:
        found = np.full(len(ids), -1, dtype=np.int32)
        while len(ids) and len(self._group):
            rows = places_in(bytes_of(ids), bytes_of(self._group))
            found[rows >= 0] = rows[rows >= 0] + self._first
            is_beyond = self._group[-1].as_py() > ids[-1].as_py()
            following = None if is_beyond else next(self._groups, None)
            if following is None:
                break
            self._first += len(self._group)
            self._group = following
        return found


_BITS = 63

ROWS_A_PIECE = 1 << 16
"""Rows whose codes are made at once, in memory that is used again."""


@dataclass(frozen=True)
class Word:
    """Attributes as one number, the first one's code in the highest place."""

    names: tuple[str, ...]
    n_codes: tuple[int, ...]

    def only(self, places: Sequence[int]) -> "Word":
        return Word(
            tuple(self.names[place] for place in places),
            tuple(self.n_codes[place] for place in places),
        )

    def packed(self, each: Sequence[NDArray[np.integer]]) -> BitWords:
        found = np.zeros(len(each[0]), dtype=np.uint64)
        for of_name, n_codes in zip(each, self.n_codes, strict=True):
            found *= np.uint64(n_codes)
            found += of_name.astype(np.uint64)
        return found

    def codes(self, words: BitWords) -> NDArray[np.uint32]:
        found = np.empty((len(self.names), len(words)), dtype=np.uint32)
        rest = words
        for place in range(len(self.names) - 1, -1, -1):
            n_codes = np.uint64(self.n_codes[place])
            # NumPy divides by one number by multiplication, but not for a remainder.
            above = rest // n_codes
            found[place] = rest - above * n_codes
            rest = above
        return found


class ValueCodes:
    """Codes of a column's values, which are known: a missing one, then texts."""

    def __init__(self, known: Dictionary, code_of: NDArray[np.int64]) -> None:
        self._known = known
        self._code_of = code_of.astype(np.min_scalar_type(code_of.max()))
        # Arrow makes a table for each part, which takes longer than the lookup where
        # values are many.
        is_text = pa.types.is_string(known.values.type) and len(known.values) > 1
        self._table = TextTable(bytes_of(known.values[1:])) if is_text else None

    def of(self, column: pa.ChunkedArray) -> Iterator[NDArray[np.integer]]:
        if self._table is None:
            indices, each = codes_of(column, self._known), self._code_of
        else:
            values, indices = encoded_column(column, "")
            places = self._table.places(bytes_of(values)) + 1
            places[values.is_null().to_numpy(zero_copy_only=False)] = 0
            each = self._code_of[places]
        for begin in range(0, len(indices), ROWS_A_PIECE):
            yield each[indices[begin : begin + ROWS_A_PIECE]]


@dataclass(frozen=True)
class Coded:
    """One release: its values by name, their codes, the records of each, its chunks."""

    chunks: Chunks
    values: Mapping[str, Dictionary]
    codes: Mapping[str, ValueCodes]
    counts: Mapping[str, NDArray[np.int64]]

    def read(self, names: Sequence[str]) -> Iterator[list[NDArray[np.integer]]]:
        for number in range(self.chunks.n_chunks):
            table = self.chunks.read(number, list(names))
            pieces = zip(*(self.codes[n].of(table[n]) for n in names), strict=True)
            yield from map(list, pieces)


def coded_alike(
    releases: Mapping[str, tuple[Given, Sequence[str]]],
    memory: Memory,
    recodings: Mapping[str, Mapping[str, Recoding]] = MappingProxyType({}),
) -> tuple[list[Coded], Memory]:
    found = []
    for release, (given, names) in releases.items():
        chunks, memory = memory.chunks(given, len(names))
        if not chunks.n_rows:
            raise TableError(
                f"{memory.where}: release {release} has no records, so nobody is in "
                "it. Correct focal or auxiliary in the study file."
            )
        known = counted_values(chunks, names, memory)
        own = {}
        for name, recoding in recodings.get(release, {}).items():
            own[name] = _sorted_values([known[name]])
            said = f"{memory.where}: {name} in {release}"
            common = recoding.recoded(own[name].values, said)
            known[name] = Dictionary(common, _counts_among(known[name], own[name]))
        found.append((chunks, known, own))
    names_of_all = dict.fromkeys(name for _, each in releases.values() for name in each)
    values = {
        name: _sorted_values([known[name] for _, known, _ in found if name in known])
        for name in names_of_all
    }
    alike = {
        name: ValueCodes(each, np.arange(len(each.values)))
        for name, each in values.items()
        if any(name in known and name not in own for _, known, own in found)
    }
    coded = []
    for chunks, known, own in found:
        codes_of = {
            name: ValueCodes(each, _places_among(known[name], values[name]))
            for name, each in own.items()
        }
        counts = {
            name: _counts_among(each, values[name]) for name, each in known.items()
        }
        coded.append(Coded(chunks, values, alike | codes_of, counts))
    focal, *others = releases
    for release, other in zip(others, coded[1:], strict=True):
        _tell_few(coded[0], other, f"{memory.where}: {focal} and {release}")
    return coded, memory


def _tell_few(first: Coded, other: Coded, where: str) -> None:
    """Warn of attributes with hardly a value in common in two releases."""
    for name in [name for name in first.counts if name in other.counts]:
        # A missing value, which comes first, says nothing of how others are written.
        pair = [each.counts[name][1:] for each in (first, other)]
        is_shared = (pair[0] > 0) & (pair[1] > 0)
        shares = [(int(n[is_shared].sum()), int(n.sum())) for n in pair]
        values = first.values[name].values[1:]
        each = [values.filter(pa.array(n > 0)) for n in pair]
        if found := found_apart(shares, *each):
            tell_user(f"{where}, in {name}, have {found}")


def word_of(role: str, names: tuple[str, ...], coded: Coded, where: str) -> Word:
    n_codes = tuple(len(coded.values[name].values) for name in names)
    if prod(n_codes) >> _BITS:
        raise TableError(
            f"{where}: the attributes of {role} have more values together than "
            f"{_BITS} bits can tell. Remove some from {role} in the study file."
        )
    return Word(names, n_codes)


def _sorted_values(known: Sequence[Dictionary]) -> Dictionary:
    """Return all values in order, a missing one first whether there is one or not."""
    every = pa.concat_arrays([each.values for each in known]).unique().drop_null()
    ordered = every.take(pc.sort_indices(every))
    whole = pa.concat_arrays([pa.nulls(1, every.type), ordered])
    return Dictionary(whole, np.zeros(len(whole), dtype=np.int64))


def _places_among(known: Dictionary, values: Dictionary) -> NDArray[np.int64]:
    place = pc.index_in(known.values, values.values, skip_nulls=False)
    found: NDArray[np.int64] = place.to_numpy(zero_copy_only=False).astype(np.int64)
    return found


def _counts_among(known: Dictionary, values: Dictionary) -> NDArray[np.int64]:
    """Return the records of each of all values; of `known` several may be alike."""
    return kind_sums(_places_among(known, values), known.counts, len(values.values))
