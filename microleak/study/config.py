"""Reading a study file: checked, and with defaults filled in."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from microleak.errors import StudyError
from microleak.sources.definition import source_definition
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
    analyses = [
        _collective(part, content, tables, path)
        for part in content["analyses"].get("collective", [])
    ]
    _check_names([analysis.name for analysis in analyses], path)
    report = content.get("report", {})
    return Study(
        name=content["study"],
        seed=content["seed"],
        tables=tables,
        collective={analysis.name: analysis for analysis in analyses},
        languages=tuple(report.get("languages", ["pt", "en"])),
        audience=report.get("audience", "internal"),
    )


def _check_names(names: Sequence[str], path: Path) -> None:
    """Refuse a study without an analysis, or with two of one name."""
    if not names:
        raise StudyError(
            f"{path}: analyses.collective is empty, so there is nothing to do. "
            "Add an analysis, as in config/school-twin.yaml."
        )
    for name in names:
        if names.count(name) > 1:
            raise StudyError(
                f"{path}: analyses.collective has two analyses named {name!r}. "
                "Rename one of them."
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
    analysis = Collective(
        name=part["name"],
        table=table,
        focal=focal,
        qids=_qids(part["qids"], content, where),
        sensitive=tuple(part.get("sensitive", ())),
        wanted=part.get("subsets", "all"),
    )
    subsets_of(len(analysis.qids), analysis.wanted, where)
    _check_roles(analysis, tables[table], where)
    return analysis


def _qids(
    given: str | Sequence[str], content: Mapping[str, Any], where: str
) -> tuple[str, ...]:
    """Return a list of QIDs, or those of the set that is named."""
    if isinstance(given, str):
        sets = content.get("qid_sets", {})
        given = sets[_known(given, sets, f"{where} has no QID set", "qid_sets")]
    return tuple(given)


def _check_roles(analysis: Collective, table: Table, where: str) -> None:
    """Refuse an attribute that has two roles: QID, sensitive or identifier."""
    for attribute in analysis.sensitive:
        if attribute in analysis.qids:
            raise StudyError(
                f"{where}: {attribute} is both a QID and sensitive. Remove it from one."
            )
    definition = source_definition(table.source, analysis.focal, table.options)
    for identifier in definition.identifiers:
        if identifier in (*analysis.qids, *analysis.sensitive):
            raise StudyError(
                f"{where}: {identifier} identifies persons or records, so that every "
                "record would be found by it, and is dropped once each person has "
                "one record. Remove it from qids and sensitive."
            )


def _known(name: str, known: Mapping[str, Any], what: str, key: str) -> str:
    """Return the name if it is known, else refuse it with the nearest that is."""
    if name in known:
        return name
    nearest = get_close_matches(name, known, n=1, cutoff=0)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    raise StudyError(f"{what} {name!r}.{hint} It must be listed under {key}.")
