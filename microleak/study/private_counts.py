"""The tables of a public report (docs/decisions/0030-private-counts.md)."""

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.definitions.laplace import keyed, laplace, range_of
from microleak.definitions.vectors import Vector
from microleak.family import Publication, people
from microleak.study.tables import tables
from microleak.study_file.model import Study
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import read_table

if TYPE_CHECKING:
    import pandas as pd

_INGEST = "measures/ingest.csv"


def private_tables(
    study: Study,
    noise: NoiseSection,
    families: Mapping[str, Publication],
    study_dir: Path,
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the tables of a public report, and their names.

    The noise of a count follows from the key, the study's name, the records, the
    analysis, what is counted and its part of epsilon; so the same study has the same
    bytes, and any other one noise that has nothing to do with it.
    """
    specs = tables()
    ingest = read_table(study_dir / _INGEST, specs["ingest"])
    releases = ingest.assign(n_records=None).astype({"n_records": "Int64"})
    yield "releases", releases[specs["releases"].names]
    exact = [
        (study.analyses[family][vector.analysis], vector)
        for family, published in families.items()
        for vector in published.counts(study, study_dir)
    ]
    epsilon, parts = noise.split([vector.statistic for _, vector in exact])
    account = {**noise.spent, study.name: str(epsilon)}
    rows = [{"publication": n, "epsilon": str(Fraction(e))} for n, e in account.items()]
    yield "privacy_losses", specs["privacy_losses"].frame(rows)
    key = Path(noise.key).read_bytes()
    digest = cache(lambda path: sha256_of(study_dir / path))
    counts: dict[str, list[dict[str, Any]]] = {}
    for analysis, vector in exact:
        records = [digest(people(vector.table, each)) for each in vector.releases]
        definition = to_jsonable_python(analysis) | {"n_parts": None}
        about = [study.name, records, definition]
        part = parts[vector.statistic]
        for row in _rows(vector, part):
            below = keyed(key, _message(about, row))
            row["n_noisy"] += laplace(part, below)
            counts.setdefault(vector.analysis, []).append(row)
    for name, found in counts.items():
        yield f"noisy_counts/{name}", specs["noisy_counts"].frame(found)


def _rows(vector: Vector, epsilon: Fraction) -> Iterator[dict[str, Any]]:
    """Yield the rows of a vector, as they are without noise."""
    for group, count in vector.counts.items():
        yield {
            **{name: getattr(vector, name) for name in ("analysis", "table", "focal")},
            "auxiliary": "|".join(vector.auxiliary),
            "qids": "|".join(vector.qids),
            "n_qids": len(vector.qids),
            "sensitive": vector.sensitive,
            "statistic": vector.statistic,
            "by": vector.by,
            "group": group,
            "n_noisy": count,
            "range_95": range_of(epsilon),
            "epsilon": str(epsilon),
        }


def _message(about: list[Any], row: Mapping[str, Any]) -> bytes:
    """Return what the noise of a count follows from.

    The definition of the analysis and the count itself are in it: should the count
    change for a reason that the records do not show, the noise is another one, too,
    and their difference tells nothing. In how many jobs it is counted changes nothing.
    """
    return json.dumps([*about, row], sort_keys=True).encode()


def check_replaced(study_dir: Path, published: Path) -> None:
    """Refuse other counts with noise than those of a report that is there.

    Both may have been given away, and no account would have the first.

    Raises
    ------
    StudyError
        If there is such a report.
    """
    report = study_dir / "report"
    suffix = "-noisy_counts.csv"
    earlier = {
        path.name.removesuffix(suffix): path.read_bytes()
        for path in report.glob(f"data/*{suffix}")
    }
    counts = {p.stem: p.read_bytes() for p in published.glob("noisy_counts/*.csv")}
    if earlier and earlier != counts:
        raise StudyError(
            f"{report} is a public report with other counts with noise, and what this "
            "run would replace it by is a further publication. Give the study another "
            f"name, and name {study_dir.name} with its epsilon under "
            f"report.noise.spent. If it was never given away, remove {report} and run "
            "again (docs/public.md)."
        )


def private_needs(study: Study, families: Mapping[str, Publication]) -> tuple[str, ...]:
    """Return what `private_tables` reads, as paths below the study's results.

    Raises
    ------
    StudyError
        If there is nothing to count.
    """
    counted = dict.fromkeys(
        path for each in families.values() for path in each.counts_needs(study)
    )
    if not counted:
        raise StudyError(
            f"{study.file}: the public report has nothing to count. Counts are made of "
            "collective analyses that measure the named adversaries' QIDs or all of "
            "them (docs/public.md). Add one, or write audience: internal."
        )
    return _INGEST, *counted
