"""What a study's profiles will cost, said before they are made."""

from collections.abc import Iterator
from pathlib import Path

from microleak.study.cost import MILLION, N_CORES, cost, cost_of_a_million
from microleak.study.model import Collective, Release, Study

QUIET_S = 60
"""Profiles that take less are made without a word."""

RECORDS_A_SCHOOL = 262
"""Students a school of the School Census's twin, 49,800 in 190 schools."""

MANY_RECORDS = 112 * MILLION
"""As many as a release may have of which nobody says: Gonze's largest."""


def estimates(study: Study, results: Path) -> Iterator[str]:
    """Say in a line about what the profiles of each analysis will cost.

    Nothing is said of profiles that are there already, of profiles that take
    less than `QUIET_S`, and of an unknown number of records if many of them
    took less.

    Parameters
    ----------
    study
        The study. The records of a release are known if it has `n_rows` or a
        twin makes it; else each million is estimated.
    results
        Folder of the study's results.
    """
    for analysis in study.collective.values():
        release = study.tables[analysis.table].releases[analysis.focal]
        if not (results / "profiles" / f"{analysis.name}.parquet").exists():
            yield from _estimate(analysis, _n_records(release))


def _n_records(release: Release) -> int | None:
    if release.schools is not None:
        return release.schools * RECORDS_A_SCHOOL
    return release.n_rows


def _estimate(analysis: Collective, n_records: int | None) -> Iterator[str]:
    n_subsets = len(analysis.subsets)
    if cost(n_records or MANY_RECORDS, n_subsets).seconds < QUIET_S:
        return
    if n_records is None:
        said = cost_of_a_million(n_subsets)
    else:
        said = f"{cost(n_records, n_subsets)} for about {n_records:,} records"
    yield (
        f"analysis {analysis.name!r}: the profiles of {n_subsets:,} subsets take "
        f"{said}, on {N_CORES} cores"
    )
