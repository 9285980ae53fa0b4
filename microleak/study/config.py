"""Reading a study file: checked, and with defaults filled in."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from microleak.errors import StudyError
from microleak.sources.definition import source_definition
from microleak.sources.marks import is_marked
from microleak.study import schema
from microleak.study.analyses import Parts
from microleak.study.groups_given import groups_given
from microleak.study.mechanism_given import mechanisms
from microleak.study.model import Release, Study, Table
from microleak.study.reconstruction_given import reconstructions
from microleak.study.samples_given import anonymities, memberships
from microleak.study.scenarios import scenarios
from microleak.study.twin_size import twin_size
from microleak.study.yaml_file import read_yaml


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
    groups = groups_given(content.get("groups", {}))
    parts = Parts(path, tables, content.get("qid_sets", {}), groups)
    report = content.get("report", {})
    analyses = _analyses(parts, content["analyses"])
    collective = analyses["collective"].values()
    return Study(
        name=content["study"],
        seed=content["seed"],
        tables=tables,
        languages=tuple(report.get("languages", ["pt", "en"])),
        audience=report.get("audience", "internal"),
        scenarios=scenarios(content.get("scenarios", {}), collective, path),
        file=path.name,
        **analyses,
    )


def _analyses(parts: Parts, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the analyses of each kind, by name."""
    for kind, each in given.items():
        _check_names([part["name"] for part in each], kind, parts.path)
    collective = parts.collective(given.get("collective", []))
    found: dict[str, Sequence[Any]] = {
        "collective": collective,
        "targets": parts.targets(given.get("targets", []), collective),
        "membership": memberships(parts, given.get("membership", [])),
        "anonymity": anonymities(parts, given.get("anonymity", [])),
        "mechanism": mechanisms(parts, given.get("mechanism", [])),
        "reconstruction": reconstructions(parts, given.get("reconstruction", [])),
    }
    by_name = {kind: {a.name: a for a in each} for kind, each in found.items()}
    if not any(by_name.values()):
        raise StudyError(
            f"{parts.path}: analyses has none, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    part_of = {analysis.part_of for analysis in collective}
    names = {
        "collective": part_of.union(by_name["collective"]),
        "membership": set(by_name["membership"]),
        "anonymity": set(by_name["anonymity"]),
        "mechanism": set(by_name["mechanism"]),
        "reconstruction": set(by_name["reconstruction"]),
    }
    _check_shared(names, parts.path)
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
