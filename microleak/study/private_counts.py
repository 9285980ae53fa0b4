"""The tables of a public report (docs/decisions/0030-private-counts.md)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic_core import to_jsonable_python

from microleak.base.errors import StudyError
from microleak.base.files import sha256_of
from microleak.definitions.laplace import (
    keyed_draws,
    laplace_noise,
    range_of,
    written,
)
from microleak.definitions.vectors import MOST_EPSILON, Statistic, Vector
from microleak.step import people
from microleak.study.tables import result_tables
from microleak.study_file.model import Study
from microleak.study_file.noise import NoiseSection
from microleak.tables.files import read_table
from microleak.tables.rows import as_table

if TYPE_CHECKING:
    import pandas as pd

_INGEST = "measures/ingest.csv"


def private_tables(
    study: Study, noise: NoiseSection, vectors: Sequence[Vector], study_dir: Path
) -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Yield the tables of a public report, and their names.

    The noise of a count follows from the key, the study's name, the records, the
    analysis, the count, its part of epsilon, and all that the page counts; so the same
    study has the same bytes, and any other one noise that has nothing to do with it.
    """
    specs = result_tables()
    ingest = read_table(study_dir / _INGEST, specs["ingest"])
    releases = ingest.assign(n_records=None).astype({"n_records": "Int64"})
    yield "releases", releases[specs["releases"].names]
    epsilon, parts = split_epsilon(study, noise, vectors)
    account = {**noise.spent, study.name: str(epsilon)}
    rows = [
        {"publication": n, "epsilon": written(Fraction(e))} for n, e in account.items()
    ]
    yield "privacy_losses", as_table(specs["privacy_losses"], rows)
    key = Path(noise.key).read_bytes()
    digest = cache(lambda path: sha256_of(study_dir / path))
    definitions = {
        name: to_jsonable_python(analysis) | {"n_parts": None}
        for analyses in study.analyses.values()
        for name, analysis in analyses.items()
    }
    page = [study.name, [vector.name for vector in vectors]]
    counts: dict[str, list[dict[str, Any]]] = {}
    for vector in vectors:
        records = [digest(people(vector.table, each)) for each in vector.releases]
        about = [page, records, definitions[vector.analysis]]
        part = parts[vector.statistic]
        exact = vector.count(study_dir)
        for row in _count_rows(vector, exact, part):
            message = json.dumps([*about, row], sort_keys=True).encode()
            row["n_noisy"] += laplace_noise(part, keyed_draws(key, message))
            row["epsilon"] = written(part)
            counts.setdefault(vector.analysis, []).append(row)
    for name, found in counts.items():
        yield f"noisy_counts/{name}", as_table(specs["noisy_counts"], found)


def split_epsilon(
    study: Study, noise: NoiseSection, vectors: Sequence[Vector]
) -> tuple[Fraction, Mapping[Statistic, Fraction]]:
    """Return the epsilon of a page, and the part of each number by its statistic."""
    epsilon, parts = noise.split([vector.statistic for vector in vectors])
    is_exact = any(range_of(part) == 0 for part in parts.values())
    if epsilon > MOST_EPSILON or is_exact:
        why = "some counts would be exact"
        if epsilon > MOST_EPSILON:
            why = (
                f"a page with more than {MOST_EPSILON} tells nearly all about a person"
            )
        raise StudyError(
            f"{study.file}: report.noise takes an epsilon of {written(epsilon)} in "
            f"all, with which {why}. Write a larger within or a smaller epsilon, or "
            "more even weights."
        )
    return epsilon, parts


def _count_rows(
    vector: Vector, exact: Sequence[int], epsilon: Fraction
) -> Iterator[dict[str, Any]]:
    """Yield the rows of a vector, as they are without noise."""
    for group, count in zip(vector.groups, exact, strict=True):
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


def check_replaced(study_dir: Path, published: Path) -> None:
    """Refuse other counts with noise than those of a report that is there.

    Both may have been given away, and no account would have the first.
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
            f"{report} already has a public report with other counts. A second one "
            "would be a further publication. Give the study another name, and name "
            f"{study_dir.name} with its epsilon under report.noise.spent. If it was "
            f"never given away, remove {report} and run again (docs/public.md)."
        )


def private_needs(
    study: Study, noise: NoiseSection, vectors: Sequence[Vector]
) -> tuple[str, ...]:
    """Return what `private_tables` reads, as paths below the study's results."""
    if not vectors:
        raise StudyError(
            f"{study.file}: the public report has nothing to count. Counts are made of "
            "collective analyses that measure the named adversaries' QIDs or all of "
            "them (docs/public.md). Add one, or write audience: internal."
        )
    kinds = {vector.statistic for vector in vectors}
    if idle := [each for each in noise.weights if each not in kinds]:
        raise StudyError(
            f"{study.file}: report.noise.weights has {idle[0]}, which this page does "
            f"not count. It counts {', '.join(sorted(kinds))}. Remove it."
        )
    split_epsilon(study, noise, vectors)
    paths = (
        path
        for vector in vectors
        for path in (
            *vector.needs,
            *(people(vector.table, each) for each in vector.releases),
        )
    )
    return _INGEST, *dict.fromkeys(paths)
