"""Risks of units, from one record a person to the tables."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Self

import numpy as np
import pandas as pd

from microleak.attacks.unit_risks.definitions import (
    MOST_SIZE,
    UnitsFound,
    UnitsInferred,
    best_others,
    size_classes,
)
from microleak.attacks.unit_risks.kernels import (
    find_units,
    infer_in_blocks,
    rows_by_block,
    without_units,
)
from microleak.attacks.unit_risks.section import UnitRisks
from microleak.base.arrays import Codes, Integers, Mask, QidMask
from microleak.base.errors import TableError
from microleak.base.machine import Resources
from microleak.base.progress import progress
from microleak.definitions.exact import kind_sums, sum_of_ratios
from microleak.records.chunks import Chunks, Given
from microleak.records.coding import coded_column, most_frequent_code
from microleak.records.memory import Memory
from microleak.records.subsets import (
    BlockRows,
    SubsetTree,
    most_identifying_first,
    names_of,
    which,
)
from microleak.tables.rows import as_table
from microleak.tables.spec import tables_of
from microleak.units.members import numbered_units

TABLES = tables_of("microleak.attacks.unit_risks")
N_CLASSES = MOST_SIZE + 2
NO_UNIT = 0  # The class of records without a unit, which are not counted


class UnitBlocks(BlockRows):
    """Rows whose blocks are numbered from 0, none of them empty."""

    def split(self, qid: int) -> Self:
        """Return all rows, every block divided by one more QID, which is used up."""
        rows = super().split(qid)
        block, distinct = pd.factorize(rows.block)
        return replace(rows, block=block.astype(np.int64), n_blocks=len(distinct))


@dataclass(frozen=True)
class UnitRows:
    """Rows in the order of their units, and codes of their values."""

    unit: Integers  # Number of each row's unit, ascending
    first: Integers  # Where the rows of each unit begin, and the end
    size_class: Integers  # Of each unit
    blocks: UnitBlocks  # One of all rows
    sensitive: Sequence[tuple[Codes, Mask]]  # And which values are rarer
    n_without: int  # Rows without a unit


def unit_rows(chunks: Chunks, analysis: UnitRisks, n_threads: int) -> UnitRows:
    found = numbered_units(chunks, analysis.unit, n_threads)
    if not len(found.names):
        raise TableError(
            f"analysis {analysis.name!r}: no record has a value of {analysis.unit}, so "
            "there is no unit. Correct unit in the study file."
        )
    order = np.argsort(found.number, kind="stable")
    unit = found.number[order]
    n_members = np.bincount(unit)
    size_class = size_classes(n_members)
    size_class[len(found.names) :] = NO_UNIT
    coded, rarer = {}, {}
    for name in (*analysis.qids, *analysis.sensitive):
        known, codes = coded_column(chunks, name, n_threads)
        coded[name] = codes[order], len(known.values)
        is_rarer = known.values.is_valid().to_numpy(zero_copy_only=False).copy()
        is_rarer[most_frequent_code(known)] = False
        rarer[name] = is_rarer
    return UnitRows(
        unit,
        np.concatenate([[0], np.cumsum(n_members)]),
        size_class,
        UnitBlocks(
            np.zeros(len(unit), dtype=np.int64),
            1,
            {i: coded[name][0] for i, name in enumerate(analysis.qids)},
            [coded[name][1] for name in analysis.qids],
        ),
        [(coded[name][0], rarer[name]) for name in analysis.sensitive],
        found.n_without,
    )


def units_found(rows: UnitRows, blocks: tuple[Integers, Integers]) -> UnitsFound:
    is_found = np.zeros(len(rows.unit), dtype=bool)
    find_units(*blocks, rows.unit, is_found)
    unit = rows.unit[is_found]
    n_records = np.bincount(rows.size_class[unit], minlength=N_CLASSES)
    found = np.unique(unit)
    classes, n_members = rows.size_class[found], np.diff(rows.first)[found]
    n_read = kind_sums(classes, n_members, N_CLASSES)
    return UnitsFound(n_records, np.bincount(classes, minlength=N_CLASSES), n_read)


def units_inferred(
    rows: UnitRows,
    blocks: tuple[Integers, Integers],
    values: tuple[Codes, Mask],
    elsewhere: tuple[Integers, ...],
    n_threads: int,
) -> UnitsInferred:
    starts, _ = blocks
    # Blocks of about as many rows a thread.
    shares = np.arange(n_threads + 1) * len(rows.unit) // n_threads
    ends = np.searchsorted(starts, shares)
    ends[-1] = len(starts) - 1

    def part(begin: int, end: int) -> list[Integers]:
        by_tie = (N_CLASSES, len(values[1]) + 1)
        shapes = (*([N_CLASSES] * 4), by_tie, by_tie)
        out = tuple(np.zeros(shape, dtype=np.int64) for shape in shapes)
        units = rows.unit, rows.first, rows.size_class
        infer_in_blocks((begin, end), blocks, units, values, elsewhere, out)
        return [*out]

    with ThreadPoolExecutor(n_threads) as pool:
        parts = [*pool.map(part, ends[:-1].tolist(), ends[1:].tolist())]
    certain, others, rarer, certain_rarer, right, right_others = (
        sum(each[1:], each[0]) for each in zip(*parts, strict=True)
    )
    counted = certain, others, rarer, certain_rarer
    return UnitsInferred(*counted, _shared(right), _shared(right_others))


def _shared(by_tie: Integers) -> list[Fraction]:
    """Return the records guessed right: of t most frequent values, one in t."""
    ties = np.flatnonzero(by_tie.any(axis=0))
    return [sum_of_ratios(row[ties], ties) for row in by_tie[NO_UNIT + 1 :]]


def measured(
    people: Given, analysis: UnitRisks, resources: Resources
) -> Mapping[str, pd.DataFrame]:
    """Return the tables of an analysis by their names.

    Rows are in the order of the subsets, then of the sensitive attributes, then of all
    units and of each size that there is.
    """
    memory = Memory(resources, f"analysis {analysis.name!r}")
    chunks, memory = memory.chunks(people, 1)
    n_threads = resources.threads
    rows = unit_rows(chunks, analysis, n_threads)
    elsewhere = [
        without_units(rows.first, value, np.bincount(value, minlength=len(is_rarer)))
        for value, is_rarer in rows.sensitive
    ]
    found: dict[QidMask, UnitsFound] = {}
    inferred: dict[tuple[QidMask, int], UnitsInferred] = {}
    n_steps = len(rows.unit) * (len(analysis.subsets) + 1)
    with progress("finding units", n_steps) as advance:

        def visit(subset: QidMask, blocks: UnitBlocks) -> UnitBlocks:
            by_block = rows_by_block(blocks.block, blocks.n_blocks)
            found[subset] = units_found(rows, by_block)
            for place, (values, of) in enumerate(
                zip(rows.sensitive, elsewhere, strict=True)
            ):
                one = units_inferred(rows, by_block, values, of, n_threads)
                inferred[subset, place] = one
            advance(blocks.n_rows)
            return blocks

        tree = SubsetTree(most_identifying_first(rows.blocks.n_codes), visit)
        tree.descend(rows.blocks, 0, {0, *analysis.subsets})
    told = _TableRows(analysis, rows)
    others = {
        place: best_others(
            {s: inferred[s, place].right_others for s in (0, *analysis.subsets)}
        )
        for place in range(len(analysis.sensitive))
    }
    of_units = [row for s in analysis.subsets for row in told.found(s, found[s])]
    of_values = [
        row
        for s in analysis.subsets
        for place in others
        for row in told.inferred(
            s, place, inferred[s, place], (inferred[0, place].right, others[place][s])
        )
    ]
    return {
        "unit_risks": as_table(TABLES["unit_risks"], of_units),
        "unit_inferences": as_table(TABLES["unit_inferences"], of_values),
    }


class _TableRows:
    """Rows of the tables, of all units and of each size."""

    def __init__(self, analysis: UnitRisks, rows: UnitRows) -> None:
        self._analysis, self._n_without = analysis, rows.n_without
        n_members = np.diff(rows.first)
        self._n_units = np.bincount(rows.size_class, minlength=N_CLASSES)
        self._n_records = kind_sums(rows.size_class, n_members, N_CLASSES)

    def found(self, subset: QidMask, each: UnitsFound) -> Iterator[dict[str, Any]]:
        for head, classes in self._heads(subset):
            counted = each.n_records, each.n_units, each.n_read
            n_found, n_units, n_read = (int(of[classes].sum()) for of in counted)
            yield {
                **head,
                "n_found": n_found,
                "share_found": float(Fraction(n_found, head["n_records"])),
                "n_units_found": n_units,
                "share_units_found": float(Fraction(n_units, head["n_units"])),
                "n_read": n_read,
                "n_without": self._n_without,
            }

    def inferred(
        self,
        subset: QidMask,
        place: int,
        each: UnitsInferred,
        others: tuple[Sequence[Fraction], Sequence[Fraction]],
    ) -> Iterator[dict[str, Any]]:
        name = self._analysis.sensitive[place]
        prior, loo = others
        right = {
            "prior_prob": prior,
            "posterior_prob": each.right,
            "posterior_loo": loo,
        }
        for head, classes in self._heads(subset):
            n = head["n_records"]
            yield {
                **head,
                "sensitive": name,
                "n_certain": int(each.n_certain[classes].sum()),
                "n_certain_others": int(each.n_certain_others[classes].sum()),
                **{
                    column: float(sum(of[c - 1] for c in classes) / n)
                    for column, of in right.items()
                },
                "n_rarer": int(each.n_rarer[classes].sum()),
                "n_certain_rarer": int(each.n_certain_rarer[classes].sum()),
            }

    def _heads(self, subset: QidMask) -> Iterator[tuple[dict[str, Any], list[int]]]:
        counted = np.flatnonzero(self._n_units)
        classes = counted[counted != NO_UNIT].tolist()
        names = which(self._analysis, names_of(subset, self._analysis.qids))
        for size, of_size in [("", classes), *((_name(c), [c]) for c in classes)]:
            head = {
                "unit": self._analysis.unit,
                "size": size,
                "n_records": int(self._n_records[of_size].sum()),
                "n_units": int(self._n_units[of_size].sum()),
            }
            yield names | head, of_size


def _name(size_class: int) -> str:
    return f"{size_class}-" if size_class > MOST_SIZE else str(size_class)
