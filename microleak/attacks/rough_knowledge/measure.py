"""Attacks by what is known roughly, from one record a person to the table."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, prod
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from microleak.attacks.rough_knowledge.analysis import RoughKnowledge, RoughSection
from microleak.attacks.rough_knowledge.definitions.rough_success import RoughSuccess
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import sums
from microleak.kernels.records import Records
from microleak.records.chunks import Given
from microleak.records.coding import coded_with, texts_of
from microleak.records.memory import Memory, counted
from microleak.records.subsets import Subset, names_of
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.rough_knowledge")

ROWS_AT_ONCE = 1 << 22
"""Rows, each with each way in which it may be known, that are weighed at once."""

MOST_NEAR = 1_000_000
"""Values near those of a QID, all together."""

BYTES_A_VALUE = 80
"""What a value of such a row, or of a row that differs from all others, needs."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Channel:
    """What may be known of each true value of a QID.

    Attributes
    ----------
    starts
        Where what may be known of each code begins, and then where the last ends.
    known
        Codes of what may be known: those of the true values, further ones of values
        that no record has, and the last one, `unknown`, of nothing.
    weights
        Chances of them, times `denominator`.
    """

    starts: Integers
    known: Integers
    weights: Integers
    denominator: int
    unknown: int


def channel_of(
    texts: Sequence[str | None], rough: RoughSection | None, where: str
) -> Channel:
    """Return the channel of a QID with these values; of none it is known exactly.

    Raises
    ------
    TableError
        If a value is no whole number and is known within a range, or the range has too
        many values.
    """
    rough = rough or RoughSection()
    numbers = _numbers(texts, rough, where)
    # A number that no record has is a value of its own.
    code_of: dict[str | int | None, int] = {}
    for code, text in sorted(enumerate(texts), key=lambda each: each[1] or ""):
        code_of.setdefault(text if text is None else numbers.get(text, text), code)
    further = len(texts)
    chances = []
    for code, text in enumerate(texts):
        if text in numbers:
            width = 2 * (rough.within or 0) + 1
            near = range(numbers[text] - width // 2, numbers[text] + width // 2 + 1)
            known: dict[Any, Fraction] = dict.fromkeys(near, Fraction(1, width))
        elif rough.matrix is not None and text in rough.matrix.exact:
            known = dict(rough.matrix.exact[text])
        else:
            known = {text: Fraction(1)}
        own = numbers.get(text, text) if text is not None else None
        of_code: dict[int, Fraction] = {}
        for value, chance in known.items():
            if value not in code_of:
                code_of[value], further = further, further + 1
            of_code[code if value == own else code_of[value]] = chance
        chances.append(of_code)
    chance_unknown = Fraction(rough.unknown)
    rows = [
        {
            **{code: p * (1 - chance_unknown) for code, p in each.items()},
            further: chance_unknown,
        }
        for each in chances
    ]
    denominator = lcm(*(p.denominator for row in rows for p in row.values()))
    pairs = [
        [(code, int(p * denominator)) for code, p in row.items() if p] for row in rows
    ]
    return Channel(
        np.cumsum([0, *map(len, pairs)]),
        np.array([code for row in pairs for code, _ in row], dtype=np.int64),
        np.array([weight for row in pairs for _, weight in row], dtype=np.int64),
        denominator,
        further,
    )


def _numbers(
    texts: Sequence[str | None], rough: RoughSection, where: str
) -> dict[str, int]:
    """Return the number of each text of a QID that is known within a range."""
    if rough.within is None:
        return {}
    given = [text for text in texts if text is not None]
    if len(given) * (2 * rough.within + 1) > MOST_NEAR:
        raise TableError(
            f"{where} is known within {rough.within:,}, more than can be weighed. Give "
            "a smaller range."
        )
    if not all(re.fullmatch(r"-?\d{1,15}", text, re.ASCII) for text in given):
        raise TableError(
            f"{where} is known within a range, but has values that are no whole "
            "numbers. Give a confusion in the place of within."
        )
    return {text: int(text) for text in given}


@dataclass(frozen=True)
class Table:
    """Rows of different values: codes by QID, codes by sensitive attribute, records."""

    qids: list[Integers]
    sensitive: list[Integers]
    n_records: Integers

    @property
    def columns(self) -> list[Integers]:
        """All codes, those of QIDs first."""
        return [*self.qids, *self.sensitive]

    def take(self, rows: Integers) -> "Table":
        """Return some rows, some maybe several times."""
        return Table(
            [codes[rows] for codes in self.qids],
            [codes[rows] for codes in self.sensitive],
            self.n_records[rows],
        )


def places_of(columns: Sequence[NDArray[np.integer]]) -> tuple[Integers, int]:
    """Return a number for each row, the same for rows that are equal, and how many."""
    found, n = np.zeros(len(columns[0]), dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        both = found * width + column.astype(np.int64)
        distinct, found = np.unique(both, return_inverse=True)
        n = len(distinct)
    return found, n


def rough_table(
    people: Given, analysis: RoughKnowledge, resources: Resources
) -> pd.DataFrame:
    """Return the success of the attacks, as the table `rough_knowledge`.

    Rows are in the order of the attacks (re-identification first) and of the subsets.

    Parameters
    ----------
    people
        One record a person; only the attributes of the analysis are read, chunk by
        chunk. Memory is that of the rows that differ in them, and of those that have a
        value of the QIDs known exactly, in each way in which they may be known.
    analysis
        The analysis. A missing value of an attribute is a value like any other.
    resources
        Bounds, which do not change what is returned.

    Raises
    ------
    TableError
        If a value is known within a range and no whole number, or more may be known
        than there is memory for.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    names = (*analysis.qids, *analysis.sensitive)
    chunks, memory = memory.chunks(people, len(names))
    known = counted(chunks, names, memory)
    records = coded_with(chunks, known, analysis.qids, analysis.sensitive)
    room = _Room(memory, len(names))
    table = _of_records(records, len(analysis.qids), room)
    channels = [
        channel_of(
            texts_of(known[name].values),
            analysis.roughly.get(name),
            f"{memory.where}: {name}",
        )
        for name in analysis.qids
    ]
    _refuse_digits(channels, records.n_records, memory.where)
    found: dict[tuple[int, Subset], RoughSuccess] = {}
    with progress("weighing what is known", len(analysis.subsets)) as advance:
        for subset in analysis.subsets:
            chosen = [q for q in range(len(analysis.qids)) if subset >> q & 1]
            columns = [*(table.qids[q] for q in chosen), *table.sensitive]
            part = _distinct(columns, table.n_records, len(chosen))
            own = [channels[q] for q in chosen]
            for attack, success in enumerate(_successes(part, own, room)):
                found[attack, subset] = success
            advance(1)
    return TABLES["rough_knowledge"].frame(_rows(found, records.n_records, analysis))


@dataclass(frozen=True)
class _Room:
    """Bounds of the rows that are held."""

    memory: Memory
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Rows that may be held at once."""
        return int(self.memory.bytes_a_column / (BYTES_A_VALUE * (self.n_columns + 2)))

    def check(self, n_rows: int) -> None:
        """Refuse more rows than may be held."""
        if n_rows > self.n_rows:
            raise TableError(
                f"{self.memory.where}: {n_rows:,} combinations of what may be known "
                "have to be weighed together, too many for the memory given. Use fewer "
                "or coarser QIDs, know fewer of them roughly, or give the run more "
                "memory (--max-memory)."
            )


def _of_records(records: Records, n_qids: int, room: _Room) -> Table:
    """Return the rows of all records that differ, read chunk by chunk."""
    n_columns = n_qids + len(records.sensitive)
    held = [np.empty(0, dtype=np.int64) for _ in range(n_columns + 1)]
    with progress("finding rows that differ", records.n_records) as advance:
        for i in range(records.n_chunks):
            chunk = records.chunk(i, range(n_columns))
            part = _distinct(chunk, np.ones(len(chunk[0]), dtype=np.int64), n_qids)
            both = zip(held, [*part.columns, part.n_records], strict=True)
            *columns, n_records = (np.concatenate(pair) for pair in both)
            found = _distinct(columns, n_records, n_qids)
            held = [*found.columns, found.n_records]
            room.check(len(held[0]))
            advance(len(chunk[0]))
    return Table(held[:n_qids], held[n_qids:-1], held[-1])


def _distinct(
    columns: Sequence[NDArray[np.integer]], n_records: Integers, n_qids: int
) -> Table:
    """Return rows of different values, with the records of each."""
    place, n = places_of(columns)
    first = np.zeros(n, dtype=np.int64)
    first[place[::-1]] = np.arange(len(place))[::-1]
    left = [column[first].astype(np.int64) for column in columns]
    return Table(left[:n_qids], left[n_qids:], sums(place, n_records, n))


def _refuse_digits(channels: Sequence[Channel], n_records: int, where: str) -> None:
    if n_records * prod(channel.denominator for channel in channels) >= 2**62:
        raise TableError(
            f"{where}: the chances of roughly have too many digits together. Write "
            "them with fewer."
        )


def _successes(
    table: Table, channels: Sequence[Channel], room: _Room
) -> Iterator[RoughSuccess]:
    """Yield the success of re-identification, and of each inference."""
    n = int(table.n_records.sum())
    whole = n * prod(channel.denominator for channel in channels)
    sizes = np.ones(len(table.n_records), dtype=np.int64)
    for codes, channel in zip(table.qids, channels, strict=True):
        sizes *= np.diff(channel.starts)[codes]
    blocks = _Blocks(table, channels)
    n_attacks = 1 + len(table.sensitive)
    weighed = np.zeros((n_attacks, 4), dtype=np.int64)
    for part in _parts(table, channels, sizes):
        room.check(int(sizes[part].sum()))
        known = _known(table.take(part), part, channels)
        for attack in range(n_attacks):
            weighed[attack] += _weighed(table, attack, known, blocks)
    for attack in range(n_attacks):
        certain, right, claimed, claimed_right = (
            Fraction(int(each), whole) for each in weighed[attack]
        )
        yield RoughSuccess(
            prior_prob=blocks.prior(attack),
            posterior_det=certain,
            posterior_prob=right,
            posterior_det_exact=Fraction(blocks.n_certain(attack), n),
            posterior_prob_exact=Fraction(blocks.n_right(attack), n),
            claimed=claimed,
            claimed_right=claimed_right,
        )


def _parts(
    table: Table, channels: Sequence[Channel], sizes: Integers
) -> Iterator[Integers]:
    """Yield rows in parts that have nothing in common that may be known.

    They differ in a QID that is known exactly; without any there is one part.
    """
    is_exact = [
        len(c.known) == len(c.starts) - 1 == len(np.unique(c.known)) for c in channels
    ]
    exact = [q for q, e in zip(table.qids, is_exact, strict=True) if e]
    if not exact:
        yield np.arange(len(sizes))
        return
    place, n = places_of(exact)
    order = np.argsort(place, kind="stable")
    ends = np.searchsorted(place[order], np.arange(n), side="right")
    total = np.cumsum(sizes[order])
    begin = 0
    while begin < len(order):
        before = total[begin - 1] if begin else 0
        upto = np.searchsorted(total, before + ROWS_AT_ONCE, side="right")
        # At least one value of what is known exactly, and whole ones.
        last = ends[max(np.searchsorted(ends, upto, side="right") - 1, 0)]
        end = int(last) if last > begin else int(ends[place[order[begin]]])
        yield order[begin:end]
        begin = end


@dataclass(frozen=True)
class Known:
    """What may be known of rows, each with each way.

    Attributes
    ----------
    row
        Number of the row.
    codes
        What is known of it, by QID.
    y
        A number for all of this.
    weights
        The chance of it, times the denominators of all channels.
    """

    row: Integers
    codes: Sequence[Integers]
    y: Integers
    weights: Integers


def _known(table: Table, numbers: Integers, channels: Sequence[Channel]) -> Known:
    """Return what may be known of the rows of a table that have these numbers."""
    rows = np.arange(len(table.n_records))
    weights = np.ones(len(rows), dtype=np.int64)
    known: list[Integers] = []
    for codes, channel in zip(table.qids, channels, strict=True):
        code = codes[rows]
        n_ways = np.diff(channel.starts)[code]
        again = np.repeat(np.arange(len(rows)), n_ways)
        way = np.arange(len(again)) - np.repeat(np.cumsum(n_ways) - n_ways, n_ways)
        at = channel.starts[code][again] + way
        known = [each[again] for each in known]
        known.append(channel.known[at])
        weights = weights[again] * channel.weights[at]
        rows = rows[again]
    return Known(numbers[rows], known, places_of(known)[0], weights)


class _Blocks:
    """The blocks of the true values, by the QIDs that are known at all.

    What is known at face value of a target is looked up among them.
    """

    def __init__(self, table: Table, channels: Sequence[Channel]) -> None:
        self._table = table
        self._channels = channels

    def prior(self, attack: int) -> Fraction:
        """Return the chance to be right without any QID."""
        n = self._table.n_records
        if not attack:
            return Fraction(1, int(n.sum()))
        codes = self._table.sensitive[attack - 1]
        counts = sums(codes, n, int(codes.max()) + 1)
        return Fraction(int(counts.max()), int(n.sum()))

    def n_certain(self, attack: int) -> int:
        """Return the records that are certain where all QIDs are known exactly."""
        place, n = places_of(self._table.qids)
        is_certain, _ = self._certain(place, n, attack)
        return int(self._table.n_records[is_certain[place]].sum())

    def n_right(self, attack: int) -> int:
        """Return the records that are then guessed right."""
        place, n = places_of(self._table.qids)
        if not attack:
            return n
        return int(largest_by(n, *self._by_value(place, attack)).sum())

    def _by_value(self, place: Integers, attack: int) -> tuple[Integers, Integers]:
        both, n = places_of([place, self._table.sensitive[attack - 1]])
        counts = sums(both, self._table.n_records, n)
        block = np.zeros(n, dtype=np.int64)
        block[both] = place
        return block, counts

    def _certain(
        self, place: Integers, n: int, attack: int
    ) -> tuple[NDArray[np.bool_], Integers]:
        """Say of which blocks the adversary is certain, and of which value."""
        value = np.zeros(n, dtype=np.int64)
        if not attack:
            return sums(place, self._table.n_records, n) == 1, value
        codes = self._table.sensitive[attack - 1]
        value[place] = codes
        differs = np.zeros(n, dtype=np.bool_)
        differs[place[codes != value[place]]] = True
        return ~differs, value

    def claims(
        self, known: Sequence[Integers], attack: int
    ) -> tuple[NDArray[np.bool_], Integers]:
        """Say for which of the things known certainty is claimed, and of which value.

        For re-identification the value is the row that is claimed.
        """
        n = len(known[0])
        is_claimed = np.zeros(n, dtype=np.bool_)
        claimed = np.full(n, -1, dtype=np.int64)
        unknown = [k == c.unknown for k, c in zip(known, self._channels, strict=True)]
        mask = sum(u.astype(np.int64) << q for q, u in enumerate(unknown))
        for pattern in np.unique(mask).tolist():
            rows = np.flatnonzero(mask == pattern)
            told = [q for q in range(len(known)) if not pattern >> q & 1]
            true = [self._table.qids[q] for q in told]
            if not told:
                true = [np.zeros(len(self._table.n_records), dtype=np.int64)]
            asked = [known[q][rows] for q in told] or [np.zeros_like(rows)]
            n_true = len(true[0])
            both = [np.concatenate(pair) for pair in zip(true, asked, strict=True)]
            place, n_places = places_of(both)
            is_certain, value = self._certain(place[:n_true], n_places, attack)
            is_there = np.zeros(n_places, dtype=np.bool_)
            is_there[place[:n_true]] = True
            if not attack:
                value[place[:n_true]] = np.arange(n_true)
            of_known = place[n_true:]
            is_claimed[rows] = (is_certain & is_there)[of_known]
            claimed[rows] = value[of_known]
        return is_claimed, claimed


def largest_by(n: int, place: Integers, numbers: Integers) -> Integers:
    """Return the largest number of each of n places, 0 of none."""
    found = np.zeros(n, dtype=np.int64)
    np.maximum.at(found, place, numbers)
    return found


def _weighed(table: Table, attack: int, known: Known, blocks: _Blocks) -> Integers:
    """Return the weights of certain, right, claimed, and claimed rightly."""
    y = known.y
    n = int(y.max(initial=0)) + 1
    of_row = table.n_records[known.row]
    by_records = known.weights * of_row
    is_claimed, claimed = blocks.claims(known.codes, attack)
    if attack:
        codes = table.sensitive[attack - 1][known.row]
        both, n_both = places_of([y, codes])
        of = np.zeros(n_both, dtype=np.int64)
        of[both] = y
        n_values = np.bincount(of, minlength=n)
        right = largest_by(n, of, sums(both, by_records, n_both)).sum()
        is_certain = n_values[y] == 1
        is_right = is_claimed & (claimed == codes)
    else:
        right = largest_by(n, y, known.weights).sum()
        is_certain = sums(y, of_row, n)[y] == 1
        is_right = is_claimed & (claimed == known.row)
    parts = (is_certain, is_claimed, is_right)
    certain, claims, rightly = (int(by_records[each].sum()) for each in parts)
    return np.array([certain, int(right), claims, rightly], dtype=np.int64)


def _rows(
    found: Mapping[tuple[int, Subset], RoughSuccess],
    n_records: int,
    analysis: RoughKnowledge,
) -> Iterator[dict[str, Any]]:
    for attack, sensitive in enumerate(("", *analysis.sensitive)):
        for subset in analysis.subsets:
            names = names_of(subset, analysis.qids)
            success = found[attack, subset]
            shares = (*vars(success), "claims_that_hold")
            exact = {name: getattr(success, name) for name in shares}
            yield {
                "analysis": analysis.name,
                "table": analysis.table,
                "focal": analysis.focal,
                "qids": "|".join(names),
                "n_qids": len(names),
                "roughly": "|".join(n for n in names if n in analysis.roughly),
                "sensitive": sensitive,
                "n_records": n_records,
                **{n: None if x is None else float(x) for n, x in exact.items()},
            }
