"""Which columns of a table are looked at unasked, and which sets identify most."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import pandas as pd
import pyarrow as pa

from microleak.base.errors import StudyError
from microleak.definitions.profile import SUCCESSES
from microleak.records.chunks import TableChunks
from microleak.records.coding import FEW_ROWS, UNIQUE, are_dates, dictionaries_of
from microleak.records.subsets import MOST_QIDS

SIZES = (1, 2, 3)
"""Numbers of columns of the sets that are looked at, unless others are given."""

MOST_SETS, MOST_CELLS = 20_000, 1_000_000_000
"""Sets, and sets times records, counted at most: about a minute of one core."""

N_PROPOSED = 5
"""Sets of each number of columns that are proposed."""

QID, IDENTIFIER, CONSTANT = "qid", "identifier", "constant"
NOT_TRIED, NO_EQUALITY = "not tried", "no equality"
"""What a column is taken for."""


@dataclass(frozen=True)
class ProposedColumn:
    """A column, by how its values are spread over the records."""

    name: str
    # Records, and distinct values, a missing one among them
    n_records: int
    n_distinct: int
    n_alone: int  # Records whose value no other one has
    is_date: bool = False

    @property
    def role(self) -> str:
        """What it is before others are looked at."""
        if self.n_distinct == 1:
            return CONSTANT
        if self.is_date:
            return QID
        if self.n_records < FEW_ROWS:
            return IDENTIFIER if self.n_distinct == self.n_records else QID
        return IDENTIFIER if self.n_distinct >= UNIQUE * self.n_records else QID


def attributes_of(table: pa.Table, n_threads: int = 1) -> list[ProposedColumn]:
    """Return the columns of a table in memory, in its order."""
    known = dictionaries_of(TableChunks(table), table.column_names, n_threads)
    return [
        ProposedColumn(
            name,
            len(table),
            len(each.counts),
            int((each.counts == 1).sum()),
            are_dates(each.values),
        )
        for name, each in known.items()
    ]


def tried(
    attributes: Sequence[ProposedColumn], sizes: Collection[int]
) -> tuple[str, ...]:
    """Return the columns of which all sets of some sizes are counted, in their order.

    Constants, which identify nobody, and columns with a value of its own for each
    record, which identify everybody and are no dates, are left out. Of the others so
    many are tried that there are no more sets than `MOST_SETS`, nor more sets times
    records than `MOST_CELLS`: those with most records alone, then with most values,
    then the first.

    >>> age, town = ProposedColumn("age", 9, 5, 3), ProposedColumn("town", 9, 1, 0)
    >>> tried([town, age], sizes=(1, 2, 3))
    ('age',)
    """
    left = [each for each in attributes if each.role == QID]
    if not left:
        raise StudyError(
            "assess: every column is constant or has a value of its own for each "
            "record, so there is no set to propose. Give the columns to look at, qids."
        )
    n_sets = min(MOST_SETS, MOST_CELLS // left[0].n_records)
    n = max(n for n in range(1, MOST_QIDS + 1) if n == 1 or _n_sets(n, sizes) <= n_sets)
    first = sorted(left, key=lambda each: (-each.n_alone, -each.n_distinct))[:n]
    return tuple(each.name for each in left if each in first)


def _n_sets(n: int, sizes: Collection[int]) -> int:
    return sum(comb(n, size) for size in sizes)


def roles(
    attributes: Sequence[ProposedColumn], qids: Collection[str]
) -> Iterator[dict[str, str | int]]:
    """Yield what each column was taken for, given those that were tried."""
    for each in attributes:
        left_out = NOT_TRIED if each.role == QID else each.role
        yield {
            "attribute": each.name,
            "role": QID if each.name in qids else left_out,
            "n_records": each.n_records,
            "n_distinct": each.n_distinct,
            "n_alone": each.n_alone,
        }


def proposed(collective: pd.DataFrame) -> pd.DataFrame:
    """Return the sets of each size that identify, or tell, most, the first of equals.

    For each attack those with most records found with certainty; of these, those with
    the highest chance of a guess.
    """
    by = ["sensitive", "n_qids", *SUCCESSES.values()]
    order = collective.assign(sensitive=pd.factorize(collective["sensitive"])[0])[by]
    ascending = [True, True, *(False for _ in SUCCESSES)]
    sorted_ = order.sort_values(by, ascending=ascending, kind="stable")
    best = sorted_.groupby(["sensitive", "n_qids"], sort=False).head(N_PROPOSED)
    return collective.loc[best.index]
