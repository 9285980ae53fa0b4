"""What tables of counts prove, region by region, as tables and proofs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from microleak.attacks.table_rebuilding.analysis import TableRebuilding
from microleak.attacks.table_rebuilding.definitions.contradiction import (
    UNBOUNDED,
    Integers,
    Proof,
    Rows,
)
from microleak.attacks.table_rebuilding.made import Made, made_tables
from microleak.attacks.table_rebuilding.published import (
    TOTAL,
    CountTable,
    Domains,
    Region,
    read_tables,
    region_of,
    shape_of,
)
from microleak.attacks.table_rebuilding.rebuild import (
    UNKNOWN,
    Bound,
    ContradictionError,
    Rebuilt,
    rebuild,
)
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.records.chunks import Given
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.table_rebuilding")


class Found(NamedTuple):
    """Result tables, and all proofs as JSON can have them."""

    table_rebuilding: pd.DataFrame
    rebuilt_cells: pd.DataFrame
    proofs: Mapping[str, Any]


@dataclass(frozen=True)
class _Place:
    """A region and its tables.

    Attributes
    ----------
    name
        The region's value; empty if there are no regions.
    code
        Its number.
    tables
        Those of the region, without its attribute.
    region
        What they say.
    """

    name: str
    code: int
    tables: Sequence[CountTable]
    region: Region


def rebuilding_tables(analysis: TableRebuilding, people: Given | None) -> Found:
    """Return what tables of counts prove.

    Parameters
    ----------
    analysis
        The analysis.
    people
        Of an analysis of a release, its records, one a person.

    Raises
    ------
    StudyError, TableError
        If a file is faulty, there are too many cells, or tables contradict one
        another: their lines.
    """
    where = f"analysis {analysis.name!r}"
    made = None
    if people is None:
        given = analysis.tables or ()
        domains, tables = read_tables(given, analysis.region, analysis.domains, where)
    else:
        made = made_tables(people, analysis)
        domains, tables = made.domains, made.tables
    shape = shape_of(domains, analysis.region, where)
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    proofs: list[dict[str, Any]] = []
    regions = domains[analysis.region] if analysis.region else ("",)
    with progress("rebuilding tables", len(regions)) as advance:
        for place in _places(tables, domains, shape, analysis.region):
            try:
                found = rebuild(place.region.system, place.region.tables)
            except ContradictionError as error:
                raise TableError(_contradiction(where, place, error.rows)) from None
            own = {"analysis": analysis.name, "region": place.name}
            rows.append(_row(analysis, own, place, found, made))
            cells += _cell_rows(own, place, found, domains, shape)
            proofs.append(_proofs(place, found, shape))
            advance(1)
    names = {"attributes": {name: domains[name] for name in shape}, "regions": proofs}
    return Found(
        TABLES["table_rebuilding"].frame(rows),
        TABLES["rebuilt_cells"].frame(cells),
        names,
    )


def _places(
    tables: Sequence[CountTable],
    domains: Domains,
    shape: Mapping[str, int],
    region: str | None,
) -> Iterator[_Place]:
    """Yield the regions of which a table has rows, in the order of their names."""
    if region is None:
        yield _Place("", 0, tables, region_of(tables, shape))
        return
    names = domains[region]
    by_region = zip(*(table.by(region, len(names)) for table in tables), strict=True)
    for code, (name, every) in enumerate(zip(names, by_region, strict=True)):
        own = [table for table in every if len(table.low)]
        if own:
            yield _Place(name or "", code, own, region_of(own, shape))


def _row(
    analysis: TableRebuilding,
    own: Mapping[str, str],
    place: _Place,
    found: Rebuilt,
    made: Made | None,
) -> dict[str, Any]:
    """Return the row of a region."""
    n_cells = place.region.system.n_cells
    n_proved = sum(each.is_proved for each in found.cells)
    n_records = place.region.n_records
    records_proved = sum(each.least.value or 0 for each in found.cells)
    n_right = None
    if made:
        truth = _truth(made, place, n_cells)
        n_records = int(truth.sum())
        assert all(
            (each.least.value or 0) <= truth[each.cell] for each in found.cells
        ), "a claim is wrong"
        if found.databases:
            n_right = int(np.minimum(found.databases[0], truth).sum())
    return {
        **own,
        "table": analysis.release.table if analysis.release else "",
        "focal": analysis.release.focal if analysis.release else "",
        "n_tables": len(place.tables),
        "n_cells": n_cells,
        "n_cells_proved": n_cells - len(found.cells) + n_proved,
        "n_cells_exact": n_cells
        - len(found.cells)
        + sum(each.is_exact for each in found.cells),
        "n_records": n_records,
        "n_records_proved": records_proved,
        "share_proved": records_proved / n_records if n_records else None,
        "share_right": n_right / n_records
        if n_records and n_right is not None
        else None,
        "n_databases": found.n_databases,
        "is_all": str(found.is_all).lower(),
    }


def _truth(made: Made, place: _Place, n_cells: int) -> Integers:
    """Return the true count of each cell of a region."""
    first, last = place.code * n_cells, (place.code + 1) * n_cells
    start, end = np.searchsorted(made.cells, [first, last])
    truth = np.zeros(n_cells, dtype=np.int64)
    truth[made.cells[start:end] - first] = made.counts[start:end]
    return truth


def _cell_rows(
    own: Mapping[str, str],
    place: _Place,
    found: Rebuilt,
    domains: Domains,
    shape: Mapping[str, int],
) -> Iterator[dict[str, Any]]:
    """Yield a row for each cell that may have records."""
    for each in found.cells:
        if each.largest.value == 0:
            continue
        codes = _codes(each.cell, shape)
        values = (domains[n][code] or "" for n, code in zip(shape, codes, strict=True))
        yield {
            **own,
            "cell": "|".join(f"{n}={v}" for n, v in zip(shape, values, strict=True)),
            "least": each.least.value,
            "largest": each.largest.value,
            "is_exact": str(each.is_exact).lower(),
            "tables": "|".join(place.tables[number].name for number in each.tables),
            "n_needed": len(each.tables) or None,
        }


def _codes(cell: int, shape: Mapping[str, int]) -> list[int]:
    sizes = tuple(shape.values())
    return [int(code) for code in np.unravel_index(cell, sizes)]


def _proofs(place: _Place, found: Rebuilt, shape: Mapping[str, int]) -> dict[str, Any]:
    """Return what a region's tables say, and what is claimed with proofs."""

    def written(proof: Proof) -> dict[str, Any]:
        """Return a proof with cells by their codes."""
        if isinstance(proof, Rows):
            return {"rows": {str(row): n for row, n in proof.multipliers.items()}}
        return {
            "cell": _codes(proof.cell, shape),
            "at_most": proof.at_most,
            "below": written(proof.below),
            "above": written(proof.above),
        }

    def claim(cell: int, kind: str, bound: Bound) -> dict[str, Any]:
        """Return a bound of a cell."""
        database = None if bound.database == UNKNOWN else bound.database
        said = {"cell": _codes(cell, shape), kind: bound.value, "database": database}
        return said | ({"proof": written(bound.proof)} if bound.proof else {})

    return {
        "region": place.name,
        "rows": [*_rows(place, shape)],
        "claims": [
            claim(each.cell, kind, getattr(each, kind))
            for each in found.cells
            for kind in ("least", "largest")
        ],
        "databases": [
            [[_codes(int(c), shape), int(each[c])] for c in np.flatnonzero(each)]
            for each in found.databases
        ],
    }


def _rows(place: _Place, shape: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """Yield the rows of all tables, codes of a total as None."""
    system = place.region.system
    for row in range(system.n_rows):
        table = place.tables[place.region.tables[row]]
        codes = table.codes[place.region.rows[row]].tolist()
        by_name = dict(zip(table.attributes, codes, strict=True))
        told = (by_name.get(name, TOTAL) for name in shape)
        high = int(system.high[row])
        yield {
            "table": table.name,
            "cell": [None if code == TOTAL else code for code in told],
            "low": int(system.low[row]),
            "high": None if high == UNBOUNDED else high,
        }


def _contradiction(where: str, place: _Place, rows: Sequence[int]) -> str:
    """Say which rows no database fits, by file and line."""
    lines: dict[str, list[int]] = {}
    for row in rows:
        table = place.tables[place.region.tables[row]]
        line = int(table.lines[place.region.rows[row]])
        lines.setdefault(table.name, []).append(line)
    said = "; ".join(
        f"{name}, {_lines(numbers)}" for name, numbers in sorted(lines.items())
    )
    return (
        f"{where}: no counts of persons fit these rows together: {said}. Correct one "
        "of them, or say in suppressed, rounded_to or noise how far counts may be off."
    )


def _lines(numbers: Sequence[int]) -> str:
    told = sorted({*numbers} - {0})
    said = [f"line{'s' * (len(told) > 1)} {', '.join(map(str, told))}"] if told else []
    return " and ".join([*said, *(["what it does not list"] if 0 in numbers else [])])
