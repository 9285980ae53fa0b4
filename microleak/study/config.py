"""Reading a study file: checked, and with defaults filled in."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from microleak.errors import StudyError
from microleak.study import schema
from microleak.study.analyses import Parts
from microleak.study.groups_given import groups_given
from microleak.study.model import Release, Study, Table
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
        name: _table(name, part, path) for name, part in content["tables"].items()
    }
    groups = groups_given(content.get("groups", {}))
    parts = Parts(path, tables, content.get("qid_sets", {}), groups)
    analyses = content["analyses"]
    for kind, given in analyses.items():
        _check_names([part["name"] for part in given], kind, path)
    collective = parts.collective(analyses.get("collective", []))
    targets = parts.targets(analyses.get("targets", []), collective)
    if not collective:
        raise StudyError(
            f"{path}: analyses.collective is empty, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    report = content.get("report", {})
    return Study(
        name=content["study"],
        seed=content["seed"],
        tables=tables,
        collective={analysis.name: analysis for analysis in collective},
        targets={target.name: target for target in targets},
        languages=tuple(report.get("languages", ["pt", "en"])),
        audience=report.get("audience", "internal"),
    )


def _check_names(names: Sequence[str], kind: str, path: Path) -> None:
    """Refuse two analyses of one name."""
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: analyses.{kind} has two analyses named {name!r}. "
                "Rename one of them."
            )


def _table(name: str, part: Mapping[str, Any], path: Path) -> Table:
    releases = {
        release: _release(release, given, part["source"], f"{path}: {name} {release}")
        for release, given in part["releases"].items()
    }
    options = part.get("options", {})
    return Table(name, part["source"], options, part.get("max_refused", 0), releases)


def _release(name: str, given: Mapping[str, Any], source: str, where: str) -> Release:
    twin = given.get("synthetic")
    return Release(
        name=name,
        archive=given.get("archive"),
        url=given.get("url"),
        twin_size=twin and twin_size(source, twin, where),
        sha256=given.get("sha256", "").lower() or None,
        n_rows=given.get("n_rows"),
    )
