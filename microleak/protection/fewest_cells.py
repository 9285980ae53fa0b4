"""How few cells local suppression must take, by integer programs.

A *pattern* is a row as a block would have it after suppression. Its *guests* are the
records that can become alike with it, by losing cells; unless they meet the target, it
is no block. Records that are exempt from it lose none and go to no pattern.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, isfinite

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.base.arrays import Codes, Integers, Mask
from microleak.base.highs import Entries, linear_program, whole_solver
from microleak.definitions.exact import kind_sums
from microleak.protection.methods import blocks_and_sizes
from microleak.protection.rows import (
    BlockTarget,
    Groups,
    Rows,
    group_least,
    grouped_rows,
)
from microleak.protection.search import Pieces

MOST_OPTIONS = 1 << 16
"""Options of a table up to which programs are tried; more keep the plain bound."""

MOST_OF_PROGRAM = 1 << 13
"""Options up to which the linear program of a part is solved."""

MOST_OF_EXACT = 1 << 10
"""Options up to which a part, or a whole table, is solved in whole numbers."""

MOST_PRICES = 3
"""Prices of being exempt that are tried."""

MOST_NODES = 20
"""Nodes of the search in whole numbers, so that it ends."""

TOLERANCE = 0.01
"""What rounding may add to a solver's bound, many times over; cells are whole."""

NOWHERE = -1
"""The pattern of records that go to no pattern of the program."""


Reals = NDArray[np.float64] | NDArray[np.int64]


@dataclass(frozen=True)
class RowOptions:
    """What records may become: one entry a row and pattern."""

    rows: Integers
    patterns: Integers
    kept: NDArray[np.uint64]  # Set of attributes that the pattern has
    n_lost: Integers  # Cells that a record of the row loses

    def of(self, chosen: Mask | Integers) -> "RowOptions":
        return RowOptions(*(column[chosen] for column in vars(self).values()))

    def joined(self, other: "RowOptions") -> "RowOptions":
        return RowOptions(*map(np.append, vars(self).values(), vars(other).values()))


@dataclass(frozen=True)
class Program:
    """Records to be sent to patterns, which are open as the target says or closed."""

    # By option: whose records, where to, at how many cells each, and how many at most
    sources: Integers
    patterns: Integers
    n_lost: Integers
    most: Integers
    # By source, how many of its records go anywhere
    n_least: Integers
    n_most: Integers
    target: BlockTarget
    values: tuple[Codes, ...] = ()


def at_least(rows: Rows, target: BlockTarget, pieces: Pieces, alone: Integers) -> int:
    """Return how many cells any solution takes at least, as far as can be shown.

    It is the sum of what records lose alone, or more by programs of patterns that cost
    one cell at most, two, and so on: records may also go elsewhere at one cell more,
    and records of blocks that meet the target may help, so that every solution is one
    of the program. Each exempt record has a price, and that of as many as may be is
    taken from the sum (Lagrange): no solution costs less, whatever the price.
    """
    if not target.n_exempt:
        return _at_least(rows, target, pieces.n_cells(rows), alone, None)
    free = dearest_alone(rows, target, alone)
    return max(
        _at_least(rows, target, pieces.n_cells(rows), alone, price)
        for price in range(free, min(free + MOST_PRICES, rows.n_attributes + 1))
    )


def dearest_alone(rows: Rows, target: BlockTarget, alone: Integers) -> int:
    """Return what the dearest record loses of those who are not exempt, alone."""
    of_cost = np.bincount(alone, rows.counts)[::-1].cumsum()
    n_dearer = int(np.searchsorted(of_cost, target.n_exempt, side="right"))
    return max(0, len(of_cost) - 1 - n_dearer)


def _at_least(
    rows: Rows, target: BlockTarget, n_cells: int, alone: Integers, price: int | None
) -> int:
    """Return the largest bound of all programs where it costs so much to be exempt."""
    least, given = alone, 0
    if price is not None:
        least, given = np.minimum(alone, price), price * target.n_exempt
    best = int((least * rows.counts).sum()) - given
    is_small = ~target.is_met_by(rows)
    for n_lost in range(1, rows.n_attributes + 1):
        if best == n_cells:
            break
        options = options_of(rows, target, n_lost, is_small)
        if options is None:
            break
        stage = _Stage(rows, target, is_small, least, n_lost, price)
        best = max(best, stage.bound(options) - given)
    return best


def options_of(
    rows: Rows, target: BlockTarget, n_lost: int, whose: Mask
) -> RowOptions | None:
    """Return options of all rows by the most cells they cost some; None of too many."""
    sizes = range(rows.n_attributes + 1)
    is_tried = all(rows.tries_all(size) for size in sizes)
    if not is_tried or len(rows.counts) > MOST_OPTIONS:
        return None
    everyone = np.arange(len(rows.counts))
    none = everyone[:0]
    found = [RowOptions(none, none, none.astype(np.uint64), none)]
    n_patterns = n_options = 0
    for kept in (kept for size in sizes for kept in rows.subsets(size)):
        guests = rows.having(everyone, kept)
        n_own = rows.n_known[guests] - kept.bit_count()
        is_near = whose[guests] & (n_own <= n_lost)
        if not is_near.any():
            continue
        groups = grouped_rows(rows.kept(guests, kept))
        is_pattern = target.is_met(groups, rows.counts[guests], rows.values_of(guests))
        is_pattern &= groups.sums(is_near.astype(np.int64)) > 0
        chosen = is_pattern[groups.each]
        number = n_patterns + np.cumsum(is_pattern) - 1
        n_patterns += int(is_pattern.sum())
        n_options += int(chosen.sum())
        if n_options > MOST_OPTIONS:
            return None
        patterns = number[groups.each[chosen]]
        kept_by = np.full(len(patterns), kept, dtype=np.uint64)
        found.append(RowOptions(guests[chosen], patterns, kept_by, n_own[chosen]))
    parts = zip(*(vars(options).values() for options in found), strict=True)
    return RowOptions(*map(np.concatenate, parts))


@dataclass(frozen=True)
class _Stage:
    # The table, and what each block has
    rows: Rows
    target: BlockTarget
    is_small: Mask  # Rows whose block does not meet the target: they must go
    alone: Integers
    n_lost: int  # Cells that patterns cost those of `is_small` at most
    price: int | None  # What it costs to be exempt, if that can be

    def bound(self, options: RowOptions) -> int:
        alone_of = self.alone * self.rows.counts
        is_apart = self.is_small.copy()
        total = 0
        for part in _independent_parts(self.rows, options, self.is_small):
            inside = np.unique(part.rows[self.is_small[part.rows]])
            is_apart[inside] = False
            own = int(alone_of[inside].sum())
            if len(part.rows) <= MOST_OF_PROGRAM:
                own = max(own, _cells_at_least(self._relaxed(part)))
            total += own
        return total + int(alone_of[is_apart].sum())

    def _relaxed(self, part: RowOptions) -> Program:
        """Return the program of a part: who is small must go, any others may help."""
        rows, is_small = self.rows, self.is_small[part.rows]
        small, own = np.unique(part.rows[is_small], return_inverse=True)
        n, going = rows.counts[small], part.of(is_small)
        helpers, helping = self._alike(part.of(~is_small))
        number = len(small) + np.arange(len(helping))
        # k - 1 are of use to a pattern at most, as k of them need no one's help.
        most_helping = np.minimum(helping, max(self.target.k - 1, 1))
        parts = [
            (own, going.patterns, going.n_lost, n[own], going.rows),
            (number, helpers.patterns, helpers.n_lost, most_helping, helpers.rows),
        ]
        if self.n_lost < rows.n_attributes or self.price is not None:
            cost = np.maximum(self.alone[small], self.n_lost + 1)
            cost = cost if self.price is None else np.minimum(cost, self.price)
            nowhere = np.full(len(small), NOWHERE)
            parts.append((np.arange(len(small)), nowhere, cost, n, small))
        sources, patterns, costs, most, whose = map(
            np.concatenate, zip(*parts, strict=True)
        )
        n_least, n_most = np.append(n, np.zeros_like(helping)), np.append(n, helping)
        target, values = replace(self.target, n_exempt=0), rows.values_of(whose)
        return Program(sources, patterns, costs, most, n_least, n_most, target, values)

    def _alike(self, helpers: RowOptions) -> tuple[RowOptions, Integers]:
        """Return one option of all that help alike, and how many records these have."""
        of_values = self.rows.values_of(helpers.rows)
        place, alike = blocks_and_sizes([helpers.patterns, helpers.n_lost, *of_values])
        first = group_least(place, np.arange(len(place)), len(alike))
        n = kind_sums(place, self.rows.counts[helpers.rows], len(alike))
        return helpers.of(first), n


def _independent_parts(
    rows: Rows, options: RowOptions, is_small: Mask
) -> Iterator[RowOptions]:
    n_patterns = int(options.patterns.max(initial=-1)) + 1
    label = np.arange(n_patterns)
    own = is_small[options.rows]
    of_row, of_pattern = options.rows[own], options.patterns[own]
    while True:
        least = np.full(len(rows.counts), n_patterns)
        np.minimum.at(least, of_row, label[of_pattern])
        new = label.copy()
        np.minimum.at(new, of_pattern, least[of_row])
        np.minimum.at(new, label, new.copy())
        new = new[new]
        if (new == label).all():
            break
        label = new
    of_option = label[options.patterns]
    order = np.argsort(of_option, kind="stable")
    starts = np.flatnonzero(np.diff(of_option[order], prepend=-1))
    ends = np.append(starts, len(order))[1:]
    for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
        yield options.of(order[start:end])


def fewest_cells(rows: Rows, target: BlockTarget) -> tuple[Pieces | None, int]:
    """Return a solution of few cells, and how many any solution takes at least.

    Both are of the program of all patterns in whole numbers; None and 0 of a larger
    table.
    """
    everybody = np.arange(len(rows.counts))
    whose = np.ones(len(everybody), dtype=bool)
    options = options_of(rows, target, rows.n_attributes, whose)
    if options is None or len(options.rows) > MOST_OF_EXACT:
        return None, 0
    if target.n_exempt:
        nowhere = np.full(len(everybody), NOWHERE)
        nothing = np.zeros_like(everybody)
        options = options.joined(RowOptions(everybody, nowhere, rows.known, nothing))
    n, values = rows.counts, rows.values_of(options.rows)
    most = n[options.rows]
    program = Program(
        options.rows, options.patterns, options.n_lost, most, n, n, target, values
    )
    solver = _solved(program, is_whole=True)
    bound = _rounded_up(solver.getInfo().mip_dual_bound)
    solution = solver.getSolution()
    if not solution.value_valid:
        return None, bound
    sent = np.rint(solution.col_value).astype(np.int64)[: len(most)]
    if not _is_solution(program, sent):
        return None, bound
    some = sent > 0
    return Pieces(options.rows[some], options.kept[some], sent[some]), bound


def _is_solution(program: Program, sent: Integers) -> bool:
    target, n_sources = program.target, len(program.n_most)
    is_all = kind_sums(program.sources, sent, n_sources) == program.n_most
    n_exempt = int(sent[program.patterns == NOWHERE].sum())
    some = np.flatnonzero((sent > 0) & (program.patterns != NOWHERE))
    used, place = np.unique(program.patterns[some], return_inverse=True)
    values = [column[some] for column in program.values]
    are_blocks = target.is_met(Groups(place, len(used)), sent[some], values)
    return bool(is_all.all() and are_blocks.all()) and n_exempt <= target.n_exempt


def _cells_at_least(program: Program) -> int:
    solver = _solved(program, is_whole=False)
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return 0
    found = _rounded_up(solver.getInfo().objective_function_value)
    if len(program.sources) > MOST_OF_EXACT:
        return found
    solver = _solved(program, is_whole=True)
    return max(found, _rounded_up(solver.getInfo().mip_dual_bound))


def _rounded_up(value: float) -> int:
    return max(0, ceil(value - TOLERANCE)) if isfinite(value) else 0


def _solved(program: Program, is_whole: bool) -> highspy.Highs:
    """Return what has solved a program, in whole numbers or in any.

    After a variable an option, the records that take it, comes one a pattern, whether
    it is open. After a row a source, its records, comes one a pattern, the k of them if
    it is open, and one an option, nobody if it is not; then those of values and of who
    is exempt.
    """
    some = np.flatnonzero(program.patterns != NOWHERE)
    used, to = np.unique(program.patterns[some], return_inverse=True)
    n_options, n_patterns = len(program.sources), len(used)
    one, none = np.ones(n_options), np.zeros(len(some))
    rows = _Linear()
    taking = rows.columns(program.n_lost, program.most)
    opening = rows.columns(np.zeros(n_patterns), np.ones(n_patterns))
    by_source = rows.rows(program.n_least, program.n_most)
    by_pattern = rows.rows(np.zeros(n_patterns), np.full(n_patterns, np.inf))
    by_option = rows.rows(none - np.inf, none)
    rows.add(by_source[program.sources], taking, one)
    rows.add(by_pattern[to], some, one[some])
    rows.add(by_pattern, opening, np.full(n_patterns, -program.target.k))
    rows.add(by_option, some, one[some])
    rows.add(by_option, opening[to], -program.most[some])
    for values in program.values:
        _add_values(rows, program, opening, (some, to, values[some]))
    if program.target.n_exempt:
        exempt = np.flatnonzero(program.patterns == NOWHERE)
        (row,) = rows.rows(np.zeros(1), np.full(1, program.target.n_exempt))
        rows.add(np.full(len(exempt), row), exempt, one[exempt])
    solver = whole_solver(MOST_NODES)
    solver.passModel(rows.program(is_whole))
    solver.run()
    return solver


def _add_values(
    rows: "_Linear",
    program: Program,
    opening: Integers,
    options: tuple[Integers, Integers, Codes],
) -> None:
    """Add that open patterns have the values of a column that they must have."""
    some, to, values = options
    pair, sizes = blocks_and_sizes([to, values])
    n_pairs, n_patterns = len(sizes), len(opening)
    has = rows.columns(np.zeros(n_pairs), np.ones(n_pairs))
    is_there = rows.rows(np.zeros(n_pairs), np.full(n_pairs, np.inf))
    enough = rows.rows(np.zeros(n_patterns), np.full(n_patterns, np.inf))
    rows.add(is_there[pair], some, np.ones(len(some)))
    rows.add(is_there, has, np.full(n_pairs, -1))
    rows.add(enough[group_least(pair, to, n_pairs)], has, np.ones(n_pairs))
    rows.add(enough, opening, np.full(n_patterns, -program.target.l))


class _Linear:
    def __init__(self) -> None:
        self.n_columns = self.n_rows = 0
        self.of_columns: list[tuple[Reals, Reals]] = []
        self.of_rows: list[tuple[Reals, Reals]] = []
        self.entries: list[tuple[Integers, Integers, Reals]] = []

    def columns(self, costs: Reals, most: Reals) -> Integers:
        self.of_columns.append((costs, most))
        self.n_columns += len(costs)
        return np.arange(self.n_columns - len(costs), self.n_columns)

    def rows(self, low: Reals, high: Reals) -> Integers:
        self.of_rows.append((low, high))
        self.n_rows += len(low)
        return np.arange(self.n_rows - len(low), self.n_rows)

    def add(self, rows: Integers, columns: Integers, numbers: Reals) -> None:
        self.entries.append((rows, columns, numbers))

    def program(self, is_whole: bool) -> highspy.HighsLp:
        row, column, value = map(np.concatenate, zip(*self.entries, strict=True))
        costs, most = map(np.concatenate, zip(*self.of_columns, strict=True))
        low, high = map(np.concatenate, zip(*self.of_rows, strict=True))
        order = np.lexsort((column, row))
        return linear_program(
            (costs, np.zeros(self.n_columns), most),
            (low, high),
            Entries(row[order], column[order], value[order]),
            is_whole,
        )
