"""What a study's profiles will cost, said before they are made."""

from collections.abc import Collection, Iterator

from microleak.families import FAMILIES
from microleak.family import load
from microleak.records.subsets import MILLION, N_CORES, cost_of_a_million, profile_cost
from microleak.sources.twin import twin_of
from microleak.study_file.model import Release, Study

QUIET_S = 60  # Profiles that take less are made without a word
MANY_RECORDS = 112 * MILLION
"""Records of a release whose number is unknown, at most: Gonze's largest."""


def profile_estimates(study: Study, made: Collection[str]) -> Iterator[str]:
    """Yield a line about what the profiles of each analysis will cost."""
    for family in FAMILIES:
        for each in load(family.estimate)(study) if family.estimate else ():
            n_subsets = sum(n for file, n in each.n_subsets.items() if file in made)
            if n_subsets:
                known = [_n_records(study, *release) for release in each.releases]
                n_records = None if None in known else sum(filter(None, known))
                yield from _profile_estimate(each.analysis, n_subsets, n_records)


def _n_records(study: Study, table: str, name: str) -> int | None:
    given = study.tables[table]
    counts = [_n_of_release(given.source, each) for each in given.origins(name)]
    return None if None in counts else sum(filter(None, counts))


def _n_of_release(source: str, release: Release) -> int | None:
    if release.twin_size is not None:
        return release.twin_size * twin_of(source).n_persons
    return release.n_rows


def _profile_estimate(
    analysis: str, n_subsets: int, n_records: int | None
) -> Iterator[str]:
    if profile_cost(n_records or MANY_RECORDS, n_subsets).seconds < QUIET_S:
        return
    if n_records is None:
        said = cost_of_a_million(n_subsets)
    else:
        said = f"{profile_cost(n_records, n_subsets)} for about {n_records:,} records"
    yield (
        f"analysis {analysis!r}: the profiles of {n_subsets:,} subsets take "
        f"{said}, on {N_CORES} cores"
    )
