"""A table of a study that ran, its people and panels, found by their names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from microleak.base.errors import StudyError, check_known, nearest, ordinal
from microleak.cli.known import PIECES, Known
from microleak.sources.steps.intermediate import receipt, schema_of


@dataclass(frozen=True)
class Finished:
    """A table of a study that ran, with the releases linked to a focal one.

    Attributes
    ----------
    folder
        `results/STUDY`.
    table, focal
        Their names.
    files
        Records of the focal release and then what others say of its persons, by
        release.
    """

    folder: Path
    table: str
    focal: str
    files: Mapping[str, Path]

    def by_release(self, known: Known) -> dict[str, Known]:
        """Return known values by release, from `NAME` and `RELEASE.NAME`.

        A name without a release is of the focal one.

        Raises
        ------
        StudyError
            If there is no such attribute, which is then told by its place as it
            may be a piece of a value, or it comes twice.
        """
        places = self._places()
        found: dict[str, Known] = {}
        for i, (name, value) in enumerate(known.items(), 1):
            if name not in places:
                raise StudyError(
                    f"--known: {self.table} {self.focal} of {self.folder} has no "
                    f"attribute of the {ordinal(i)} name.{nearest(name, places)} "
                    f"{PIECES} There is what the study's analyses and targets need."
                )
            release, attribute = places[name]
            values = found.setdefault(release, {})
            if attribute in values:
                raise StudyError(f"--known gives {attribute} of {release} twice.")
            values[attribute] = value
        return found

    def check_has(self, release: str, attributes: Iterable[str], option: str) -> None:
        """Refuse attributes that a release does not have, with the nearest it has."""
        read = self._attributes(release)
        edit = (
            f" The study read of it {', '.join(read)}; others have to be in an "
            "analysis or a target."
        )
        for name in attributes:
            said = f"{option}: {self.table} {release} of {self.folder} has no attribute"
            check_known(name, read, said, edit)

    def _places(self) -> dict[str, tuple[str, str]]:
        """Return release and attribute by each name; the focal release's come last."""
        releases = [*(r for r in self.files if r != self.focal), self.focal]
        named = {
            f"{release}.{attribute}": (release, attribute)
            for release in releases
            for attribute in self._attributes(release)
        }
        return named | {a: (self.focal, a) for a in self._attributes(self.focal)}

    def _attributes(self, release: str) -> list[str]:
        """Return a release's attributes but the person's identifier."""
        path = self.files[self.focal].parent / f"{self.focal}.json"
        person_id = receipt(path)["person_id"]
        columns = schema_of(self.files[release]).names
        return [name.partition("|")[0] for name in columns if name != person_id]


def finished(folder: Path, table: str, focal: str) -> Finished:
    """Return a table and focal release of the results of a study that ran.

    Raises
    ------
    StudyError
        If there are none of these names.
    """
    tables = [path.name for path in sorted(folder.glob("people/*"))]
    if not tables:
        raise StudyError(
            f"{folder} has no people/: it is no result of a study that ran. Give "
            "results/STUDY, or a CSV without --table and --focal."
        )
    check_known(table, tables, f"--table: {folder} has no table")
    releases = _by_release(folder / "people" / table)
    check_known(focal, releases, f"--focal: {table} of {folder} has no release")
    linked = _by_release(folder / "panels" / table / focal)
    return Finished(folder, table, focal, {focal: releases[focal]} | linked)


def _by_release(folder: Path) -> dict[str, Path]:
    files = sorted(folder.glob("*.parquet"))
    return {path.name.removesuffix(".parquet"): path for path in files}
