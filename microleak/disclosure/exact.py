"""That whole numbers fit no rows, shown by their bounds alone and without a solver.

Each row narrows the bounds of its numbers to what the others leave it, in whole
numbers, until nothing changes or one is left no value. What is not settled so is tried
with each value of a number that has two.
"""

from collections.abc import Sequence
from typing import Final

from microleak.disclosure.book import Book, Row

MOST_CASES: Final = 64
"""Cases that are tried, so that it ends."""

MOST_PASSES: Final = 20
FURTHER: Final = 20_000
"""Rows are read so often in each case, all of them; and so many more."""


def contradict(book: Book, rows: Sequence[Row]) -> bool:
    """Say whether rows surely contradict one another; if not, they may all the same.

    Parameters
    ----------
    book
        Its numbers and their bounds hold.
    rows
        Rows of which it is asked whether no whole numbers fit all of them.
    """
    asked = rows[-1].sum.factors.keys() if rows else ()
    near = (row for row in rows if asked & row.sum.factors.keys())
    numbers = dict.fromkeys(n for row in near for n in row.sum.factors)
    cases = [([*book.low], [*book.high])]
    for n_cases in range(1, MOST_CASES + 1):
        low, high = cases.pop()
        if _narrowed(low, high, rows):
            two = (n for n in numbers if (low[n], high[n]) == (0, 1))
            if (number := next(two, None)) is None:
                return False
            for value in (0, 1):
                one = [*low], [*high]
                one[0][number] = one[1][number] = value
                cases.append(one)
        if not cases:
            return True
        if n_cases + len(cases) > MOST_CASES:
            return False
    return False


def _narrowed(low: list[int], high: list[int], rows: Sequence[Row]) -> bool:
    """Narrow bounds by rows; say whether each number is left a value."""
    of_number: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        for n in row.sum.factors:
            of_number.setdefault(n, []).append(place)
    waiting = dict.fromkeys(range(len(rows)))
    for _ in range(MOST_PASSES * len(rows) + FURTHER):
        if not waiting:
            break
        place = next(iter(waiting))
        del waiting[place]
        changed = _narrow(low, high, rows[place])
        if changed is None:
            return False
        waiting.update(dict.fromkeys(p for n in changed for p in of_number[n]))
    return True


def _narrow(low: list[int], high: list[int], row: Row) -> list[int] | None:
    """Narrow bounds by one row; return whose changed, None if no values fit it."""
    factors, constant = row.sum
    ends = (
        (high[n] if factor > 0 else low[n]) * factor for n, factor in factors.items()
    )
    most = constant + sum(ends)
    if most < 0:
        return None
    changed = []
    for n, factor in factors.items():
        if factor > 0 and high[n] - most // factor > low[n]:
            low[n] = high[n] - most // factor
            changed.append(n)
        if factor < 0 and low[n] + most // -factor < high[n]:
            high[n] = low[n] + most // -factor
            changed.append(n)
    return changed
