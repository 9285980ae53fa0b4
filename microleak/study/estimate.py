"""What a study's profiles will cost, said before they are made."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from microleak.study.cost import MILLION, N_CORES, cost, cost_of_a_million
from microleak.study.model import Study
from microleak.study.twin_size import UNITS

QUIET_S = 60
"""Profiles that take less are made without a word."""

MANY_RECORDS = 112 * MILLION
"""As many as a release may have of which nobody says: Gonze's largest."""


def estimates(study: Study, made: Collection[str]) -> Iterator[str]:
    """Say in a line about what the profiles of each analysis will cost.

    Nothing is said of profiles that are not made, of profiles that take less than
    `QUIET_S`, and of an unknown number of records if many of them took less.

    Parameters
    ----------
    study
        The study. The records of a release are known if it has `n_rows` or a
        twin makes it; else each million is estimated.
    made
        Results that are made, as paths below the study's folder.
    """
    for profile in _profiles(study):
        n_subsets = sum(
            n for file, n in profile.n_subsets.items() if f"profiles/{file}" in made
        )
        if n_subsets:
            yield from _estimate(profile.analysis, n_subsets, profile.n_records)


@dataclass(frozen=True)
class _Profile:
    """The subsets of each profile of an analysis, and their records if known.

    Subsets count once for each release that they have attributes of.
    """

    analysis: str
    n_subsets: Mapping[str, int]
    n_records: int | None


def _profiles(study: Study) -> Iterator[_Profile]:
    for name, analysis in study.collective.items():
        n_subsets = {
            f"{name}/{part.panel}.parquet": len(analysis.subsets) * len(part.releases)
            for part in analysis.prefixes
        }
        n_records = _n_records(study, analysis.table, analysis.focal)
        yield _Profile(name, n_subsets, n_records)
    for name, compared in study.compared.items():
        n_subsets = {f"{name}/overlap.parquet": len(compared.subsets)}
        releases = [(table, release) for table, release, _ in compared.needs]
        n_each = [_n_records(study, *release) for release in releases]
        known = [n for n in n_each if n is not None]
        n_records = sum(known) if len(known) == len(n_each) else None
        yield _Profile(name, n_subsets, n_records)
    for name, part in study.anonymity.items():
        n_subsets = {f"{name}/blocks.parquet": len(part.subsets)}
        yield _Profile(name, n_subsets, _n_records(study, part.table, part.focal))


def _n_records(study: Study, table: str, name: str) -> int | None:
    release = study.tables[table].releases[name]
    if release.twin_size is not None:
        return release.twin_size * UNITS[study.tables[table].source].n_persons
    return release.n_rows


def _estimate(analysis: str, n_subsets: int, n_records: int | None) -> Iterator[str]:
    if cost(n_records or MANY_RECORDS, n_subsets).seconds < QUIET_S:
        return
    if n_records is None:
        said = cost_of_a_million(n_subsets)
    else:
        said = f"{cost(n_records, n_subsets)} for about {n_records:,} records"
    yield (
        f"analysis {analysis!r}: the profiles of {n_subsets:,} subsets take "
        f"{said}, on {N_CORES} cores"
    )
