"""Public reports beside that of a study: who has both may know more than of each."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from microleak.base.errors import TableError, VerificationError
from microleak.sources.steps.intermediate import receipt
from microleak.study.listing import CERTIFICATE
from microleak.study.public_report import LOSSES, PublicReport

_Releases = dict[tuple[str, str], tuple[str, Any]]
"""By table and release: the SHA-256 of the archive, if it is of one, and the receipt of
its records, one a person."""

More = dict[tuple[str, str], int]
"""By table and release, how many records another report has more."""


def other_public_reports(study_dir: Path) -> list[str]:
    """Return the studies beside a public one that have a public report of its data.

    Data are the same if an archive has the same SHA-256 or name, or is of a table and
    release of the same names: of a corrected archive the report says who was
    corrected. Empty if the study itself has no public report, or one with noise, which
    no other one is beside unless their epsilons add up. What cannot be read is not one.
    """
    if not _is_public(study_dir) or (study_dir / "report" / LOSSES).exists():
        return []
    return [other.name for other in reports_of_same_data(study_dir)]


def reports_of_same_data(study_dir: Path) -> list[Path]:
    """Return the results that `other_public_reports` names, whatever the study has."""
    archives = {*_archives(study_dir)}
    return [
        other
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
    return isinstance(metadata, dict) and metadata.get("audience") == "public"


def _archives(study_dir: Path) -> Iterator[str | tuple[str, str]]:
    """Yield of each archive that a study has read by what others may be known.

    The name of a folder that is called as its release, as `2018`, says nothing.
    """
    for path in sorted(study_dir.glob("tables/*/*.json")):
        try:
            read = receipt(path)
            yield from (read["sha256"], (path.parent.name, path.stem))
            if read["archive"] != path.stem:
                yield read["archive"]
        except (TableError, OSError, KeyError, TypeError):
            continue


def reports_of_same_records(study_dir: Path) -> list[Path]:
    """Return the results beside a study that have a public report of the same records.

    Each release that both have by name is of the same archive, and the same records of
    it were kept; no archive has another name there. Reports without a proof, and those
    that are not in the public form, as of another version of microleak, are left out.
    """
    mine = _releases(study_dir)
    return [
        other
        for other, theirs in _proved_beside(study_dir)
        if _are_same(mine, theirs) and _is_whole(other)
    ]


def reports_of_other_records(study_dir: Path) -> dict[Path, More]:
    """Return those that have other records under the same names, with how many more.

    As of a corrected archive, or where persons were added to it; by each table and
    release that both have. Else as `reports_of_same_records`.
    """
    mine = _releases(study_dir)
    return {
        other: more
        for other, theirs in _proved_beside(study_dir)
        if not _are_same(mine, theirs)
        if (more := _more(mine, theirs)) and _is_whole(other)
    }


def _proved_beside(study_dir: Path) -> Iterator[tuple[Path, _Releases]]:
    """Yield the public reports beside a study that are proved, and their records."""
    for other in sorted(study_dir.parent.iterdir()):
        is_proved = other != study_dir and (other / CERTIFICATE).exists()
        if is_proved and _is_public(other):
            yield other, _releases(other)


def _more(mine: _Releases, others: _Releases) -> More:
    """Return how many records others have more, of all releases that both have.

    Nothing if that is not known of one of them.
    """
    try:
        return {
            name: others[name][1]["n_records"] - told["n_records"]
            for name, (_, told) in mine.items()
            if name in others
        }
    except (KeyError, TypeError):
        return {}


def pooled_releases(study_dir: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the pooled releases of results, by table and name, and their parts."""
    every = _releases(study_dir).items()
    return {
        name: tuple(told["releases"])
        for name, (_, told) in every
        if isinstance(told, dict) and isinstance(told.get("releases"), dict)
    }


def _releases(study_dir: Path) -> _Releases:
    found: _Releases = {}
    for path in sorted(study_dir.glob("people/*/*.json")):
        name = (path.parent.name, path.stem)
        table = study_dir / "tables" / name[0] / path.name
        try:
            sha256 = receipt(table)["sha256"] if table.exists() else ""
            found[name] = sha256, receipt(path)
        except (TableError, OSError, KeyError, TypeError):
            found[name] = "", None
    return found


def _are_same(mine: _Releases, others: _Releases) -> bool:
    """Say whether all that is in common is the same by name, archive and records."""
    of_archive = {sha256: name for name, (sha256, _) in mine.items() if sha256}
    common = mine.keys() & others.keys()
    return (
        bool(common)
        and all(
            mine[name] == others[name] and mine[name][1] is not None for name in common
        )
        and all(
            of_archive.get(sha256, name) == name for name, (sha256, _) in others.items()
        )
    )


def _is_whole(study_dir: Path) -> bool:
    try:
        return not PublicReport(study_dir).faults
    except VerificationError:
        return False
