"""What a study's profiles will cost, said before they are made."""

from collections.abc import Iterator
from pathlib import Path

from microleak.study.cost import MILLION, N_CORES, cost, cost_of_a_million
from microleak.study.model import Collective, Study, Table
from microleak.study.twin_size import UNITS

QUIET_S = 60
"""Profiles that take less are made without a word."""

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
        table = study.tables[analysis.table]
        folder = results / "profiles" / analysis.name
        n_releases = sum(
            len(part.releases)
            for part in analysis.prefixes
            if not (folder / f"{part.panel}.parquet").exists()
        )
        if n_releases:
            yield from _estimate(
                analysis, n_releases, _n_records(table, analysis.focal)
            )


def _n_records(table: Table, name: str) -> int | None:
    release = table.releases[name]
    if release.twin_size is not None:
        return release.twin_size * UNITS[table.source].n_persons
    return release.n_rows


def _estimate(
    analysis: Collective, n_releases: int, n_records: int | None
) -> Iterator[str]:
    """Say what subsets cost, once for each release that they have attributes of."""
    n_subsets = len(analysis.subsets) * n_releases
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
