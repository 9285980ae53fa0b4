"""What a source's synthetic twin makes: of which years, and in what it is measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from microleak.base.errors import StudyError
from microleak.sources.definitions.definition import source_definition
from microleak.sources.twin.engine.draws import Settings
from microleak.sources.twin.higher_education.courses import higher_education
from microleak.sources.twin.outpatient.units import outpatient
from microleak.sources.twin.pense.sample import pense
from microleak.sources.twin.school.schools import parameters


@dataclass(frozen=True)
class Unit:
    """What a twin's size counts, its persons each on average, and its parameters."""

    name: str
    n_persons: int
    settings: Callable[[], Settings]


UNITS = {
    "inep_school_census": Unit("schools", 262, parameters),
    "inep_higher_education_census": Unit("courses", 284, higher_education),
    "datasus_sia_pa": Unit("records", 1, outpatient),
    # Of the School Census that the sample is drawn from.
    "ibge_pense": Unit("schools", 1, pense),
}
"""Of every source that has a twin."""


def twin_size(source: str, release: str, given: Mapping[str, int], where: str) -> int:
    """Return the size that the study file gives a synthetic release."""
    if source not in UNITS:
        raise StudyError(
            f"{where}: the source {source} has no synthetic twin; these have: "
            f"{', '.join(UNITS)}. Give the release an archive or a url."
        )
    (unit, size), expected = next(iter(given.items())), UNITS[source].name
    if unit != expected:
        raise StudyError(
            f"{where}: the size of a synthetic {source} is given in {expected}, not in "
            f"{unit}. Write synthetic: {{{expected}: NUMBER}}."
        )
    _check_year(source, release, where)
    return size


def _check_year(source: str, release: str, where: str) -> None:
    years = UNITS[source].settings().years
    if source_definition(source, release, {}).year in map(str, years):
        return
    first, last = years[0], years[-1]
    made = f"{first} to {last}" if first < last else f"only {first}"
    raise StudyError(
        f"{where}: the twin of {source} has {made}. Correct the release's year, or "
        "give it an archive or a url."
    )
