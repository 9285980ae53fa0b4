"""Which twin writes a source's synthetic releases."""

from pathlib import Path

from microleak.errors import StudyError
from microleak.sources.twin import (
    write_higher_education_census,
    write_school_census,
)

TWINS = {
    "inep_school_census": write_school_census,
    "inep_higher_education_census": write_higher_education_census,
}
"""Writer of each source's twin: path, year, number of schools or courses, seed."""


def synthesise(path: Path, source: str, release: str, size: int, seed: int) -> None:
    """Write one synthetic release in the source's own raw form.

    Parameters
    ----------
    path
        Archive to write.
    source, release
        As in the study file.
    size
        Number of the twin's units: schools or courses.
    seed
        From 0 up; the same arguments give the same bytes.

    Raises
    ------
    StudyError
        If the source has no twin, or its twin does not make that release.
    """
    if source not in TWINS:
        raise StudyError(
            f"The source {source} has no synthetic twin; these have: "
            f"{', '.join(TWINS)}. Give the release an archive or a url."
        )
    if not release.isdigit():
        raise StudyError(
            f"A synthetic release of {source} is named by its year, not "
            f"{release!r}. Rename it under releases."
        )
    TWINS[source](path, int(release), size, seed)
