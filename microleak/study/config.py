"""Reading a study file: checked, and with defaults filled in."""

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from microleak.errors import StudyError
from microleak.study import schema
from microleak.study.model import Collective, Release, Study, Table
from microleak.study.subsets import subsets_of
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
    tables = {name: _table(name, part) for name, part in content["tables"].items()}
    collective = [
        _collective(part, content, tables, path)
        for part in content["analyses"].get("collective", [])
    ]
    names = [analysis.name for analysis in collective]
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: analyses.collective has two analyses named {name!r}. "
                "Rename one of them."
            )
    if not names:
        raise StudyError(
            f"{path}: analyses.collective is empty, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    report = content.get("report", {})
    return Study(
        name=content["study"],
        seed=content["seed"],
        tables=tables,
        collective=dict(zip(names, collective, strict=True)),
        languages=tuple(report.get("languages", ["pt", "en"])),
        audience=report.get("audience", "internal"),
    )


def _table(name: str, part: Mapping[str, Any]) -> Table:
    releases = {
        release: Release(
            name=release,
            archive=given.get("archive"),
            url=given.get("url"),
            schools=given.get("synthetic", {}).get("schools"),
            sha256=given.get("sha256", "").lower() or None,
            n_rows=given.get("n_rows"),
        )
        for release, given in part["releases"].items()
    }
    options = part.get("options", {})
    return Table(name, part["source"], options, part.get("max_refused", 0), releases)


def _collective(
    part: Mapping[str, Any],
    content: Mapping[str, Any],
    tables: Mapping[str, Table],
    path: Path,
) -> Collective:
    where = f"{path}: analysis {part['name']!r}"
    table = _known(part["table"], tables, f"{where} has no table", "tables")
    focal = str(part["focal"])
    _known(
        focal, tables[table].releases, f"{where}: {table} has no release", "releases"
    )
    qids = part["qids"]
    if isinstance(qids, str):
        sets = content.get("qid_sets", {})
        qids = sets[_known(qids, sets, f"{where} has no QID set", "qid_sets")]
    sensitive = tuple(part.get("sensitive", ()))
    both = [attribute for attribute in sensitive if attribute in qids]
    if both:
        raise StudyError(
            f"{where}: {both[0]} is both a QID and sensitive. Remove it from one."
        )
    wanted = part.get("subsets", "all")
    subsets_of(len(qids), wanted, where)
    return Collective(part["name"], table, focal, tuple(qids), sensitive, wanted)


def _known(name: str, known: Mapping[str, Any], what: str, key: str) -> str:
    """Return the name if it is known, else refuse it with the nearest that is."""
    if name in known:
        return name
    nearest = get_close_matches(name, known, n=1, cutoff=0)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise StudyError(f"{what} {name!r}.{hint} It must be listed under {key}.")
