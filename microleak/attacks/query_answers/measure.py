"""What answers to queries give away, as tables and proofs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any, NamedTuple, TextIO

import numpy as np
import pandas as pd

from microleak.attacks.query_answers.alone import (
    One,
    RowsContradictError,
    alone,
    checked,
)
from microleak.attacks.query_answers.definitions import (
    AUDITORS,
    Query,
    session,
    written,
)
from microleak.attacks.query_answers.made import Made, made_answers, units_of
from microleak.attacks.query_answers.published import (
    Domains,
    PublishedGroup,
    read_answers,
)
from microleak.attacks.query_answers.rebuild import (
    CountedTable,
    RebuiltRegion,
    is_contradictory,
    rebuild,
)
from microleak.attacks.query_answers.section import QueryAnswers
from microleak.base.arrays import Integers
from microleak.base.errors import TableError
from microleak.base.progress import progress
from microleak.kernels.irreducible import irreducible_items
from microleak.protection.methods import generator_of
from microleak.protection.protect import coded_columns
from microleak.records.chunks import ROWS_A_CHUNK, Given, chunks_of
from microleak.study_file.published import as_read
from microleak.tables.rows import as_table
from microleak.tables.spec import cell_text, tables_of


def audited(people: Given, analysis: QueryAnswers, where: str) -> list[dict[str, Any]]:
    """Return a row for each auditor, of all small tables together."""
    audit = analysis.audit
    assert audit
    chunks = chunks_of([people], ROWS_A_CHUNK)
    column = coded_columns(chunks, [analysis.attribute])[analysis.attribute]
    values = units_of(column, analysis, where) - analysis.least * analysis.scale
    n_of_value: Integers = np.zeros(analysis.n_values, dtype=np.int64)
    np.add.at(n_of_value, values[values >= 0], column.counts[values >= 0])
    if n_of_value.sum() < audit.records:
        raise TableError(
            f"{where}: {int(n_of_value.sum()):,} records have {analysis.attribute}, "
            f"fewer than the {audit.records} of records. Lower it."
        )
    rng = generator_of(audit.seed, "query_answers", analysis.name)
    totals = {auditor: np.zeros(3, dtype=np.int64) for auditor in AUDITORS}
    with progress("auditing queries", audit.samples) as advance:
        for _ in range(audit.samples):
            drawn = rng.multivariate_hypergeometric(n_of_value, audit.records)
            truth = np.repeat(np.arange(len(drawn)), drawn).tolist()
            queries = [*_queries(analysis, rng)]
            for auditor in AUDITORS:
                told = session(
                    truth, queries, analysis.n_values, auditor, audit.tolerated_pct
                )
                known = len(told.by_answers), len(told.by_all)
                totals[auditor] += np.array([told.n_refused, *known])
            advance(1)
    n_records = audit.samples * audit.records
    n_queries = audit.samples * audit.queries
    return [
        {
            "analysis": analysis.name,
            "table": audit.table,
            "focal": audit.focal,
            "attribute": analysis.attribute,
            "auditor": auditor,
            "tolerated_pct": audit.tolerated_pct if auditor == "simulatable" else None,
            "n_samples": audit.samples,
            "n_sample_records": n_records,
            "n_queries": n_queries,
            "n_refused": int(n_refused),
            "n_known_by_answers": int(n_answers),
            "n_known": int(n_all),
        }
        for auditor, (n_refused, n_answers, n_all) in totals.items()
    ]


def _queries(analysis: QueryAnswers, rng: np.random.Generator) -> Iterator[Query]:
    assert analysis.audit
    kinds, n = analysis.audit.kinds, analysis.audit.records
    for _ in range(analysis.audit.queries):
        kind = kinds[int(rng.integers(len(kinds)))]
        subset = int(rng.integers(1, 1 << n))
        yield Query(kind, tuple(i for i in range(n) if subset >> i & 1))


TABLES = tables_of("microleak.attacks.query_answers")


def answer_tables(
    analysis: QueryAnswers, people: Given | None, proofs: TextIO
) -> dict[str, pd.DataFrame]:
    """Return what answers to queries give away, and write the proofs as JSON."""
    where = f"analysis {analysis.name!r}"
    if analysis.audit:
        assert people is not None
        proofs.write("{}\n")
        return _found(audited_queries=audited(people, analysis, where))
    domains, n_places, places = _places(analysis, people, where)
    rows_: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    # What a certificate has besides regions.
    origin = {
        "attributes": domains,
        "region": analysis.region,
        "decimals": analysis.decimals,
        "least": analysis.least * analysis.scale,
        "most": analysis.most * analysis.scale,
        "files": as_read(analysis.tables),
    }
    told = _json(origin).removesuffix("}")
    proofs.write(f'{told}, "regions": [')
    with progress("rebuilding values", n_places) as advance:
        for number, place in enumerate(places):
            proved = _proved(place, domains, analysis, where)
            own = {"analysis": analysis.name, "region": place.name}
            rows_.append(own | _row(analysis, place, proved))
            values += (own | row for row in _values(proved, domains, analysis.scale))
            told = _json(_region_proofs(place, proved))
            proofs.write(f"{', ' if number else ''}{told}")
            advance(1)
    proofs.write("]}\n")
    return _found(query_answers=rows_, answered_values=values)


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False)


def _found(**rows: list[dict[str, Any]]) -> dict[str, pd.DataFrame]:
    return {name: as_table(table, rows.get(name, [])) for name, table in TABLES.items()}


class _RegionPlace(NamedTuple):
    """A region, what was published of it and, of a release, what that is made of."""

    name: str
    answers: Sequence[PublishedGroup]
    made: Made | None


def _places(
    analysis: QueryAnswers, people: Given | None, where: str
) -> tuple[Domains, int, Iterator[_RegionPlace]]:
    if people is not None:
        domains, n_places, made = made_answers(people, analysis, where)
        return domains, n_places, (_RegionPlace(m.region, m.answers, m) for m in made)
    domains, answers = read_answers(
        analysis.tables or (), analysis.region, analysis.domains, where
    )
    by_region: dict[str, list[PublishedGroup]] = {}
    for answer in answers:
        name = "" if analysis.region is None else answer.group[analysis.region]
        by_region.setdefault(name or "", []).append(answer)
    places = (_RegionPlace(name, own, None) for name, own in sorted(by_region.items()))
    return domains, len(by_region), places


Claims = Mapping[tuple[int, int], tuple[int, int, bool]]
"""By cell and rank from 1 up, least and largest value, and whether both are exact."""


class _Proved(NamedTuple):
    """What is proved of a region, and the answers that proofs are made of."""

    found: RebuiltRegion | None
    claims: Claims
    answers: Sequence[PublishedGroup]
    ones: Sequence[One]

    @property
    def n(self) -> int:
        bounds = self.claims.values()
        return sum(low == high for low, high, _ in bounds) + len(self.ones)


def _proved(
    place: _RegionPlace, domains: Domains, analysis: QueryAnswers, where: str
) -> _Proved:
    answers, made = place.answers, place.made
    n_cells = prod(map(len, domains.values()))
    is_tried = made is None or made.is_tried
    found = rebuild(answers, n_cells, analysis) if is_tried else None
    is_refuted = found is not None and not found.possible
    if made is None and found is None:
        # It may be too large only by cells of which nothing is said, or all the same.
        is_refuted = is_contradictory(answers, analysis)
    if is_refuted:
        raise _contradiction(where, answers, domains, analysis)
    claims = _merged(found) if found else {}
    if made and found:
        _check(claims, made)
    try:
        ones = [*alone(answers, _certain(found, n_cells), domains, analysis)]
    except RowsContradictError as error:
        rows = [answers[row] for row in error.rows]
        raise _contradiction(where, rows, domains, analysis) from None
    if not is_tried:
        # Only answers that tell of somebody: all of them would be long, and are in no
        # file to compare.
        used = sorted({row for one in ones for row in one.rows})
        place_of = {row: place for place, row in enumerate(used)}
        answers = [answers[row] for row in used]
        ones = [
            replace(one, rows={place_of[row]: n for row, n in one.rows.items()})
            for one in ones
        ]
    return _Proved(found, claims, answers, ones)


def _certain(found: RebuiltRegion | None, n_cells: int) -> Integers:
    """Return how many persons each cell has in all tables that are possible."""
    nobody = np.zeros(n_cells, dtype=np.int64)
    every = [table.system.sizes for table in found.possible] if found else [nobody]
    return np.asarray(np.min(every, axis=0))


def _merged(found: RebuiltRegion) -> Claims:
    possible = found.possible
    merged = {}
    sizes = _certain(found, len(possible[0].system.sizes))
    for cell, n in enumerate(sizes.tolist()):
        for rank in range(n):
            of_tables = [
                table.claims[table.system.cells[cell].start + rank]
                for table in possible
            ]
            least = min(each.least for each in of_tables)
            largest = max(each.largest for each in of_tables)
            is_exact = all(each.is_exact for each in of_tables)
            merged[cell, rank + 1] = least, largest, is_exact
    return merged


def _check(claims: Claims, made: Made) -> None:
    for (cell, rank), (least, largest, _) in claims.items():
        value = made.values[np.searchsorted(made.cells, cell) + rank - 1]
        assert least <= value <= largest, "a claim is wrong"


def _row(
    analysis: QueryAnswers, place: _RegionPlace, proved: _Proved
) -> dict[str, Any]:
    found, made = proved.found, place.made
    possible = found.possible if found else []
    totals = {sum(table.system.sizes) for table in possible}
    n_records = made.n_records if made else totals.pop() if len(totals) == 1 else None
    claims = proved.claims.values()
    n_published = (len(a.numbers) + (a.count[0] == a.count[1]) for a in place.answers)
    return {
        "table": analysis.release.table if analysis.release else "",
        "focal": analysis.release.focal if analysis.release else "",
        "attribute": analysis.attribute,
        "n_answers": made.n_answers if made else sum(n_published),
        "n_records": n_records,
        "n_counts": len(possible) if found else None,
        "n_values_proved": proved.n if found or proved.ones else None,
        "n_values_exact": sum(e for *_, e in claims) if found else None,
        "share_proved": proved.n / n_records if found and n_records else None,
        "n_databases": sum(len(each.databases) for each in possible) if found else None,
        "is_all": str(bool(found) and all(each.every for each in possible)).lower(),
    }


def _values(proved: _Proved, domains: Domains, scale: int) -> Iterator[dict[str, Any]]:
    grid = [*product(*domains.values())]
    for (cell, rank), (least, largest, is_exact) in proved.claims.items():
        values = dict(zip(domains, grid[cell], strict=True))
        yield {
            "cell": cell_text(values),
            "rank": rank,
            "least": least / scale,
            "largest": largest / scale,
            "is_exact": str(is_exact).lower(),
            "tables": "",
        }
    found = proved.found
    is_taken = found is not None and any(t.databases for t in found.possible)
    for one in proved.ones:
        sources = sorted({proved.answers[row].source for row in one.rows})
        yield {
            "cell": one.cell,
            "rank": 1,
            "least": one.value / scale,
            "largest": one.value / scale,
            "is_exact": str(is_taken).lower(),
            "tables": "|".join(sources),
        }


def _answer(answer: PublishedGroup) -> dict[str, Any]:
    return {
        "table": answer.source,
        "members": answer.cells.tolist(),
        "count": answer.count,
        "numbers": {n: [*map(str, each)] for n, each in answer.numbers.items()},
    }


def _region_proofs(place: _RegionPlace, proved: _Proved) -> dict[str, Any]:
    found = proved.found
    every: dict[str, Any] = {}
    if found:
        every["every"] = dict(written(found.every))
        every["tables"] = [_table_proofs(table) for table in found.tables]
    return {
        "region": place.name,
        "n_values_proved": proved.n,
        "rows": [_answer(each) for each in proved.answers],
        **every,
        "alone": [{"rows": one.rows, "value": one.value} for one in proved.ones],
    }


def _table_proofs(table: CountedTable) -> dict[str, Any]:
    root = table.search.root
    told: dict[str, Any] = {
        "sizes": table.system.sizes,
        "steps": [[s.value, s.sign, s.bound, s.answer] for s in root.steps],
    }
    if table.refuted:
        return told | {"refuted": dict(written(table.refuted))}
    return told | {
        "claims": [
            {
                "least": claim.least,
                "largest": claim.largest,
                "proofs": [proof and dict(written(proof)) for proof in claim.proofs],
                "is_exact": claim.is_exact,
            }
            for claim in table.claims
        ],
        "taken": [values.tolist() for values in table.search.found],
        "databases": [values.tolist() for values in table.databases],
        "every": table.every and dict(written(table.every)),
    }


def _contradiction(
    where: str, rows: Sequence[PublishedGroup], domains: Domains, analysis: QueryAnswers
) -> TableError:
    """Return an error with rows that no values fit, of which none can be left out."""

    def is_refuted(some: Sequence[PublishedGroup]) -> bool:
        try:
            checked(some, domains, analysis)
        except RowsContradictError:
            return True
        return is_contradictory(some, analysis)

    needed = irreducible_items(rows, is_refuted)
    lines = "; ".join(f"{each.source}, line {each.line}" for each in needed)
    return TableError(
        f"{where}: no values from {analysis.least:,} to {analysis.most:,} fit these "
        f"rows together: {lines}. Correct one of them, or least, most, decimals or "
        "domains."
    )
