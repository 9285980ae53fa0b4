"""Subsets of an analysis's QIDs: which are wanted, their names, tree and cost.

Measured with the twin of the School Census 2018, 11 QIDs, all 2,047 subsets and
two sensitive attributes, on two cores: 48.2 million records took 104 s and
86 MB of profiles, 4.8 million 23 MB and 50 thousand 1.5 MB.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations
from math import comb
from operator import or_
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np

from microleak.base.arrays import Codes, Integers, QidMask
from microleak.base.errors import StudyError

N_RECORDS, N_SUBSETS = 48_176_423, 2_047
"""The records and subsets of the measurement."""

N_CORES = 2
SECONDS_A_CELL = 104 / (N_RECORDS * N_SUBSETS)
"""Time for one record in one subset: both count in full."""

BYTES_A_SUBSET = 42_000
GROWTH = 0.58
"""Profiles grow with this power of the number of records, as block sizes repeat."""

MILLION = 1_000_000

_TIMES = {"years": 31_556_952, "days": 86_400, "h": 3_600, "min": 60, "s": 1}
_SIZES = {
    "EB": 10**18,
    "PB": 10**15,
    "TB": 10**12,
    "GB": 10**9,
    "MB": 10**6,
    "kB": 1000,
}


@dataclass(frozen=True)
class Cost:
    """What the profiles of some records and subsets cost.

    >>> str(profile_cost(48_176_423, 2_047))
    'about 2 min and 86 MB'
    """

    seconds: float  # Time of the step profile on a machine of `N_CORES` cores
    n_bytes: float  # Size of the file of profiles

    def __str__(self) -> str:
        time = _largest_unit(self.seconds, _TIMES)
        return f"about {time} and {_largest_unit(self.n_bytes, _SIZES)}"


def profile_cost(n_records: int, n_subsets: int) -> Cost:
    seconds = SECONDS_A_CELL * n_records * n_subsets
    n_bytes = BYTES_A_SUBSET * n_subsets * (n_records / N_RECORDS) ** GROWTH
    return Cost(seconds, n_bytes)


def cost_of_a_million(n_subsets: int) -> str:
    """Return what a million records cost; more of them take less disk each.

    >>> cost_of_a_million(2_047)
    'about 2 s and 9 MB for a million records'
    """
    return f"{profile_cost(MILLION, n_subsets)} for a million records"


def _largest_unit(amount: float, units: dict[str, int]) -> str:
    fitting = ((unit, size) for unit, size in units.items() if amount >= size)
    unit, size = next(fitting, list(units.items())[-1])
    return f"{float(f'{max(1, amount / size):.2g}'):,.0f} {unit}"


MOST_SUBSETS = 1 << 17
"""More subsets than this are refused: their profiles would fill a disk."""

MOST_QIDS = 62
"""So many bits hold a subset in a signed integer of 64 bits, with one to spare."""


def subsets_of(n_qids: int, wanted: Any, where: str) -> tuple[QidMask, ...]:
    if n_qids > MOST_QIDS:
        raise StudyError(
            f"{where}: {n_qids} QIDs are more than the {MOST_QIDS} that an analysis "
            "can have. Use fewer QIDs."
        )
    sizes = _subset_sizes(n_qids, wanted)
    if max(sizes) > n_qids:
        raise StudyError(
            f"{where}: subsets of {max(sizes)} QIDs are wanted, but there are only "
            f"{n_qids}. Correct subsets.sizes."
        )
    n_subsets = sum(comb(n_qids, size) for size in sizes)
    if n_subsets > MOST_SUBSETS:
        raise StudyError(
            f"{where}: {n_qids} QIDs have {n_subsets:,} subsets of the sizes wanted, "
            f"more than {MOST_SUBSETS:,}: their profiles would take "
            f"{cost_of_a_million(n_subsets)}. Use fewer QIDs or, for example, "
            "subsets: {sizes: [1, 2]}."
        )
    return tuple(
        sum(1 << qid for qid in chosen)
        for size in sizes
        for chosen in combinations(range(n_qids), size)
    )


def _subset_sizes(n_qids: int, wanted: Any) -> Sequence[int]:
    if wanted == "all":
        return range(1, n_qids + 1)
    if isinstance(wanted, Mapping):
        return sorted(wanted["sizes"])
    return [n_qids]


def which(analysis: Any, names: Sequence[str]) -> dict[str, Any]:
    """Return the columns that say which analysis a row is of, and with which QIDs."""
    of_release = {n: getattr(analysis, n) for n in ("table", "focal")}
    qids = {"qids": "|".join(names), "n_qids": len(names)}
    return {"analysis": analysis.name, **of_release, **qids}


def names_of(subset: QidMask, qids: Sequence[str]) -> list[str]:
    return [name for i, name in enumerate(qids) if subset >> i & 1]


def spread_over_columns(subset: QidMask, qid_of: Sequence[int]) -> QidMask:
    """Return the columns of a panel that have values of a subset's QIDs.

    >>> bin(spread_over_columns(0b01, [0, 0, 1]))
    '0b11'
    """
    return sum(1 << i for i, qid in enumerate(qid_of) if subset >> qid & 1)


MOST_BLOCKS = 2**62
"""Numbers of blocks are below it; blocks are numbered anew before they exceed it."""


class Divisible(Protocol):
    """Rows in blocks by the QIDs that are used up, with the codes of others."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by one more QID, which is used up."""

    def only(self, qids: Sequence[int]) -> Self:
        """Return rows that have forgotten all but some of the QIDs not used up."""


@dataclass(frozen=True)
class BlockRows:
    """Rows that are `Divisible`, with the number of each one's block."""

    block: Integers  # Number of each row's block
    n_blocks: int  # The bound of these
    qids: Mapping[int, Codes]  # Codes of the other QIDs, by position
    n_codes: Sequence[int]  # Number of codes of each QID

    @property
    def n_rows(self) -> int:
        return len(self.block)

    def split(self, qid: int) -> Self:
        block, n_blocks = joined_numbers(
            self.block, self.n_blocks, self.qids[qid], self.n_codes[qid]
        )
        rest = {other: codes for other, codes in self.qids.items() if other != qid}
        return replace(self, block=block, n_blocks=n_blocks, qids=rest)

    def only(self, qids: Sequence[int]) -> Self:
        return replace(self, qids={qid: self.qids[qid] for qid in qids})


RowsType = TypeVar("RowsType", bound=Divisible)


@dataclass(frozen=True)
class SubsetTree(Generic[RowsType]):
    """Visits subsets from the most identifying QID on, fewer QIDs before more."""

    order: Sequence[int]  # All QIDs, the most identifying first
    visit: Callable[[QidMask, RowsType], RowsType]

    def first_of(self, wanted: Collection[QidMask], has: QidMask = 0) -> int:
        """Return the most identifying QID that a wanted subset has beyond some."""
        beyond = union_of_subsets(wanted) & ~has
        return next(qid for qid in self.order if beyond >> qid & 1)

    def descend(
        self, rows: RowsType, has: QidMask, wanted: Collection[QidMask]
    ) -> None:
        if has in wanted:
            rows = self.visit(has, rows)
        left = {subset for subset in wanted if subset != has}
        while left and rows.n_rows:
            rows = rows.only(qid_positions(union_of_subsets(left) & ~has))
            first = self.first_of(left, has)
            mine = with_qid(left, first)
            self.descend(rows.split(first), has | 1 << first, mine)
            left -= mine


def most_identifying_first(n_codes: Sequence[int]) -> list[int]:
    return sorted(range(len(n_codes)), key=lambda qid: (-n_codes[qid], qid))


def union_of_subsets(subsets: Collection[QidMask]) -> QidMask:
    return reduce(or_, subsets, 0)


def qid_positions(subset: QidMask) -> list[int]:
    return [qid for qid in range(subset.bit_length()) if subset >> qid & 1]


def with_qid(subsets: Collection[QidMask], qid: int) -> set[QidMask]:
    return {subset for subset in subsets if subset >> qid & 1}


def joined_numbers(
    left: Integers, n_left: int, right: Codes, n_right: int
) -> tuple[Integers, int]:
    """Return a number for each pair of numbers, and the bound of these.

    >>> joined_numbers(np.array([0, 1, 1]), 2, np.array([2, 0, 2]), 3)
    (array([2, 3, 5]), 6)
    """
    if n_left * n_right > MOST_BLOCKS:
        each, left = np.unique(left, return_inverse=True)
        n_left = len(each)
    return left * n_right + right, n_left * n_right
