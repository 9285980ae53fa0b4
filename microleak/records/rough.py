"""What an adversary may know of records whose QIDs it knows only roughly.

Each QID is known by a channel of its own: a value within a range, what others would
take the true one for, or nothing. Records that are alike are one row; a row is weighed
with everything that may be known of it, in exact integers.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from microleak.base.arrays import Integers, QidMask
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.definitions.exact import first_places, kind_sums, repeated_places
from microleak.kernels.records import Records
from microleak.records.chunks import Chunks
from microleak.records.coding import (
    Dictionary,
    Wanted,
    check_values,
    coded_with,
    columns_of,
    texts_of,
)
from microleak.records.memory import Memory, counted_values
from microleak.records.recoding import Confusion

ROWS_AT_ONCE = 1 << 22
"""Rows, each with each way in which it may be known, that are weighed at once."""

MOST_NEAR = 1_000_000
"""Values near those of a QID, all together."""

BYTES_A_VALUE = 80
"""What a value of such a row, or of a row that differs from all others, needs."""


class Rough(Protocol):
    """How one QID is known: `within` a range or by a `matrix`, or `unknown`."""

    within: int | None  # How far from the true value the known one may be, either way
    matrix: Confusion | None  # What values are taken for
    unknown: str  # Chance that the QID is not known, as a text of a fraction


def number_of(text: str, where: str) -> int:
    if not re.fullmatch(r"-?\d{1,15}", text, re.ASCII):
        raise TableError(
            f"{where} is known within a range, but has values that are no whole "
            "numbers. Give a confusion in the place of within."
        )
    return int(text)


def rough_likelihood(
    rough: Rough, known: str | None, true: str | None, where: str
) -> Fraction:
    """Return the chance that a true value, if known at all, is known as this one."""
    if rough.within is not None and known is not None and true is not None:
        distance = abs(number_of(known, where) - number_of(true, where))
        return Fraction(distance <= rough.within, 2 * rough.within + 1)
    if rough.matrix is not None and true in rough.matrix.exact:
        return rough.matrix.exact[true].get(known, Fraction(0))
    return Fraction(known == true)


@dataclass(frozen=True)
class KnowledgeChannel:
    """What may be known of each true value of a QID."""

    starts: Integers  # Where the entries of each true value begin
    known: Integers  # Codes of true values; further ones for values that no record has
    weights: Integers  # Chances of them, times `denominator`
    denominator: int
    unknown: int  # The code of knowing nothing

    @property
    def is_exact(self) -> bool:
        """Whether each true value is known as one value that no other is known as."""
        n_values = len(self.starts) - 1
        return len(self.known) == n_values == len(np.unique(self.known))


def channel_of(
    texts: Sequence[str | None], rough: Rough | None, where: str
) -> KnowledgeChannel:
    """Return the channel of a QID with these values; without `rough` it is exact."""
    within, matrix = (rough.within, rough.matrix) if rough else (None, None)
    numbers = {} if within is None else _numbers_of_texts(texts, within, where)
    code_of: dict[str | int | None, int] = {}
    for code, text in sorted(enumerate(texts), key=lambda each: each[1] or ""):
        code_of.setdefault(text if text is None else numbers.get(text, text), code)
    further = len(texts)  # The next code of a value that no record has
    chances = []
    for code, text in enumerate(texts):
        if text in numbers:
            width = 2 * (within or 0) + 1
            near = range(numbers[text] - width // 2, numbers[text] + width // 2 + 1)
            known: dict[Any, Fraction] = dict.fromkeys(near, Fraction(1, width))
        elif matrix is not None and text in matrix.exact:
            known = dict(matrix.exact[text])
        else:
            known = {text: Fraction(1)}
        own = numbers.get(text, text) if text is not None else None
        of_code: dict[int, Fraction] = {}
        for value, chance in known.items():
            if value not in code_of:
                code_of[value], further = further, further + 1
            of_code[code if value == own else code_of[value]] = chance
        chances.append(of_code)
    chance_unknown = Fraction(rough.unknown if rough else 0)
    rows = [
        {
            **{code: p * (1 - chance_unknown) for code, p in each.items()},
            further: chance_unknown,  # The last code stands for nothing known
        }
        for each in chances
    ]
    denominator = lcm(*(p.denominator for row in rows for p in row.values()))
    pairs = [
        [(code, int(p * denominator)) for code, p in row.items() if p] for row in rows
    ]
    return KnowledgeChannel(
        np.cumsum([0, *map(len, pairs)]),
        np.array([code for row in pairs for code, _ in row], dtype=np.int64),
        np.array([weight for row in pairs for _, weight in row], dtype=np.int64),
        denominator,
        further,
    )


def _numbers_of_texts(
    texts: Sequence[str | None], within: int, where: str
) -> dict[str, int]:
    given = [text for text in texts if text is not None]
    if len(given) * (2 * within + 1) > MOST_NEAR:
        raise TableError(
            f"{where} is known within {within:,}, more than can be weighed. Give a "
            "smaller range."
        )
    return {text: number_of(text, where) for text in given}


def refuse_digits(n_records: int, denominators: Sequence[int], where: str) -> None:
    if n_records * prod(denominators) >= 2**62:
        raise TableError(
            f"{where}: the chances of roughly have too many digits together. Write "
            "them with fewer."
        )


class Weighing:
    """Weighs records by the chance that what is known of a person is known of them."""

    def __init__(
        self,
        known: Mapping[str, str | None],
        roughly: Mapping[str, Rough],
        n_records: int,
        where: str,
    ) -> None:
        self._known = known
        self._roughly = roughly
        self._where = where
        self._denominator_of = {
            n: _common_denominator(each) for n, each in roughly.items()
        }
        refuse_digits(n_records, [*self._denominator_of.values()], where)

    @property
    def columns(self) -> list[str]:
        return [*self._known]

    def records(self, table: pa.Table) -> Integers:
        weights = np.ones(len(table), dtype=np.int64)
        for name, value in self._known.items():
            if name in self._roughly:
                weights *= self._of(name, table[name])
            else:
                values = pa.array([value], pa.string())
                weights *= pc.is_in(table[name], value_set=values).to_numpy()
        return weights

    def _of(self, name: str, column: pa.ChunkedArray) -> Integers:
        """Weigh by one column, asking once for each of its values."""
        rough, known = self._roughly[name], self._known[name]
        where = f"{self._where}: {name}"
        coded = column.cast(pa.string()).combine_chunks().dictionary_encode("encode")
        chances = [
            rough_likelihood(rough, known, true, where) * self._denominator_of[name]
            for true in coded.dictionary.to_pylist()
        ]
        weights = np.array([int(chance) for chance in chances], dtype=np.int64)
        found: Integers = weights[coded.indices.to_numpy()]
        return found


def _common_denominator(rough: Rough) -> int:
    if rough.within is not None:
        return 2 * rough.within + 1
    rows = rough.matrix.exact.values() if rough.matrix else ()
    return lcm(*(chance.denominator for row in rows for chance in row.values()))


@dataclass(frozen=True)
class RoughRows:
    """Rows of different values: codes by QID, codes by other attribute, records."""

    qids: list[Integers]
    others: list[Integers]
    n_records: Integers

    @property
    def columns(self) -> list[Integers]:
        return [*self.qids, *self.others]


def places_of(columns: Sequence[NDArray[np.integer]]) -> tuple[Integers, int]:
    """Return a number for each row, the same for rows that are equal, and how many."""
    found, n = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        both = found * width + column.astype(np.int64)
        distinct, found = np.unique(both, return_inverse=True)
        n = len(distinct)
    return found, n


@dataclass(frozen=True)
class RoomForRows:
    """Bounds of the rows that are held."""

    memory: Memory
    n_columns: int

    @property
    def n_rows(self) -> int:
        return int(self.memory.bytes_a_column / (BYTES_A_VALUE * (self.n_columns + 2)))

    def check(self, n_rows: int) -> None:
        if n_rows > self.n_rows:
            raise TableError(
                f"{self.memory.where}: {n_rows:,} combinations of what may be known "
                "have to be weighed together, too many for the memory given. Use fewer "
                "or coarser QIDs, know fewer of them roughly, or give the run more "
                "memory (--max-memory)."
            )


@dataclass(frozen=True)
class RoughlyKnown:
    """What may be known of some rows, each with each way."""

    row: Integers
    codes: Sequence[Integers]  # What is known of it, by QID
    y: Integers  # A number for all of this, from 0
    weights: Integers  # The chance of it, times the denominators of all channels

    @property
    def n(self) -> int:
        return int(self.y.max(initial=-1)) + 1


@dataclass(frozen=True)
class FaceValue:
    """Blocks of the true values, and in which of them a fact at face value is."""

    asked: Integers
    block: Integers  # The block of each row, by those QIDs
    found: Integers  # The block of each thing known
    n_blocks: int  # How many there are of both


@dataclass(frozen=True)
class RoughRecords:
    """Rows of records, how their QIDs are known, and bounds."""

    rows: RoughRows
    channels: Sequence[KnowledgeChannel]
    room: RoomForRows

    @property
    def n_records(self) -> int:
        return int(self.rows.n_records.sum())

    @property
    def denominator(self) -> int:
        return prod(channel.denominator for channel in self.channels)

    def known_by(self, subset: QidMask) -> "RoughRecords":
        chosen = [q for q in range(len(self.channels)) if subset >> q & 1]
        columns = [*(self.rows.qids[q] for q in chosen), *self.rows.others]
        rows = _distinct_rows(columns, self.rows.n_records, len(chosen))
        return RoughRecords(rows, [self.channels[q] for q in chosen], self.room)

    def known(self) -> Iterator[RoughlyKnown]:
        """Yield everything that may be known of all rows, apart from part to part."""
        n_ways = np.ones(len(self.rows.n_records), dtype=np.int64)
        for codes, channel in zip(self.rows.qids, self.channels, strict=True):
            n_ways *= np.diff(channel.starts)[codes]
        for part in self._parts(n_ways):
            self.room.check(int(n_ways[part].sum()))
            yield self._expanded(part)

    def _parts(self, n_ways: Integers) -> Iterator[Integers]:
        """Yield numbers of rows, apart by the QIDs that are known exactly, if any."""
        pairs = zip(self.rows.qids, self.channels, strict=True)
        exact = [codes for codes, channel in pairs if channel.is_exact]
        if not exact:
            yield np.arange(len(n_ways))
            return
        place, n = places_of(exact)
        order = np.argsort(place, kind="stable")
        ends = np.searchsorted(place[order], np.arange(n), side="right")
        total = np.cumsum(n_ways[order])
        begin = 0
        while begin < len(order):
            before = total[begin - 1] if begin else 0
            upto = np.searchsorted(total, before + ROWS_AT_ONCE, side="right")
            # At least one value of what is known exactly, and whole ones.
            last = ends[max(np.searchsorted(ends, upto, side="right") - 1, 0)]
            end = int(last) if last > begin else int(ends[place[order[begin]]])
            yield order[begin:end]
            begin = end

    def _expanded(self, numbers: Integers) -> RoughlyKnown:
        rows = numbers
        weights = np.ones(len(rows), dtype=np.int64)
        known: list[Integers] = []
        for codes, channel in zip(self.rows.qids, self.channels, strict=True):
            code = codes[rows]
            n_ways = np.diff(channel.starts)[code]
            again, at = repeated_places(n_ways, channel.starts[code])
            known = [each[again] for each in known]
            known.append(channel.known[at])
            weights = weights[again] * channel.weights[at]
            rows = rows[again]
        return RoughlyKnown(rows, known, places_of(known)[0], weights)

    def at_face_value(self, known: RoughlyKnown) -> Iterator[FaceValue]:
        """Yield where what is known would be, were it exact."""
        pairs = zip(known.codes, self.channels, strict=True)
        unknown = [codes == channel.unknown for codes, channel in pairs]
        mask = sum(u.astype(np.int64) << q for q, u in enumerate(unknown))
        for pattern in np.unique(mask).tolist():
            asked = np.flatnonzero(mask == pattern)
            told = [q for q in range(len(unknown)) if not pattern >> q & 1]
            n_rows = len(self.rows.n_records)
            true = [self.rows.qids[q] for q in told] or [np.zeros(n_rows, np.int64)]
            given = [known.codes[q][asked] for q in told] or [np.zeros_like(asked)]
            both = [np.concatenate(pair) for pair in zip(true, given, strict=True)]
            place, n_blocks = places_of(both)
            yield FaceValue(asked, place[:n_rows], place[n_rows:], n_blocks)


def rough_records(
    chunks: Chunks,
    qids: Sequence[str],
    others: Sequence[Wanted],
    roughly: Mapping[str, Rough],
    memory: Memory,
) -> RoughRecords:
    known = counted_values(chunks, columns_of([*qids, *others]), memory)
    for name in qids:
        _check_true(roughly.get(name), known[name], name, memory.where)
    records = coded_with(chunks, known, qids, others)
    channels = [
        channel_of(
            texts_of(known[name].values), roughly.get(name), f"{memory.where}: {name}"
        )
        for name in qids
    ]
    denominators = [channel.denominator for channel in channels]
    refuse_digits(records.n_records, denominators, memory.where)
    room = RoomForRows(memory, len(qids) + len(others))
    return RoughRecords(rows_of(records, len(qids), room), channels, room)


def _check_true(rough: Rough | None, known: Dictionary, name: str, where: str) -> None:
    if rough is not None and rough.matrix is not None and not rough.matrix.has_domain:
        file = f" ({rough.matrix.file})" if rough.matrix.file else ""
        said = f"{where}: confusion of {name}{file}"
        check_values(known, rough.matrix.chances, name, said, "Correct it there")


def rows_of(records: Records, n_qids: int, room: RoomForRows) -> RoughRows:
    n_columns = n_qids + len(records.sensitive)
    parts: list[RoughRows] = []
    n_held, n_waiting = 0, 0
    with progress("finding rows that differ", records.n_records) as advance:
        for i in range(records.n_chunks):
            chunk = records.chunk(i, range(n_columns))
            ones = np.ones(len(chunk[0]), dtype=np.int64)
            parts.append(_distinct_rows(chunk, ones, n_qids))
            n_waiting += len(parts[-1].n_records)
            # Merged when they have doubled, so that no row is merged often.
            if n_waiting > n_held:
                parts = [_merged_rows(parts, n_qids)]
                n_held, n_waiting = len(parts[0].n_records), 0
                room.check(n_held)
            advance(len(chunk[0]))
    rows = _merged_rows(parts, n_qids)
    room.check(len(rows.n_records))
    return rows


def _merged_rows(parts: Sequence[RoughRows], n_qids: int) -> RoughRows:
    columns = [
        np.concatenate(each) for each in zip(*(p.columns for p in parts), strict=True)
    ]
    return _distinct_rows(columns, np.concatenate([p.n_records for p in parts]), n_qids)


def _distinct_rows(
    columns: Sequence[NDArray[np.integer]], n_records: Integers, n_qids: int
) -> RoughRows:
    place, n = places_of(columns)
    first = first_places(place, n)
    left = [column[first].astype(np.int64) for column in columns]
    return RoughRows(left[:n_qids], left[n_qids:], kind_sums(place, n_records, n))
