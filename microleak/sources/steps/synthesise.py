"""Which twin writes a source's synthetic releases."""

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from microleak.base.errors import StudyError
from microleak.base.files import UNFINISHED, whole_file
from microleak.sources.twin import (
    write_higher_education_census,
    write_outpatient,
    write_pense,
    write_school_census,
)

Writer = Callable[[Path, int, int, int], int]
"""Writes an archive of a year, of so many units, with a seed."""


def synthesise(path: Path, source: str, release: str, size: int, seed: int) -> None:
    """Write one synthetic release in the source's own raw form."""
    if source not in TWINS:
        raise StudyError(
            f"The source {source} has no synthetic twin; these have: "
            f"{', '.join(TWINS)}. Give the release an archive or a url."
        )
    TWINS[source](path, release, size, seed)


def _of_a_year(write: Writer) -> Callable[[Path, str, int, int], None]:
    def of_a_year(path: Path, release: str, size: int, seed: int) -> None:
        """Write the twin of the year that a release's name is."""
        if not release.isdigit():
            raise StudyError(
                f"A synthetic release of a census or survey is named by its year, not "
                f"{release!r}. Rename it under releases."
            )
        write(path, int(release), size, seed)

    return of_a_year


def _outpatient(path: Path, release: str, size: int, seed: int) -> None:
    """Write the files of a state's year, in a zip as one archive."""
    state, _, year = release.partition("-")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=path.parent) as name:
        folder = Path(name) / release
        write_outpatient(folder, state, int(year), size, seed)
        with whole_file(path) as aside, zipfile.ZipFile(aside, "w") as archive:
            for file in sorted(folder.iterdir()):
                _add(archive, file)


def _add(archive: zipfile.ZipFile, file: Path) -> None:
    entry = zipfile.ZipInfo(file.name)  # has no time of its own
    entry.compress_type = zipfile.ZIP_DEFLATED
    with (
        archive.open(entry, "w", force_zip64=True) as member,
        file.open("rb") as lines,
    ):
        while block := lines.read(1 << 20):
            member.write(block)


TWINS = {
    "inep_school_census": _of_a_year(write_school_census),
    "inep_higher_education_census": _of_a_year(write_higher_education_census),
    "datasus_sia_pa": _outpatient,
    "ibge_pense": _of_a_year(write_pense),
}
"""What makes a release of each source's twin: path, release, size, seed."""
