"""Tables of counts, made of a release and of its protected ones, and compared."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby, islice
from math import prod
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from microleak.base.arrays import Codes, Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.definitions.coefficients import Regressed
from microleak.definitions.exact import first_places
from microleak.definitions.tabulated import (
    TabulatedCells,
    largest_error,
    mean_error,
    total_variation,
)
from microleak.protection.methods import DataColumn, blocks_and_sizes, count_codes
from microleak.protection.protect import check_files, coded_columns
from microleak.protection.steps import labels_of_steps
from microleak.records.chunks import ParquetChunks
from microleak.records.hierarchy import ALIKE
from microleak.study_file.hierarchies import Hierarchies, HierarchySection
from microleak.study_file.protections import StepSection, TabulationSection


def tabulation_rows(
    people: Path, settings: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield a row of the table `tabulations` for each protection and tabulation."""
    check_files(settings["files"])
    hierarchies = {n: HierarchySection(**h) for n, h in settings["hierarchies"].items()}
    every = [TabulationSection(**each) for each in settings["tabulations"]]
    of_origin = itemgetter("table", "origin")
    for (table, origin), protections in groupby(settings["protections"], of_origin):
        own = [each for each in every if each.table == table]
        names = list(dict.fromkeys(name for each in own for name in each.attributes))
        chunks = ParquetChunks([people / f"{table}/{origin}.parquet"])
        before = coded_columns(chunks, names)
        for given in protections:
            attributes = _labelled_attributes(people, given, before, hierarchies)
            protection = {"protection": given["name"], "table": table}
            protection["release"] = origin
            with progress("comparing tables", len(own)) as advance:
                for each in own:
                    where = f"tabulation {each.name!r} of {given['name']}"
                    yield {**protection, **compared_tables(each, attributes, where)}
                    advance(1)


def _labelled_attributes(
    people: Path,
    protection: Mapping[str, Any],
    before: Mapping[str, DataColumn],
    hierarchies: Hierarchies,
) -> dict[str, "Labelled"]:
    table, name = protection["table"], protection["name"]
    chunks = ParquetChunks([people / f"{table}/{name}.parquet"])
    if not chunks.n_rows:
        raise TableError(
            f"{table} {name} has no records, so no table can be made of it. Raise the "
            "share of sample in its steps."
        )
    steps = [StepSection(**step) for step in protection["steps"]]
    dropped = {attribute for step in steps for attribute in step.drop or ()}
    where = f"tabulations of {name}"
    after = coded_columns(chunks, [each for each in before if each not in dropped])
    return {
        each: labelled_attribute(
            column,
            labels_of_steps(steps, hierarchies, each, used_values(column), where),
            after.get(each),
            chunks.n_rows,
        )
        for each, column in before.items()
    }


def used_values(column: DataColumn) -> list[str | None]:
    return [column.values[code] for code in np.flatnonzero(column.counts)]


@dataclass(frozen=True)
class Labelled:
    """An attribute of a release and of its protected one."""

    values: Sequence[str | None]  # Different texts of the release, None a missing one
    codes: Codes
    label: Codes  # Code of the label of each value, by the value's code
    protected: Codes  # Code of the label of each protected record, (n_protected,)
    n_alike: Integers
    """Values of the release that each label stands for, by the label's code; one that
    none of them has, as a missing value of a suppressed cell, stands for itself."""


def labelled_attribute(
    before: DataColumn,
    called: Sequence[str | None],
    after: DataColumn | None,
    n_after: int,
) -> Labelled:
    """Return an attribute with the labels of its values, one where it is dropped."""
    protected = np.zeros(n_after, dtype=np.uint8) if after is None else after.codes
    theirs = (ALIKE,) if after is None else after.values
    code_of = {
        label: code for code, label in enumerate(dict.fromkeys((*theirs, *called)))
    }
    kind = np.min_scalar_type(len(code_of))
    label = np.zeros(len(before.values), dtype=kind)
    used = np.flatnonzero(before.counts)
    label[used] = [code_of[each] for each in called]
    n_alike = np.maximum(count_codes(label[used], len(code_of)), 1)
    return Labelled(before.values, before.codes, label, protected, n_alike)


def compared_tables(
    tabulation: TabulationSection, attributes: Mapping[str, Labelled], where: str
) -> dict[str, Any]:
    """Return what a table loses, as columns of the table `tabulations`."""
    given = [attributes[name] for name in tabulation.attributes]
    _check_size(given, where)
    table = tabulated_counts(given)
    most = largest_error(table.cells)
    return {
        "tabulation": tabulation.name,
        "attributes": "|".join(tabulation.attributes),
        "n_cells": len(table.first),
        "total_variation": float(total_variation(table.cells)),
        "largest_error": float(most),
        "largest_error_share": float(most / table.cells.n_records),
        "mean_absolute_error": float(mean_error(table.cells)),
        "by": "|".join(tabulation.by),
        **(_of_worst(table, tabulation) if tabulation.by else {}),
        "outcome": tabulation.outcome or "",
        "largest_change": _largest_change(tabulation, attributes, where),
    }


def _check_size(attributes: Sequence[Labelled], where: str) -> None:
    n_alike = prod(int(each.n_alike.max()) for each in attributes)
    if n_alike * len(attributes[0].protected) >= 1 << 63:
        raise TableError(
            f"{where}: a label of its attributes stands for {n_alike:,} cells, more "
            "than can be counted. Give it fewer attributes under tabulations."
        )


class Tabulated(NamedTuple):
    """A table of a release and of its protected one.

    Cells of the release that are not empty come first, in the order of their codes;
    `first` has a record of each of them, and `labels` the label that each attribute has
    in each cell.
    """

    cells: TabulatedCells
    first: Integers
    labels: Sequence[Codes]
    attributes: Sequence[Labelled]


def tabulated_counts(attributes: Sequence[Labelled]) -> Tabulated:
    first, n_true = _distinct_blocks([each.codes for each in attributes])
    last, n_each = _distinct_blocks([each.protected for each in attributes])
    both = [
        np.concatenate([each.label[each.codes[first]], each.protected[last]])
        for each in attributes
    ]
    one, _ = _distinct_blocks(both)
    ids, n_labels = blocks_and_sizes(both)
    own, theirs = np.split(ids, [len(first)])
    n_labelled, n_alike = np.zeros((2, len(n_labels)), dtype=np.int64)
    n_labelled[theirs] = n_each
    alike = [each.n_alike[codes] for each, codes in zip(attributes, both, strict=True)]
    n_alike[ids] = np.prod(alike, axis=0)
    is_partly_empty = (n_labelled > 0) & (count_codes(own, len(n_labels)) < n_alike)
    rows = np.concatenate([own, np.flatnonzero(is_partly_empty)])
    true = np.zeros(len(rows), dtype=np.int64)
    true[: len(first)] = n_true
    sizes = len(attributes[0].codes), len(attributes[0].protected)
    cells = TabulatedCells(true, n_labelled[rows], n_alike[rows], *sizes)
    return Tabulated(cells, first, [codes[one[rows]] for codes in both], attributes)


def _distinct_blocks(columns: Sequence[Codes]) -> tuple[Integers, Integers]:
    """Return a record of each block of records, and how many each block has."""
    ids, sizes = blocks_and_sizes(columns)
    return first_places(ids, len(sizes)), sizes


def _largest_change(
    tabulation: TabulationSection, attributes: Mapping[str, Labelled], where: str
) -> float | None:
    if tabulation.outcome is None:
        return None
    others = (name for name in tabulation.attributes if name != tabulation.outcome)
    given = {name: attributes[name] for name in (tabulation.outcome, *others)}
    first, n_true = _distinct_blocks([each.codes for each in given.values()])
    last, n_each = _distinct_blocks([each.protected for each in given.values()])
    values = {name: each.values for name, each in given.items()}
    codes = {name: each.codes[first].astype(np.int64) for name, each in given.items()}
    labels = []
    for each in given.values():
        is_used = count_codes(each.codes, len(each.values)) > 0
        labels.append(np.where(is_used, each.label.astype(np.int64), -1))
    told = [each.protected[last].astype(np.int64) for each in given.values()]
    regressed = Regressed(values, codes, n_true, where)
    return regressed.largest_change_of(labels, told, n_each)


def _of_worst(table: Tabulated, tabulation: TabulationSection) -> dict[str, Any]:
    by = [tabulation.attributes.index(name) for name in tabulation.by]
    groups = [*of_groups(table, by)]
    worst, n_members = max((total_variation(g), g.n_records) for g in groups)
    return {
        "n_groups": len(groups),
        "total_variation_worst": float(worst),
        "n_members_worst": n_members,
        "largest_error_share_worst": float(
            max(largest_error(group) / group.n_records for group in groups)
        ),
    }


def of_groups(table: Tabulated, by: Sequence[int]) -> Iterator[TabulatedCells]:
    """Yield the cells of each group of a table.

    A group is the records with the same values of some of the table's attributes; both
    of its distributions are divided by their own sums. Of its empty cells the one with
    the largest estimate is there.
    """
    cells, first = table.cells, table.first
    whole = tabulated_counts([table.attributes[place] for place in by]).cells
    group, n_cells = blocks_and_sizes(
        [table.attributes[place].codes[first] for place in by]
    )
    label, _ = blocks_and_sizes(table.labels)
    label_of_group, _ = blocks_and_sizes([table.labels[place] for place in by])
    empty: dict[int, list[int]] = {}
    for row in range(len(first), len(label)):
        empty.setdefault(int(label_of_group[row]), []).append(row)

    def estimate(row: int) -> Fraction:
        return Fraction(int(cells.n_labelled[row]), int(cells.n_alike[row]))

    for alike in empty.values():
        alike.sort(key=estimate, reverse=True)
    order = np.argsort(group, kind="stable")
    for number, filled in enumerate(np.split(order, np.cumsum(n_cells)[:-1])):
        groups_alike = whole.n_alike[number]
        n_filled = Counter(label[filled].tolist())
        has_room = (
            row
            for row in empty.get(int(label_of_group[filled[0]]), ())
            if n_filled[int(label[row])] < cells.n_alike[row] // groups_alike
        )
        rows = np.append(filled, [*islice(has_room, 1)]).astype(np.intp)
        yield TabulatedCells(
            cells.n_true[rows],
            cells.n_labelled[rows],
            cells.n_alike[rows] // groups_alike,
            int(whole.n_true[number]),
            max(int(whole.n_labelled[number]), 1),
        )
