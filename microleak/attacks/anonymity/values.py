"""Measures of sensitive values for every QID subset, from profiles and from records.

Rows that become equal are merged. Records are read once for each QID that is the most
identifying of some subset, or in several parts by its values, so that memory is
bounded.

Entropy and recursive l-diversity and t-closeness need all values of a block, of which
a block profile tells three numbers. Mostly these decide: of two values the marks
tell all, a block with one value has no diversity, and a pure block of the farthest
value is farther than all. What is left open is grouped again (`completed`).
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import repeat
from math import prod
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.anonymity.blocks import (
    T_EQUAL,
    T_ORDERED,
    Marked,
    SensitiveDomain,
    domains_of,
    marked_in,
    marks_of,
    records_of,
)
from microleak.attacks.anonymity.definitions.sensitive_values import (
    ValueCounts,
    entropy_l,
    recursive_c,
    t_equal,
    t_ordered,
)
from microleak.attacks.anonymity.section import Anonymity
from microleak.base.arrays import Codes, Integers, QidMask
from microleak.base.machine import Resources
from microleak.definitions.exact import kind_sums, largest_sum, run_starts
from microleak.definitions.profile import BlockProfile
from microleak.kernels.records import Records
from microleak.records import subsets
from microleak.records.chunks import Given
from microleak.records.memory import MIB, Memory
from microleak.records.profile_file import read_profiles


@dataclass(frozen=True)
class ValueRows(subsets.BlockRows):
    """Records with equal QIDs and sensitive value, as one row."""

    # Rows ascend by block, then by the other QIDs and the value. As a block is split by
    # the first of these, its parts follow each other, and nothing is sorted. The last
    # number of codes is that of the sensitive attribute.

    value: Codes  # Code of the sensitive value
    n_records: Integers  # Records of each row, from 1

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by the first QID, which is used up."""
        assert qid == next(iter(self.qids))
        return super().split(qid)

    def only(self, qids: Sequence[int]) -> Self:
        """Return rows with some of the QIDs, merged where they become equal."""
        if len(qids) == len(self.qids):
            return self
        kept = {qid: codes for qid, codes in self.qids.items() if qid in qids}
        return replace(self, qids=kept).merged

    @property
    def merged(self) -> Self:
        key, bound = self.block, self.n_blocks
        for qid, codes in self.qids.items():
            key, bound = subsets.joined_numbers(key, bound, codes, self.n_codes[qid])
        key, _ = subsets.joined_numbers(key, bound, self.value, self.n_codes[-1])
        # What is sorted in parts already, as it is here, takes a stable sort less time.
        order = np.argsort(key, kind="stable")
        first = run_starts(key[order])
        n_records = np.add.reduceat(self.n_records[order], first)
        return self._taken(order[first], n_records)

    def has_in_block(self, is_wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which rows are of a block of which some row is wanted."""
        first = run_starts(self.block)
        in_block = np.logical_or.reduceat(is_wanted, first)
        found: NDArray[np.bool_]
        found = np.repeat(in_block, np.diff(first, append=self.n_rows))
        return found

    @property
    def counts(self) -> ValueCounts:
        """Records of each block and value."""
        rows = self.only([])
        return ValueCounts(rows.block, rows.value.astype(np.int64), rows.n_records)

    def where(self, is_kept: NDArray[np.bool_]) -> Self:
        return self._taken(is_kept, self.n_records[is_kept])

    def _taken(self, rows: NDArray[np.generic], n_records: Integers) -> Self:
        qids = {qid: codes[rows] for qid, codes in self.qids.items()}
        block, value = self.block[rows], self.value[rows]
        return replace(self, block=block, qids=qids, value=value, n_records=n_records)


Visit = Callable[[QidMask, ValueRows], ValueRows]


def visit_values(
    records: Records,
    sensitive: int,
    wanted: Collection[QidMask],
    visit: Visit,
    most_rows: int,
) -> None:
    # A subset is visited maybe several times, each time with other blocks. More rows
    # than `most_rows` are held only if one value of a QID, with the less identifying
    # ones, has more.
    given = _Given(records, sensitive)
    tree = subsets.SubsetTree(subsets.most_identifying_first(given.n_codes[:-1]), visit)
    left = set(wanted)
    while left:
        first = tree.first_of(left)
        mine = subsets.with_qid(left, first)
        qids = [qid for qid in tree.order if subsets.union_of_subsets(mine) >> qid & 1]
        for rows in given.parts(qids, most_rows):
            tree.descend(rows.split(first), 1 << first, mine)
        left -= mine


@dataclass(frozen=True)
class _Given:
    """The records, and which sensitive attribute counts."""

    records: Records
    sensitive: int

    @property
    def n_codes(self) -> list[int]:
        """Number of codes of each QID and, last, of the sensitive attribute."""
        values = [*self.records.qids, self.records.sensitive[self.sensitive]]
        return [len(one.counts) for one in values]

    def parts(self, qids: Sequence[int], most_rows: int) -> Iterator[ValueRows]:
        """Yield all records, in parts by the first QID if there were too many rows."""
        part_of = self._part_of(qids, most_rows)
        for part in range(int(part_of.max()) + 1):
            yield _gathered(
                rows.where(part_of[rows.qids[qids[0]]] == part)
                for rows in map(self._chunk, range(self.records.n_chunks), repeat(qids))
            )

    def _part_of(self, qids: Sequence[int], most_rows: int) -> Integers:
        """Return the part of each value of the first QID: about as many rows each."""
        counts = self.records.qids[qids[0]].counts
        n_kinds = prod(self.n_codes[qid] for qid in qids) * self.n_codes[-1]
        if min(n_kinds, self.records.n_records) <= most_rows:
            return np.zeros_like(counts)
        return np.unique((np.cumsum(counts) - 1) // most_rows, return_inverse=True)[1]

    def _chunk(self, i: int, qids: Sequence[int]) -> ValueRows:
        value = len(self.records.qids) + self.sensitive
        *codes, values = self.records.chunk(i, [*qids, value])
        block, ones = np.zeros((2, len(values)), dtype=np.int64)
        by_qid = dict(zip(qids, codes, strict=True))
        return ValueRows(block, 1, by_qid, self.n_codes, values, ones + 1)


def _gathered(pieces: Iterator[ValueRows]) -> ValueRows:
    """Merge pieces, whenever they have as many rows as what is merged already."""
    found, waiting = next(pieces).merged, list[ValueRows]()
    for piece in pieces:
        waiting.append(piece.merged)
        if sum(rows.n_rows for rows in waiting) >= found.n_rows:
            found, waiting = _together([found, *waiting]).merged, []
    return _together([found, *waiting]).merged if waiting else found


def _together(pieces: Sequence[ValueRows]) -> ValueRows:
    first = pieces[0]
    return replace(
        first,
        block=np.concatenate([rows.block for rows in pieces]),
        qids={
            qid: np.concatenate([rows.qids[qid] for rows in pieces])
            for qid in first.qids
        },
        value=np.concatenate([rows.value for rows in pieces]),
        n_records=np.concatenate([rows.n_records for rows in pieces]),
    )


ENTROPY, RECURSIVE_2, RECURSIVE_3 = "l_entropy", "recursive_c_2", "recursive_c_3"
DIVERSITIES = (ENTROPY, RECURSIVE_2, RECURSIVE_3)
DISTANCES = {T_EQUAL: t_equal, T_ORDERED: t_ordered}

ValueMeasures = dict[str, Fraction | float | None]
"""Measures by the names of their columns; None where there is none, as no c will do."""


@dataclass(frozen=True)
class Decided:
    """What the profiles of a subset say of one sensitive attribute."""

    measures: ValueMeasures  # Those that are decided
    reached: Mapping[str, int] = field(default_factory=dict)  # How far some block is


def decided(
    profile: BlockProfile, domain: SensitiveDomain, marked: Sequence[Marked]
) -> Decided:
    """Return what the profiles of a subset say of a sensitive attribute."""
    if len(domain.counts) == 2:
        ((_, members),) = marked
        once = _two_values(members, np.ones_like(members.n_blocks))
        # Of equal blocks, which only the table's shares depend on, one has them all.
        every = _two_values(members, members.n_blocks)
        distances = measured(every, list(domain.distances))
        return Decided(measured(once, DIVERSITIES) | distances)
    found = _diversity(profile)
    reached = _reached(profile, domain, marked)
    for name, at in domain.distances.items():
        if reached[name] == at.max():
            found[name] = Fraction(reached.pop(name), domain.scale(name))
    return Decided(found, reached)


def measured(counts: ValueCounts, names: Sequence[str]) -> ValueMeasures:
    """Return measures of blocks whose values are counted, by their names."""
    definitions = {
        ENTROPY: entropy_l,
        RECURSIVE_2: lambda counts: recursive_c(counts, 2),
        RECURSIVE_3: lambda counts: recursive_c(counts, 3),
        **DISTANCES,
    }
    return {name: definitions[name](counts) for name in names}


def _two_values(members: BlockProfile, times: Integers) -> ValueCounts:
    """Count both values in one block of each kind, as often as `times` says."""
    first, all_records = members.modal_count * times, members.block_size * times
    both = np.concatenate([first, all_records - first])
    kinds = np.arange(len(times))
    block, value = np.tile(kinds, 2), np.repeat([0, 1], len(kinds))
    occurs = both > 0
    return ValueCounts(block[occurs], value[occurs], both[occurs])


def _diversity(profile: BlockProfile) -> ValueMeasures:
    """Return what follows from the least number of values of a block."""
    least = int(profile.n_distinct.min())
    if least == 1:
        return {ENTROPY: 1.0, RECURSIVE_2: None, RECURSIVE_3: None}
    rest = profile.block_size - profile.modal_count
    found: ValueMeasures = {RECURSIVE_2: largest_sum((profile.modal_count, rest))}
    return found | ({RECURSIVE_3: None} if least == 2 else {})


def _reached(
    profile: BlockProfile, domain: SensitiveDomain, marked: Sequence[Marked]
) -> dict[str, int]:
    """Return how far the farthest block is, at least, by each distance."""
    has_pure = bool((profile.n_distinct == 1).any())
    reached = {
        name: int(at.min()) if has_pure else -1 for name, at in domain.distances.items()
    }
    for mark, blocks in marked:
        if mark.has_pure_block(blocks):
            for name, at in domain.distances.items():
                reached[name] = max(reached[name], int(at[mark.is_member].min()))
    return reached


BYTES_A_ROW = 200  # What a row needs while rows are merged, with a dozen QIDs
ROWS = 0.4  # Share of the memory that rows may take


def measured_values(
    people: Given, blocks: Path, analysis: Anonymity, resources: Resources
) -> dict[tuple[str, QidMask], ValueMeasures]:
    n_columns = len(analysis.qids) + len(analysis.sensitive)
    memory = Memory(resources, f"analysis {analysis.name!r}")
    chunks, memory = memory.chunks(people, n_columns)
    records = records_of(chunks, analysis, memory)
    domains = domains_of(records, analysis)
    found = _from_profiles(blocks, domains)
    most_rows = int(ROWS * resources.memory_mib * MIB / BYTES_A_ROW)
    return {
        (name, subset): measures
        for i, name in enumerate(analysis.sensitive)
        for subset, measures in completed(
            records, i, domains[i], found[i], most_rows
        ).items()
    }


def _from_profiles(
    blocks: Path, domains: Sequence[SensitiveDomain]
) -> list[dict[QidMask, Decided]]:
    marks = marks_of(domains)
    found: list[dict[QidMask, Decided]] = [{} for _ in domains]
    for subset, profiles in read_profiles(blocks):
        if subset:
            for i, domain in enumerate(domains):
                mine = [m for m in marked_in(profiles, marks) if m[0].sensitive == i]
                found[i][subset] = decided(profiles[i], domain, mine)
    return found


def completed(
    records: Records,
    sensitive: int,
    domain: SensitiveDomain,
    known: Mapping[QidMask, Decided],
    most_rows: int,
) -> dict[QidMask, ValueMeasures]:
    """Return all measures of a sensitive attribute, for each subset."""
    # Records are read, and grouped, for those that are not decided.
    left = {subset: part for subset, part in known.items() if part.reached}
    # What is decided, and how far some block is by the other distances.
    found = {
        subset: part.measures
        | {
            name: Fraction(far, domain.scale(name))
            for name, far in part.reached.items()
        }
        for subset, part in known.items()
    }

    def visit(subset: QidMask, rows: ValueRows) -> ValueRows:
        # Without blocks of which no value is farther than some block is. None is left
        # out where all blocks count, as no block has one value only.
        part, is_far = left[subset], np.zeros(len(domain.counts), dtype=bool)
        for name, reached in part.reached.items():
            is_far |= domain.distances[name] > reached
        rows = rows.where(rows.has_in_block(is_far[rows.value]))
        for name, value in _measured(rows, part, domain).items():
            before = found[subset].get(name, value)
            assert value is not None and before is not None
            worse = min if name == ENTROPY else max
            found[subset][name] = worse(before, value)
        return rows

    visit_values(records, sensitive, left.keys(), visit, most_rows)
    return found


def _measured(rows: ValueRows, part: Decided, domain: SensitiveDomain) -> ValueMeasures:
    counts = rows.counts
    names = [name for name in DIVERSITIES if name not in part.measures]
    found = measured(counts, names)
    distances = [name for name in DISTANCES if name in part.reached]
    return found | measured(_with_rest(counts, domain), distances)


def _with_rest(counts: ValueCounts, domain: SensitiveDomain) -> ValueCounts:
    """Add the records of all other blocks, as one block, so that the table is whole."""
    # It is no farther than the farthest of them, which is not farther than what is
    # known, or visited with other rows.
    rest = domain.counts - kind_sums(counts.value, counts.count, len(domain.counts))
    values = np.flatnonzero(rest)
    number = counts.block.max(initial=0) + 1
    return ValueCounts(
        np.append(counts.block, np.full(len(values), number)),
        np.append(counts.value, values),
        np.append(counts.count, rest[values]),
    )
