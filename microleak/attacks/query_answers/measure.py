"""What answers to queries give away, as tables and proofs."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple, TextIO

import numpy as np
import pandas as pd

from microleak.attacks.query_answers.alone import One, alone
from microleak.attacks.query_answers.analysis import QueryAnswers
from microleak.attacks.query_answers.audit import audited
from microleak.attacks.query_answers.definitions.order_statistics import (
    Integers,
    written,
)
from microleak.attacks.query_answers.published import (
    MOST_RECORDS,
    Domains,
    Made,
    Published,
    made_answers,
    read_answers,
)
from microleak.attacks.query_answers.rebuild import Counted, Rebuilt, rebuild
from microleak.base.errors import TableError
from microleak.base.files import sha256_of
from microleak.base.progress import progress
from microleak.records.chunks import Given
from microleak.tables.cells import cell_text
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.query_answers")


class Found(NamedTuple):
    """Result tables."""

    query_answers: pd.DataFrame
    answered_values: pd.DataFrame
    audited_queries: pd.DataFrame


def answer_tables(
    analysis: QueryAnswers, people: Given | None, proofs: TextIO
) -> Found:
    """Return what answers to queries give away, and write the proofs as JSON.

    Parameters
    ----------
    analysis
        The analysis.
    people
        Of an analysis of a release, its records, one a person.
    proofs
        Where the proofs of each region are written once it is done: they are long, and
        none is kept.

    Raises
    ------
    StudyError, TableError
        If a file is faulty, a value is no number within bounds, or answers contradict
        one another: their lines.
    """
    where = f"analysis {analysis.name!r}"
    if analysis.audit:
        assert people is not None
        proofs.write("{}\n")
        return _found([], [], audited(people, analysis, where))
    domains: Domains
    if people is None:
        domains, answers = read_answers(analysis, where)
        places = list(_places(answers, analysis.region))
    else:
        domains, made = made_answers(people, analysis, where)
        places = [(each.region, each.answers, each) for each in made]
        if not places:
            raise TableError(
                f"{where}: no record has {analysis.attribute}. Name another attribute."
            )
    n_cells = prod(map(len, domains.values()))
    rows_: list[dict[str, Any]] = []
    values: list[dict[str, Any]] = []
    told = _json(_origin(analysis, domains)).removesuffix("}")
    proofs.write(f'{told}, "regions": [')
    with progress("rebuilding values", len(places)) as advance:
        for place, (region, answers, made_) in enumerate(places):
            is_large = made_ is not None and made_.n_records > MOST_RECORDS
            is_tried = bool(answers) and not is_large
            found = rebuild(answers, n_cells, analysis) if is_tried else None
            own = {"analysis": analysis.name, "region": region}
            if found and not found.possible:
                raise TableError(_contradiction(where, answers, n_cells, analysis))
            claims = _merged(found) if found else {}
            if made_ and found:
                _check(claims, made_)
            sizes = _certain(found, n_cells)
            ones = [*alone(answers, sizes, domains, analysis.scale)]
            _check_ones(where, ones, answers, analysis)
            proved = _Proved(claims, ones)
            rows_.append(_row(analysis, own, answers, found, proved, made_))
            values += _values(own, claims, domains, analysis)
            values += _values_alone(own, ones, found, analysis)
            told = _json(
                {
                    "region": region,
                    "n_values_proved": proved.n,
                    "rows": [_answer(each) for each in answers],
                    **(_proofs(found) if found else {}),
                    "alone": [{"rows": one.rows, "value": one.value} for one in ones],
                }
            )
            proofs.write(f"{', ' if place else ''}{told}")
            advance(1)
    proofs.write("]}\n")
    return _found(rows_, values, [])


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, ensure_ascii=False)


def _found(
    rows: list[dict[str, Any]],
    values: list[dict[str, Any]],
    audits: Sequence[Mapping[str, Any]],
) -> Found:
    return Found(
        TABLES["query_answers"].frame(rows),
        TABLES["answered_values"].frame(values),
        TABLES["audited_queries"].frame(audits),
    )


def _places(
    answers: Sequence[Published], region: str | None
) -> Iterator[tuple[str, tuple[Published, ...], Made | None]]:
    """Yield the regions with what was published of each, sorted."""
    of_region: dict[str, list[Published]] = {}
    for answer in answers:
        name = "" if region is None else answer.group[region]
        of_region.setdefault(name or "", []).append(answer)
    for name, own in sorted(of_region.items()):
        yield name, tuple(own), None


Claims = Mapping[tuple[int, int], tuple[int, int, bool]]
"""By cell and rank from 1 up, least and largest value, and whether both are exact."""


class _Proved(NamedTuple):
    """What is proved of a region."""

    claims: Claims
    ones: Sequence[One]

    @property
    def n(self) -> int:
        """Values that are proved."""
        bounds = self.claims.values()
        return sum(low == high for low, high, _ in bounds) + len(self.ones)


def _certain(found: Rebuilt | None, n_cells: int) -> Integers:
    """Return how many persons each cell has in all tables that are possible."""
    nobody = np.zeros(n_cells, dtype=np.int64)
    if found is None:
        return nobody
    every = np.array([table.system.sizes for table in found.possible])
    least: Integers = every.min(axis=0)
    return least


def _merged(found: Rebuilt) -> Claims:
    """Return what holds in all tables of persons that are possible.

    Of ranks that a cell has in each of them.
    """
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
    """Hold claims against the values that answers were made of."""
    for (cell, rank), (least, largest, _) in claims.items():
        value = made.values[np.searchsorted(made.cells, cell) + rank - 1]
        assert least <= value <= largest, "a claim is wrong"


def _row(
    analysis: QueryAnswers,
    own: Mapping[str, str],
    answers: Sequence[Published],
    found: Rebuilt | None,
    proved: _Proved,
    made: Made | None,
) -> dict[str, Any]:
    """Return the row of a region."""
    possible = found.possible if found else []
    totals = {sum(table.system.sizes) for table in possible}
    n_records = made.n_records if made else totals.pop() if len(totals) == 1 else None
    claims = proved.claims.values()
    n_proved = proved.n
    return {
        **own,
        "table": analysis.release.table if analysis.release else "",
        "focal": analysis.release.focal if analysis.release else "",
        "attribute": analysis.attribute,
        "n_answers": sum(len(a.numbers) + (a.count[0] == a.count[1]) for a in answers),
        "n_records": n_records,
        "n_counts": len(possible) if found else None,
        "n_values_proved": n_proved if found or proved.ones else None,
        "n_values_exact": sum(e for *_, e in claims) if found else None,
        "share_proved": n_proved / n_records if found and n_records else None,
        "n_databases": sum(len(each.databases) for each in possible) if found else None,
        "is_all": str(bool(found) and all(each.every for each in possible)).lower(),
    }


def _values(
    own: Mapping[str, str], claims: Claims, domains: Domains, analysis: QueryAnswers
) -> Iterator[dict[str, Any]]:
    """Yield a row for each value."""
    grid = [*product(*domains.values())]
    for (cell, rank), (least, largest, is_exact) in claims.items():
        values = dict(zip(domains, grid[cell], strict=True))
        yield {
            **own,
            "cell": cell_text(values),
            "rank": rank,
            "least": least / analysis.scale,
            "largest": largest / analysis.scale,
            "is_exact": str(is_exact).lower(),
        }


def _values_alone(
    own: Mapping[str, str],
    ones: Sequence[One],
    found: Rebuilt | None,
    analysis: QueryAnswers,
) -> Iterator[dict[str, Any]]:
    """Yield a row for each person who is alone, by what the person is alone in."""
    is_taken = found is not None and any(t.databases for t in found.possible)
    for one in ones:
        yield {
            **own,
            "cell": one.cell,
            "rank": 1,
            "least": one.value / analysis.scale,
            "largest": one.value / analysis.scale,
            "is_exact": str(is_taken).lower(),
        }


def _origin(analysis: QueryAnswers, domains: Domains) -> dict[str, Any]:
    """Return what a certificate has besides regions."""
    return {
        "attributes": domains,
        "region": analysis.region,
        "decimals": analysis.decimals,
        "files": [
            {**given.model_dump(mode="json"), "sha256": sha256_of(given.file)}
            for given in analysis.tables or ()
        ],
    }


def _answer(answer: Published) -> dict[str, Any]:
    """Return what was published of a group, numbers as fractions."""
    return {
        "table": answer.source,
        "members": answer.cells.tolist(),
        "count": answer.count,
        "numbers": {n: [*map(str, each)] for n, each in answer.numbers.items()},
    }


def _proofs(found: Rebuilt) -> dict[str, Any]:
    """Return what is claimed of a region with its proofs."""
    return {
        "every": dict(written(found.every)),
        "tables": [_table_proofs(table) for table in found.tables],
    }


def _table_proofs(table: Counted) -> dict[str, Any]:
    """Return what is claimed for one table of persons with its proofs."""
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


def _check_ones(
    where: str,
    ones: Sequence[One],
    answers: Sequence[Published],
    analysis: QueryAnswers,
) -> None:
    """Refuse rows by which somebody who is alone has a value beyond all bounds."""
    for one in ones:
        if not analysis.least <= one.value / analysis.scale <= analysis.most:
            rows = [answers[row] for row in one.rows]
            raise TableError(_unfit(where, rows, analysis))


def _contradiction(
    where: str, answers: Sequence[Published], n_cells: int, analysis: QueryAnswers
) -> str:
    """Say which rows contradict one another, of which none can be left out."""
    left = list(answers)
    for answer in answers:
        fewer = [each for each in left if each is not answer]
        found = rebuild(fewer, n_cells, analysis)
        if found and not found.possible:
            left = fewer
    return _unfit(where, left, analysis)


def _unfit(where: str, rows: Sequence[Published], analysis: QueryAnswers) -> str:
    """Say which rows no values fit."""
    lines = "; ".join(f"{each.source}, line {each.line}" for each in rows)
    return (
        f"{where}: no values from {analysis.least:,} to {analysis.most:,} fit these "
        f"rows together: {lines}. Correct one of them, or least, most, decimals or "
        "domains."
    )
