"""What statistics of groups prove about the values of each cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import Final

import numpy as np

from microleak.attacks.query_answers.definitions import (
    LARGEST,
    LEAST,
    Answer,
    AnswerSystem,
    OrderedSum,
    SquareSum,
    StepsProof,
)
from microleak.attacks.query_answers.published import (
    MOST_RECORDS,
    NO_END,
    PublishedGroup,
)
from microleak.attacks.query_answers.search import Narrowed, ValueSearch, points
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.arrays import Integers
from microleak.study_file.published import VARIANCE

MOST_TABLES: Final = 100
"""Tables of how many persons each cell has that are tried, at most."""

_FAR = 1 << 40


@dataclass(frozen=True)
class ValueClaim:
    """Least and largest of a value, each with its proof unless bounds tell."""

    least: int
    largest: int
    proofs: tuple[StepsProof | None, StepsProof | None]
    is_exact: bool  # Whether values that fit take both


@dataclass(frozen=True)
class CountedTable:
    """A table of how many persons each cell has, and what is proved of their values."""

    system: AnswerSystem  # Values and answers
    search: ValueSearch  # Values that fit, and bounds that the answers narrow
    refuted: StepsProof | None  # A proof that there are none
    claims: tuple[ValueClaim, ...]  # Of each value otherwise
    databases: tuple[Integers, ...]  # Values that fit, some
    every: StepsProof | None


@dataclass(frozen=True)
class RebuiltRegion:
    """What is proved of a region."""

    counts: AnswerSystem  # What is said of how many persons each cell has
    every: StepsProof  # A proof that these are only those of `tables`
    tables: tuple[CountedTable, ...]  # Each of them

    @property
    def possible(self) -> list[CountedTable]:
        """Tables that are not refuted."""
        return [table for table in self.tables if table.refuted is None]


def rebuild(
    answers: Sequence[PublishedGroup], n_cells: int, analysis: QueryAnswers
) -> RebuiltRegion | None:
    """Return what is proved of a region, None if it is too large to be tried."""
    found = _tables(answers, n_cells)
    if found is None:
        return None
    counts, tables, every = found
    tried = [_counted(table, answers, analysis) for table in tables]
    return RebuiltRegion(counts, every, tuple(tried))


def _tables(
    answers: Sequence[PublishedGroup], n_cells: int
) -> tuple[AnswerSystem, list[Integers], StepsProof] | None:
    counts = AnswerSystem(
        (1,) * n_cells,
        tuple(OrderedSum(a.cells, 1, len(a.cells), *a.count) for a in answers),
    )
    none, any_number = np.zeros(n_cells, dtype=np.int64), np.full(n_cells, _FAR)
    box = Narrowed(counts, none, any_number)
    if box.beyond is None and max(box.high.max(), box.low.sum()) > MOST_RECORDS:
        return None
    tables, every = points(counts, none, any_number, MOST_TABLES)
    if every is None or any(table.sum() > MOST_RECORDS for table in tables):
        return None
    return counts, tables, every


def is_contradictory(answers: Sequence[PublishedGroup], analysis: QueryAnswers) -> bool:
    """Whether it is proved that no values fit some answers."""
    # Combinations that no answer is of may have nobody. Answers that are of others that
    # may have any number are not looked at.
    counted = [a.cells for a in answers if a.count[1] < NO_END]
    if not counted:
        return False
    cells = np.unique(np.concatenate(counted))
    judged, n_parts = _by_parts([a for a in answers if np.isin(a.cells, cells).all()])
    found = _tables(judged, n_parts)
    return found is not None and all(
        isinstance(_searched(table, judged, analysis)[2], StepsProof)
        for table in found[1]
    )


def _by_parts(answers: Sequence[PublishedGroup]) -> tuple[list[PublishedGroup], int]:
    """Return answers of parts, in each of which all cells have the same answers."""
    answers_of: dict[int, list[int]] = {}
    for number, answer in enumerate(answers):
        for cell in answer.cells.tolist():
            answers_of.setdefault(cell, []).append(number)
    parts = sorted({tuple(each) for each in answers_of.values()})
    cells: list[list[int]] = [[] for _ in answers]
    for part, numbers in enumerate(parts):
        for number in numbers:
            cells[number].append(part)
    return [
        replace(a, cells=np.array(own, dtype=np.int64))
        for a, own in zip(answers, cells, strict=True)
    ], len(parts)


def _counted(
    table: Integers, answers: Sequence[PublishedGroup], analysis: QueryAnswers
) -> CountedTable:
    system, search, first = _searched(table, answers, analysis)
    n = int(table.sum())
    if isinstance(first, StepsProof):
        return CountedTable(system, search, first, (), (), None)
    claims = []
    for value in range(n):
        bounds = [search.bound(value, sign) for sign in (LEAST, LARGEST)]
        (low_, below, is_least), (high_, above, is_largest) = bounds
        claims.append(ValueClaim(low_, high_, (below, above), is_least and is_largest))
    low = np.array([claim.least for claim in claims], dtype=np.int64)
    high = np.array([claim.largest for claim in claims], dtype=np.int64)
    databases, every = points(system, low, high)
    known = {values.tobytes() for values in databases}
    others = {values.tobytes(): values for values in search.found}
    databases += [values for key, values in others.items() if key not in known]
    return CountedTable(system, search, None, tuple(claims), tuple(databases), every)


def _searched(
    table: Integers, answers: Sequence[PublishedGroup], analysis: QueryAnswers
) -> tuple[AnswerSystem, ValueSearch, Integers | StepsProof | None]:
    said = []
    cell_of = np.repeat(np.arange(len(table)), table)
    for answer in answers:
        asked = np.flatnonzero(np.isin(cell_of, answer.cells))
        said += [*_said(answer, asked, analysis.scale)]
    system = AnswerSystem(tuple(table.tolist()), tuple(said))
    n, least = int(table.sum()), analysis.least * analysis.scale
    low = np.full(n, least, dtype=np.int64)
    search = ValueSearch(system, low, low + analysis.n_values - 1)
    return system, search, search.values(search.root.low, search.root.high)


def _said(group: PublishedGroup, asked: Integers, scale: int) -> Iterator[Answer]:
    """Yield what statistics of a group say of its values in units."""
    n, sums = len(asked), []
    for name, (low, high) in group.numbers.items():
        if name == VARIANCE:
            continue
        answer = ranked(name, asked, low * scale, high * scale)
        if name in ("sum", "mean"):
            sums.append((answer.low, answer.high))
        yield answer
    if VARIANCE in group.numbers:
        low, high = (each * (n * scale) ** 2 for each in group.numbers[VARIANCE])
        lows, highs = zip(*sums, strict=True) if sums else ((), ())
        total = (max(lows), min(highs)) if sums else None
        yield SquareSum(asked, ceil(low), floor(high), total)


def ranked(name: str, members: Integers, low: Fraction, high: Fraction) -> OrderedSum:
    """Return what a statistic of some values says, as a sum of values in their order.

    >>> ranked("median", np.arange(4), Fraction(30), Fraction(61, 2))
    OrderedSum(members=array([0, 1, 2, 3]), first=2, last=3, low=60, high=61)
    """
    n = len(members)
    first, last, times = {
        "sum": (1, n, 1),
        "mean": (1, n, n),
        "median": ((n + 1) // 2, n // 2 + 1, 2 - n % 2),
        "min": (1, 1, 1),
        "max": (n, n, 1),
    }[name]
    return OrderedSum(members, first, last, ceil(low * times), floor(high * times))
