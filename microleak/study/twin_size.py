"""In what a source's synthetic twin is measured, and how many persons that means."""

from collections.abc import Mapping
from dataclasses import dataclass

from microleak.errors import StudyError


@dataclass(frozen=True)
class Unit:
    """What a twin's size counts, and its persons each, on average."""

    name: str
    n_persons: int


UNITS = {
    "inep_school_census": Unit("schools", 262),
    "inep_higher_education_census": Unit("courses", 284),
    "datasus_sia_pa": Unit("records", 1),
    # Of the School Census that the sample is drawn from.
    "ibge_pense": Unit("schools", 1),
}
"""Of every source that has a twin."""


def twin_size(source: str, given: Mapping[str, int], where: str) -> int:
    """Return the size that the study file gives a synthetic release.

    Raises
    ------
    StudyError
        If the source has no twin, or its size is counted in something else.
    """
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
    return size
