"""Reading a study file: checked, and with defaults filled in."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from microleak.base.errors import StudyError
from microleak.families import FAMILIES
from microleak.family import load, steps_of
from microleak.sources.definitions.definition import source_definition
from microleak.sources.files.identity import is_marked
from microleak.sources.twin.size import twin_size
from microleak.study_file import schema
from microleak.study_file.context import Context
from microleak.study_file.model import Release, Study, Table
from microleak.study_file.yaml import read_yaml


def load_study(path: Path) -> Study:
    """Read and check a study file.

    Raises
    ------
    StudyError
        If the file does not fit its schema, or names a table, release or QID
        set that it does not have.
    """
    content = read_yaml(path)
    schema.check(content, path)
    tables = {
        name: _table(name, part, path)
        for name, part in content.get("tables", {}).items()
    }
    context = Context(path, content, tables)
    report = content.get("report", {})
    return Study(
        name=content["study"],
        seed=content["seed"],
        tables=tables,
        analyses=_analyses(context, content["analyses"]),
        languages=tuple(report.get("languages", ["pt", "en"])),
        audience=report.get("audience", "internal"),
        shared={
            key: read(context, content.get(key, {}))
            for family in FAMILIES
            for key, read in getattr(load(family.section), "KEYS", {}).items()
        },
        file=path.name,
    )


def _analyses(context: Context, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the analyses of each family, by name."""
    for name, each in given.items():
        _check_names([part["name"] for part in each], name, context.path)
    for family in FAMILIES:
        read = load(family.section).read
        context.earlier[family.name] = read(context, given.get(family.name, []))
    by_name = {n: {a.name: a for a in each} for n, each in context.earlier.items()}
    if not any(by_name.values()):
        raise StudyError(
            f"{context.path}: analyses has none, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    names = {
        family.name: {
            each
            for analysis in by_name[family.name].values()
            for each in (analysis.name, getattr(analysis, "part_of", ""))
            if each
        }
        for family in FAMILIES
        if any("measures/" in p for s in steps_of(family) for p in s.makes.values())
    }
    _check_shared(names, context.path)
    return by_name


def _check_names(names: Sequence[str], kind: str, path: Path) -> None:
    """Refuse two analyses of one name."""
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: analyses.{kind} has two analyses named {name!r}. "
                "Rename one of them."
            )


def _check_shared(names: Mapping[str, Collection[str]], path: Path) -> None:
    """Refuse analyses of two kinds whose results would lie in one folder."""
    for one, other in combinations(names, 2):
        for name in sorted(set(names[one]) & set(names[other])):
            raise StudyError(
                f"{path}: analyses.{one} and analyses.{other} both have an analysis "
                f"named {name!r}. Rename one of them."
            )


def _table(name: str, part: Mapping[str, Any], path: Path) -> Table:
    releases = {
        release: _release(release, given, part, f"{path}: {name} {release}")
        for release, given in part["releases"].items()
    }
    options = part.get("options", {})
    return Table(name, part["source"], options, part.get("max_refused", 0), releases)


def _release(
    name: str, given: Mapping[str, Any], part: Mapping[str, Any], where: str
) -> Release:
    twin, archive = given.get("synthetic"), given.get("archive")
    return Release(
        name=name,
        archive=archive,
        is_marked=archive is not None and _is_marked(Path(archive), name, part),
        url=given.get("url"),
        twin_size=twin and twin_size(part["source"], name, twin, where),
        sha256=given.get("sha256", "").lower() or None,
        n_rows=given.get("n_rows"),
    )


def _is_marked(archive: Path, release: str, part: Mapping[str, Any]) -> bool:
    """Whether an archive that is there is known by its marks as made by a twin."""
    if not archive.exists():
        return False
    definition = source_definition(part["source"], release, part.get("options", {}))
    return is_marked(archive, definition)
