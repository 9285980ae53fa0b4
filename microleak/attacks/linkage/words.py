"""Both releases coded alike: attributes of one role as one number, who is who.

Codes are the places of values among the sorted ones of both releases, a missing value
first, so that no result depends on the order of records.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.attacks.linkage.analysis import Linkage
from microleak.base.errors import TableError
from microleak.records.chunks import Chunks, Given
from microleak.records.coding import Dictionary, codes
from microleak.records.memory import Memory, counted
from microleak.sources.steps.intermediate import parquet

Words = NDArray[np.uint64]
"""A number of each record, by which its values of several attributes are told."""

Rows = NDArray[np.int32]
"""Rows of another release, -1 for none."""

_BITS = 63


@dataclass(frozen=True)
class Word:
    """Attributes as one number, the first one's code in the highest place."""

    names: tuple[str, ...]
    n_codes: tuple[int, ...]

    def packed(self, each: Sequence[NDArray[np.integer]]) -> Words:
        """Return the numbers of codes, of at least one attribute."""
        found = np.zeros(len(each[0]), dtype=np.uint64)
        for of_name, n_codes in zip(each, self.n_codes, strict=True):
            found *= np.uint64(n_codes)
            found += of_name.astype(np.uint64)
        return found

    def codes(self, words: Words) -> NDArray[np.uint32]:
        """Return the codes of each attribute, shape (n_attributes, n_words)."""
        found = np.empty((len(self.names), len(words)), dtype=np.uint32)
        rest = words
        for place in range(len(self.names) - 1, -1, -1):
            rest, found[place] = np.divmod(rest, np.uint64(self.n_codes[place]))
        return found


@dataclass(frozen=True)
class Coded:
    """One release: its values by name, and its chunks.

    `counts` has the records of each code.
    """

    chunks: Chunks
    values: Mapping[str, Dictionary]
    counts: Mapping[str, NDArray[np.int64]]

    def read(self, names: Sequence[str]) -> Iterator[list[NDArray[np.integer]]]:
        """Yield the codes of attributes, chunk by chunk."""
        for number in range(self.chunks.n_chunks):
            table = self.chunks.read(number, list(names))
            yield [codes(table[name], self.values[name]) for name in names]


@dataclass(frozen=True)
class Both:
    """Two releases coded alike.

    Attributes
    ----------
    focal, auxiliary
        The releases.
    stable, drifting, qids
        The attributes of each role as a number.
    partner
        Of each auxiliary record the focal row of the same person, -1 without one; None
        where no identifier tells.
    """

    focal: Coded
    auxiliary: Coded
    stable: Word
    drifting: Word
    qids: Word
    partner: Rows | None


def both_of(
    focal: Given, auxiliary: Given, analysis: Linkage, memory: Memory
) -> tuple[Both, Memory]:
    """Return two releases coded alike, and the memory that is left to work.

    Raises
    ------
    TableError
        If they have no value of a stable attribute in common, or the values of one
        role are more than a number can tell.
    """
    names = analysis.common
    of_focal = tuple(dict.fromkeys((*names, *analysis.sensitive)))
    found = []
    for given, wanted in ((focal, of_focal), (auxiliary, names)):
        chunks, memory = memory.chunks(given, len(wanted))
        found.append((chunks, counted(chunks, wanted, memory)))
    (first, known), (second, others) = found
    _refuse_empty(first, analysis.focal, analysis)
    _refuse_empty(second, analysis.linked, analysis)
    for name in analysis.stable:
        _refuse_different(known[name], others[name], name, analysis)
    values = {
        name: _sorted([each[name] for each in (known, others) if name in each])
        for name in of_focal
    }
    words = {
        role: _word(role, getattr(analysis, role), values, analysis.name)
        for role in ("stable", "drifting", "qids")
    }
    partner = None
    if analysis.person_id is not None:
        partner = partners(focal, auxiliary, analysis.person_id)
    return Both(
        focal=Coded(first, values, _counts(known, values)),
        auxiliary=Coded(second, values, _counts(others, values)),
        partner=partner,
        **words,
    ), memory


def _refuse_empty(chunks: Chunks, release: str, analysis: Linkage) -> None:
    if not chunks.n_rows:
        raise TableError(
            f"analysis {analysis.name!r}: {analysis.table} {release} has no records, "
            "so nobody can be linked. Correct focal or auxiliary in the study file."
        )


def _refuse_different(
    known: Dictionary, others: Dictionary, name: str, analysis: Linkage
) -> None:
    """Refuse a stable attribute that cannot agree."""
    if not pc.is_in(known.values, value_set=others.values).true_count:
        raise TableError(
            f"analysis {analysis.name!r}: {name} is stable, but {analysis.focal} and "
            f"{analysis.linked} have no value of it in common, so that it has another "
            "coding there. Recode one of them, or remove it from stable in the study "
            "file."
        )


def _sorted(known: Sequence[Dictionary]) -> Dictionary:
    """Return all values in order, a missing one first whether there is one or not."""
    every = pa.concat_arrays([each.values for each in known]).unique().drop_null()
    ordered = every.take(pc.sort_indices(every))
    whole = pa.concat_arrays([pa.nulls(1, every.type), ordered])
    return Dictionary(whole, np.zeros(len(whole), dtype=np.int64))


def _counts(
    known: Mapping[str, Dictionary], values: Mapping[str, Dictionary]
) -> dict[str, NDArray[np.int64]]:
    found = {}
    for name, each in known.items():
        place = pc.index_in(each.values, values[name].values, skip_nulls=False)
        found[name] = np.zeros(len(values[name].values), dtype=np.int64)
        found[name][place.to_numpy(zero_copy_only=False)] = each.counts
    return found


def _word(
    role: str, names: tuple[str, ...], values: Mapping[str, Dictionary], analysis: str
) -> Word:
    n_codes = tuple(len(values[name].values) for name in names)
    if prod(n_codes) >> _BITS:
        raise TableError(
            f"analysis {analysis!r}: the attributes of {role} have more values "
            f"together than {_BITS} bits can tell. Remove some from {role} in the "
            "study file."
        )
    return Word(names, n_codes)


def partners(focal: Given, auxiliary: Given, person_id: str) -> Rows:
    """Return the focal row of the person of each auxiliary row, -1 without one.

    Files are sorted by the identifier, so they are read side by side.
    """
    ahead = _Ahead(_identifiers(focal, person_id))
    found = [ahead.rows_of(ids) for ids in _identifiers(auxiliary, person_id)]
    return np.concatenate([np.empty(0, dtype=np.int32), *found])


def _identifiers(given: Given, person_id: str) -> Iterator[pa.Array]:
    """Yield the identifiers of a release, all of a table in memory at once."""
    if isinstance(given, Path):
        with parquet(given) as file:
            for number in range(file.num_row_groups):
                group = file.read_row_group(number, columns=[person_id])
                yield group[person_id].combine_chunks()
    else:
        yield given[person_id].combine_chunks().cast(pa.string())


class _Ahead:
    """Identifiers of a sorted release, in groups, looked up in ascending order."""

    def __init__(self, groups: Iterator[pa.Array]) -> None:
        self._groups = groups
        self._group = next(groups, pa.nulls(0, pa.string()))
        self._first = 0

    def rows_of(self, ids: pa.Array) -> Rows:
        """Return rows of identifiers, which come after those asked before."""
        found = np.full(len(ids), -1, dtype=np.int32)
        while len(self._group):
            place = pc.index_in(ids, value_set=self._group)
            rows = place.fill_null(-1).to_numpy(zero_copy_only=False)
            found[rows >= 0] = rows[rows >= 0] + self._first
            following = self._following(ids)
            if following is None:
                break
            self._first += len(self._group)
            self._group = following
        return found

    def _following(self, ids: pa.Array) -> pa.Array | None:
        """Return the next group, if some identifier may be in it."""
        if not len(ids) or self._group[-1].as_py() > ids[-1].as_py():
            return None
        return next(self._groups, None)
