"""Public reports of the same records that lie beside one another."""

from collections.abc import Iterator
from pathlib import Path

from microleak.errors import TableError
from microleak.sources.made import receipt


def other_public_reports(study_dir: Path) -> list[str]:
    """Return the studies beside a public one that have a public report of its data.

    Data are the same if an archive has the same SHA-256, or the same name: of a
    corrected archive the report says who was corrected. Empty if the study itself has
    no public report. What cannot be read is not one.
    """
    if not _is_public(study_dir):
        return []
    archives = {*_archives(study_dir)}
    return [
        other.name
        for other in sorted(study_dir.parent.iterdir())
        if other != study_dir
        and _is_public(other)
        and not archives.isdisjoint(_archives(other))
    ]


def _is_public(study_dir: Path) -> bool:
    try:
        metadata = receipt(study_dir / "report/data/metadata.json")
    except (TableError, OSError):
        return False
    return metadata.get("audience") == "public"


def _archives(study_dir: Path) -> Iterator[str]:
    """Yield SHA-256 and name of each archive that a study has read."""
    for path in sorted(study_dir.glob("tables/*/*.json")):
        try:
            read = receipt(path)
        except (TableError, OSError):
            continue
        yield from (read["sha256"], read["archive"])
