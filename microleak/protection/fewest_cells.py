"""How few cells local suppression must take, by integer programs.

A *pattern* is a row as a block would have it after suppression. Its *guests* are the
records that can become alike with it, by losing cells; without k of them it is no
block.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, isfinite

import highspy
import numpy as np
from numpy.typing import NDArray

from microleak.kernels.linear_program import whole_solver
from microleak.protection.methods import Mask, Numbers
from microleak.protection.rows import Rows, grouped, sums
from microleak.protection.search import Pieces

MOST_OPTIONS = 1 << 16
"""Options of a table up to which programs are tried; more keep the plain bound."""

MOST_OF_PROGRAM = 1 << 13
"""Options up to which the linear program of a part is solved."""

MOST_OF_EXACT = 1 << 10
"""Options up to which a part, or a whole table, is solved in whole numbers."""

MOST_NODES = 20
"""Nodes of the search in whole numbers, so that it ends."""

TOLERANCE = 0.01
"""What rounding may add to a solver's bound, many times over; cells are whole."""

NOWHERE = -1
"""The pattern of records that go to no pattern of the program."""


@dataclass(frozen=True)
class Options:
    """What records may become: one entry a row and pattern.

    Attributes
    ----------
    rows
        The row.
    patterns
        Number of the pattern.
    kept
        Set of attributes that the pattern has.
    n_lost
        Cells that a record of the row loses.
    """

    rows: Numbers
    patterns: Numbers
    kept: NDArray[np.uint64]
    n_lost: Numbers

    def of(self, chosen: Mask | Numbers) -> "Options":
        """Return the chosen ones."""
        return Options(
            self.rows[chosen],
            self.patterns[chosen],
            self.kept[chosen],
            self.n_lost[chosen],
        )


@dataclass(frozen=True)
class Program:
    """Records to be sent to patterns, which are open to k of them or closed.

    Attributes
    ----------
    sources, patterns, n_lost, most
        By option: whose records, where to, at how many cells each, and how many at
        most; `NOWHERE` is open to any number.
    n_least, n_most
        By source, how many of its records go anywhere.
    k
        Records of a pattern that is open.
    """

    sources: Numbers
    patterns: Numbers
    n_lost: Numbers
    most: Numbers
    n_least: Numbers
    n_most: Numbers
    k: int


def at_least(rows: Rows, k: int, pieces: Pieces, alone: Numbers) -> int:
    """Return how many cells any solution takes at least, as far as can be shown.

    It is the sum of what records lose alone, or more by programs of patterns that cost
    one cell at most, two, and so on: records may also go elsewhere at one cell more,
    and records of blocks that have k may help, so that every solution is one of the
    program. It falls into parts that have no records below k in common.

    Parameters
    ----------
    rows
        The table.
    k
        Records that a block has at least.
    pieces
        A solution, by which the search is cut.
    alone
        Cells that a record of each row loses at least, alone.
    """
    best, n_cells = int((alone * rows.counts).sum()), pieces.n_cells(rows)
    for n_lost in range(1, rows.n_attributes + 1):
        if best == n_cells:
            break
        options = options_of(rows, k, n_lost, rows.counts < k)
        if options is None:
            break
        best = max(best, _by_parts(rows, k, options, n_lost, alone))
    return best


def options_of(rows: Rows, k: int, n_lost: int, whose: Mask) -> Options | None:
    """Return options of patterns that cost some of given rows so many cells at most.

    They are of all rows; None where they are too many to be told.
    """
    sizes = range(rows.n_attributes + 1)
    is_tried = all(rows.tries_all(size) for size in sizes)
    if not is_tried or len(rows.counts) > MOST_OPTIONS:
        return None
    everyone = np.arange(len(rows.counts))
    none = everyone[:0]
    found = [Options(none, none, none.astype(np.uint64), none)]
    n_patterns = n_options = 0
    for kept in (kept for size in sizes for kept in rows.subsets(size)):
        guests = rows.having(everyone, kept)
        n_own = rows.n_known[guests] - kept.bit_count()
        is_near = whose[guests] & (n_own <= n_lost)
        if not is_near.any():
            continue
        groups = grouped(rows.kept(guests, kept))
        is_pattern = groups.sums(rows.counts[guests]) >= k
        is_pattern &= groups.sums(is_near.astype(np.int64)) > 0
        chosen = is_pattern[groups.each]
        number = n_patterns + np.cumsum(is_pattern) - 1
        n_patterns += int(is_pattern.sum())
        n_options += int(chosen.sum())
        if n_options > MOST_OPTIONS:
            return None
        patterns = number[groups.each[chosen]]
        kept_by = np.full(len(patterns), kept, dtype=np.uint64)
        found.append(Options(guests[chosen], patterns, kept_by, n_own[chosen]))
    parts = [(o.rows, o.patterns, o.kept, o.n_lost) for o in found]
    return Options(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _by_parts(rows: Rows, k: int, options: Options, n_lost: int, alone: Numbers) -> int:
    """Return the sum of the bounds of all parts."""
    is_small = rows.counts < k
    alone_of = alone * rows.counts
    is_apart = is_small.copy()
    total = 0
    for part in _parts(rows, options, is_small):
        inside = np.unique(part.rows[is_small[part.rows]])
        is_apart[inside] = False
        own = int(alone_of[inside].sum())
        if len(part.rows) <= MOST_OF_PROGRAM:
            own = max(own, _bound(_relaxed(rows, k, part, n_lost, alone)))
        total += own
    return total + int(alone_of[is_apart].sum())


def _parts(rows: Rows, options: Options, is_small: Mask) -> Iterator[Options]:
    """Yield options that have rows below k in common, and no others."""
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


def _relaxed(rows: Rows, k: int, part: Options, n_lost: int, alone: Numbers) -> Program:
    """Return the program of a part: who is below k must go, any others may help.

    Of these k - 1 can be of use to a pattern at most, as k of them need no one's help.
    """
    is_small = rows.counts[part.rows] < k
    small, own = np.unique(part.rows[is_small], return_inverse=True)
    n = rows.counts[small]
    to, cost = part.patterns[is_small], part.n_lost[is_small]
    width = rows.n_attributes + 1
    others, place = np.unique(
        part.patterns[~is_small] * width + part.n_lost[~is_small], return_inverse=True
    )
    helping = np.zeros(len(others), dtype=np.int64)
    np.add.at(helping, place, rows.counts[part.rows[~is_small]])
    sources = [own, len(small) + np.arange(len(others))]
    patterns, costs = [to, others // width], [cost, others % width]
    most = [n[own], np.minimum(helping, k - 1)]
    if n_lost < rows.n_attributes:
        sources.append(np.arange(len(small)))
        patterns.append(np.full(len(small), NOWHERE))
        costs.append(np.maximum(alone[small], n_lost + 1))
        most.append(n)
    return Program(
        np.concatenate(sources),
        np.concatenate(patterns),
        np.concatenate(costs),
        np.concatenate(most),
        np.append(n, np.zeros_like(helping)),
        np.append(n, helping),
        k,
    )


def fewest(rows: Rows, k: int) -> tuple[Pieces | None, int]:
    """Return a solution of few cells, and how many any solution takes at least.

    Both are of the program of all patterns in whole numbers, if the table is small: of
    a larger one they are None and 0. The first is None, too, if the search ended before
    it found one; where both agree it is proved to be the best.
    """
    everybody = np.ones(len(rows.counts), dtype=bool)
    options = options_of(rows, k, rows.n_attributes, everybody)
    if options is None or len(options.rows) > MOST_OF_EXACT:
        return None, 0
    n = rows.counts
    most = n[options.rows]
    program = Program(options.rows, options.patterns, options.n_lost, most, n, n, k)
    solver = _solver(program, is_whole=True)
    solver.run()
    bound = _rounded_up(solver.getInfo().mip_dual_bound)
    solution = solver.getSolution()
    if not solution.value_valid:
        return None, bound
    sent = np.rint(solution.col_value).astype(np.int64)[: len(most)]
    blocks = sums(options.patterns, sent, int(options.patterns.max()) + 1)
    is_all = (sums(options.rows, sent, len(n)) == n).all()
    if not is_all or ((blocks > 0) & (blocks < k)).any():
        return None, bound
    some = sent > 0
    return Pieces(options.rows[some], options.kept[some], sent[some]), bound


def _bound(program: Program) -> int:
    """Return how many cells a program takes at least."""
    solver = _solver(program, is_whole=False)
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return 0
    found = _rounded_up(solver.getInfo().objective_function_value)
    if len(program.sources) > MOST_OF_EXACT:
        return found
    solver = _solver(program, is_whole=True)
    solver.run()
    return max(found, _rounded_up(solver.getInfo().mip_dual_bound))


def _rounded_up(value: float) -> int:
    return max(0, ceil(value - TOLERANCE)) if isfinite(value) else 0


def _solver(program: Program, is_whole: bool) -> highspy.Highs:
    """Return the solver of a program, in whole numbers or in any.

    After a variable an option, the records that take it, comes one a pattern, whether
    it is open. After a row a source, its records, comes one a pattern, the k of them
    if it is open, and one an option, nobody if it is not.
    """
    some = np.flatnonzero(program.patterns != NOWHERE)
    used, to = np.unique(program.patterns[some], return_inverse=True)
    n_options, n_sources = len(program.sources), len(program.n_most)
    n_patterns, n_some = len(used), len(some)
    opening = n_options + np.arange(n_patterns)
    by_pattern = n_sources + np.arange(n_patterns)
    by_option = n_sources + n_patterns + np.arange(n_some)
    one = np.ones(n_options)
    entries = (
        (program.sources, np.arange(n_options), one),
        (by_pattern[to], some, one[some]),
        (by_pattern, opening, np.full(n_patterns, -program.k)),
        (by_option, some, one[some]),
        (by_option, opening[to], -program.most[some]),
    )
    row, column, value = (np.concatenate(p) for p in zip(*entries, strict=True))
    order = np.lexsort((column, row))
    linear = highspy.HighsLp()
    linear.num_col_ = n_options + n_patterns
    linear.num_row_ = n_sources + n_patterns + n_some
    linear.col_cost_ = np.append(program.n_lost, np.zeros(n_patterns))
    linear.col_lower_ = np.zeros(n_options + n_patterns)
    linear.col_upper_ = np.append(program.most, np.ones(n_patterns))
    closed, none = np.zeros(n_patterns), np.zeros(n_some)
    linear.row_lower_ = np.concatenate([program.n_least, closed, none - np.inf])
    linear.row_upper_ = np.concatenate([program.n_most, closed + np.inf, none])
    matrix = linear.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.start_ = np.searchsorted(row[order], np.arange(linear.num_row_ + 1))
    matrix.index_ = column[order].astype(np.int32)
    matrix.value_ = value[order]
    if is_whole:
        whole = highspy.HighsVarType.kInteger
        linear.integrality_ = [whole] * linear.num_col_
    solver = whole_solver(MOST_NODES)
    solver.passModel(linear)
    return solver
