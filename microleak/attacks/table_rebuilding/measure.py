"""What tables of counts prove, region by region, as tables and proofs."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from microleak.attacks.table_rebuilding.definitions import modal_guess
from microleak.attacks.table_rebuilding.made import TablesMade, made_tables
from microleak.attacks.table_rebuilding.rebuild import (
    RebuiltTable,
    TablesContradictError,
    bounds_of,
    rebuild,
)
from microleak.attacks.table_rebuilding.section import TableRebuilding
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.count_tables.bounds import UNKNOWN, Bound
from microleak.count_tables.contradiction import UNBOUNDED, MultipliedSums, Proof
from microleak.count_tables.published import (
    TOTAL,
    CountTable,
    Region,
    TableDomains,
    read_tables,
    region_of,
    shape_of,
)
from microleak.records.chunks import Given
from microleak.study_file.published import as_read
from microleak.tables.rows import as_table
from microleak.tables.spec import cell_text, tables_of

TABLES = tables_of("microleak.attacks.table_rebuilding")


class TablesAndProofs(NamedTuple):
    """Result tables, and all proofs as JSON can have them."""

    table_rebuilding: pd.DataFrame
    rebuilt_cells: pd.DataFrame
    rebuilt_sizes: pd.DataFrame
    proofs: Mapping[str, Any]


@dataclass(frozen=True)
class _RegionTables:
    name: str  # The region's value
    code: int
    tables: Sequence[CountTable]  # Those of the region, without its attribute
    region: Region  # What they say


def rebuilding_tables(
    analysis: TableRebuilding, people: Given | None
) -> TablesAndProofs:
    where = f"analysis {analysis.name!r}"
    made = None
    if people is None:
        given = analysis.tables or ()
        domains, tables = read_tables(given, analysis.region, analysis.domains, where)
    else:
        made = made_tables(people, analysis)
        domains, tables = made.domains, made.tables
    shape = shape_of(domains, analysis.region, where)
    chance = analysis.release.protect.chance if analysis.release else 1.0
    rows: list[dict[str, Any]] = []
    cells: list[dict[str, Any]] = []
    proofs: list[dict[str, Any]] = []
    regions = domains[analysis.region] if analysis.region else ("",)
    with progress("rebuilding tables", len(regions)) as advance:
        for place in _places(tables, domains, shape, analysis.region):
            try:
                region = place.region
                found = rebuild(region.system, region.tables, region.published)
            except TablesContradictError as error:
                raise TableError(
                    _contradiction(where, place, error.rows, chance)
                ) from None
            own = {"analysis": analysis.name, "region": place.name}
            rows.append(own | _row(analysis, place, found, shape, made))
            cells += _cell_rows(own, place, found, domains, shape)
            proofs.append(_proofs(place, found, shape))
            advance(1)
    told = {
        "attributes": {name: domains[name] for name in shape},
        "region": analysis.region,
        "files": as_read(analysis.tables),
        "regions": proofs,
    }
    return TablesAndProofs(
        as_table(TABLES["table_rebuilding"], rows),
        as_table(TABLES["rebuilt_cells"], cells),
        as_table(TABLES["rebuilt_sizes"], _size_rows(analysis, rows)),
        told,
    )


def _places(
    tables: Sequence[CountTable],
    domains: TableDomains,
    shape: Mapping[str, int],
    region: str | None,
) -> Iterator[_RegionTables]:
    if region is None:
        yield _RegionTables("", 0, tables, region_of(tables, shape))
        return
    names = domains[region]
    by_region = zip(*(table.by(region, len(names)) for table in tables), strict=True)
    for code, (name, every) in enumerate(zip(names, by_region, strict=True)):
        own = [table for table in every if len(table.low)]
        if own:
            yield _RegionTables(name or "", code, own, region_of(own, shape))


def _row(
    analysis: TableRebuilding,
    place: _RegionTables,
    found: RebuiltTable,
    shape: Mapping[str, int],
    made: TablesMade | None,
) -> dict[str, Any]:
    n_cells = place.region.system.n_cells
    least, largest = bounds_of(found.cells, n_cells)
    counts: dict[str, int | None] = {
        "n_records": place.region.n_records,
        "n_records_proved": int(least.sum()),
        "n_reidentified_proved": _n_alone(analysis, shape, least, [largest]),
        **dict.fromkeys(_OF_TRUTH),
    }
    chance = 1.0
    if made and analysis.release:
        chance = analysis.release.protect.chance
        counts |= _beside_truth(analysis, place, made, found, shape)
        assert counts["n_cells_wrong"] == 0 or chance < 1, "a claim is wrong"
    return {
        **_origin(analysis),
        "known": "|".join(analysis.known),
        "n_tables": len(place.tables),
        "n_cells": n_cells,
        "n_cells_proved": int((least == largest).sum()),
        "n_cells_exact": n_cells - sum(not each.is_exact for each in found.cells),
        **counts,
        **_shares(counts),
        "chance": chance,
        "n_databases": found.n_databases,
        "is_all": str(found.is_all).lower(),
    }


def _beside_truth(
    analysis: TableRebuilding,
    place: _RegionTables,
    made: TablesMade,
    found: RebuiltTable,
    shape: Mapping[str, int],
) -> dict[str, int | None]:
    """Return what is right of bounds, of a guess without tables and of a database."""
    n_cells = place.region.system.n_cells
    first = place.code * n_cells
    start, end = np.searchsorted(made.cells, [first, first + n_cells])
    truth = np.zeros(n_cells, dtype=np.int64)
    truth[made.cells[start:end] - first] = made.counts[start:end]
    least, largest = bounds_of(found.cells, n_cells)
    counts: dict[str, int | None] = {
        "n_records": int(truth.sum()),
        "n_cells_wrong": int(((truth < least) | (truth > largest)).sum()),
    }
    if made.n_differenced is not None:
        counts["n_differenced"] = int(made.n_differenced[start:end].sum())
    known = [axis for axis, name in enumerate(shape) if name in analysis.known]
    guess = modal_guess(truth.reshape(tuple(shape.values())), known).ravel()
    compared = {"_guessed": guess}
    if found.databases:
        compared[""] = found.databases[0]
    for of, database in compared.items():
        both = np.minimum(database, truth)
        counts[f"n_right{of}"] = int(both.sum())
        alone = _n_alone(analysis, shape, both, [database, truth])
        counts[f"n_reidentified{of}"] = alone
    return counts


def _origin(analysis: TableRebuilding) -> dict[str, str]:
    made = analysis.release
    if not made:
        return dict.fromkeys(
            ("table", "focal", "crossings", "method", "parameters"), ""
        )
    parameters = made.protect.parameters.items()
    return {
        "table": made.table,
        "focal": made.focal,
        "crossings": "|".join(", ".join(names) for names in made.crossings),
        "method": made.protect.method,
        "parameters": "|".join(f"{name}={value}" for name, value in parameters),
    }


def _n_alone(
    analysis: TableRebuilding,
    shape: Mapping[str, int],
    counts: Integers,
    others: Sequence[Integers],
) -> int | None:
    """Return how many records are alone with the known values by all of some counts."""
    if not analysis.known:
        return None
    axes = tuple(i for i, name in enumerate(shape) if name not in analysis.known)
    sizes = tuple(shape.values())
    # Two are as many as more, and their sums cannot overflow.
    alone = [np.minimum(each, 2).reshape(sizes).sum(axis=axes) == 1 for each in others]
    return int(counts.reshape(sizes).sum(axis=axes)[np.all(alone, axis=0)].sum())


_OF_TRUTH = (
    *("n_right", "n_right_guessed", "n_reidentified", "n_reidentified_guessed"),
    *("n_differenced", "n_cells_wrong"),
)
"""Counts that are known where the truth is."""

_SHARES = {
    "share_proved": "n_records_proved",
    "share_right": "n_right",
    "share_right_guessed": "n_right_guessed",
    "share_reidentified": "n_reidentified",
    "share_reidentified_guessed": "n_reidentified_guessed",
    "share_reidentified_proved": "n_reidentified_proved",
}
"""Shares of the records, and of what."""


def _shares(counts: Mapping[str, int | None]) -> dict[str, float | None]:
    n_records, each = counts["n_records"], {to: counts[n] for to, n in _SHARES.items()}
    return {
        name: count / n_records if n_records and count is not None else None
        for name, count in each.items()
    }


def _size_rows(
    analysis: TableRebuilding, rows: Sequence[Mapping[str, Any]]
) -> Iterator[dict[str, Any]]:
    if not analysis.sizes:
        return
    ends = [0, *analysis.sizes]
    names = [f"{low}-{high - 1}" for low, high in pairwise(ends)] + [f"{ends[-1]}-", ""]
    by_size: dict[int, list[Mapping[str, Any]]] = {}
    for row in rows:
        n = row["n_records"]
        size = len(ends) if n is None else bisect_right(ends, n) - 1
        by_size.setdefault(size, []).append(row)
    for size, each in sorted(by_size.items()):
        counts = {n: [r[n] for r in each] for n in ("n_records", *_SHARES.values())}
        sums = {name: None if None in n else sum(n) for name, n in counts.items()}
        yield {
            "analysis": analysis.name,
            "known": "|".join(analysis.known),
            "size": names[size],
            "n_regions": len(each),
            **sums,
            **_shares(sums),
        }


def _cell_rows(
    own: Mapping[str, str],
    place: _RegionTables,
    found: RebuiltTable,
    domains: TableDomains,
    shape: Mapping[str, int],
) -> Iterator[dict[str, Any]]:
    for each in found.cells:
        codes = zip(shape, _codes(each.cell, shape), strict=True)
        yield {
            **own,
            "cell": cell_text({name: domains[name][code] for name, code in codes}),
            "least": each.least.value,
            "largest": each.largest.value,
            "is_exact": str(each.is_exact).lower(),
            "tables": "|".join(place.tables[number].name for number in each.tables),
            "n_needed": len(each.tables) or None,
        }


def _codes(cell: int, shape: Mapping[str, int]) -> list[int]:
    return _codes_of(np.array([cell]), shape)[0]


def _codes_of(cells: Integers, shape: Mapping[str, int]) -> list[list[int]]:
    codes = np.unravel_index(cells, tuple(shape.values()))
    return np.array(codes).reshape(len(shape), len(cells)).T.tolist()


def _proofs(
    place: _RegionTables, found: RebuiltTable, shape: Mapping[str, int]
) -> dict[str, Any]:

    def written(proof: Proof) -> dict[str, Any]:
        if isinstance(proof, MultipliedSums):
            return {"rows": {str(row): n for row, n in proof.multipliers.items()}}
        return {
            "cell": _codes(proof.cell, shape),
            "at_most": proof.at_most,
            "below": written(proof.below),
            "above": written(proof.above),
        }

    def claim(cell: int, kind: str, bound: Bound) -> dict[str, Any]:
        database = None if bound.database == UNKNOWN else bound.database
        said = {"cell": _codes(cell, shape), kind: bound.value, "database": database}
        return said | ({"proof": written(bound.proof)} if bound.proof else {})

    return {
        "region": place.name,
        "n_records_proved": sum(each.least.value or 0 for each in found.cells),
        "rows": [*_rows(place, shape)],
        "claims": [
            claim(each.cell, kind, getattr(each, kind))
            for each in found.cells
            for kind in ("least", "largest")
        ],
        "databases": [
            [*zip(_codes_of(cells, shape), each[cells].tolist(), strict=True)]
            for each in found.databases
            for cells in [np.flatnonzero(each)]
        ],
    }


def _rows(place: _RegionTables, shape: Mapping[str, int]) -> Iterator[dict[str, Any]]:
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


def _contradiction(
    where: str, place: _RegionTables, rows: Sequence[int], chance: float
) -> str:
    """Return rows that no database fits, by file and line, or that noise is too far."""
    if chance < 1:
        return (
            f"{where}: noise went beyond what confidence allows it, and so no counts "
            "fit. Raise confidence, or take another seed."
        )
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
