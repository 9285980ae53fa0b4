"""Parts of a study that can be made again alone: an analysis, a release, the report."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from microleak.errors import check_known
from microleak.study.model import Study
from microleak.study.outputs import OF_AUDIT, OF_STUDY, results_of

RULES = {
    "collective": (
        *("profile", "measure", "importance", "gain", "groups", "entropy"),
        "draw",
    ),
    "targets": ("target",),
    "membership": ("overlap", "membership", "member"),
    "anonymity": ("overlap", "blocks", "entities", "anonymity"),
    "mechanism": ("contingency", "mechanism"),
    "reconstruction": ("reconstruction",),
}
"""Rules that make the results of one analysis, by its kind."""

RELEASE_RULES = (
    *("synthesise", "download", "collect", "ingest", "deduplicate"),
    "join",
)
"""Rules that make the tables of one release."""

REPORT = "report"
"""Name of the part that is the pages and the tables over all analyses."""

REPORT_RULES = ("count_rows", "states", "compare", "report")
"""Rules that make the results of `REPORT`."""

_OF_RELEASES = ("tables/", "people/", "panels/")


@dataclass(frozen=True)
class Part:
    """Results that are made again together.

    Attributes
    ----------
    outputs
        Files and folders below the study's folder.
    rules
        Rules that make them.
    releases
        Tables and releases that are read again.
    """

    outputs: frozenset[str]
    rules: tuple[str, ...]
    releases: tuple[tuple[str, str], ...] = ()


def part(study: Study, names: Iterable[str]) -> Part:
    """Return the results of analyses, by their names, of releases, or the report.

    The name of an analysis of many releases stands for that of each. A release,
    `TABLE/RELEASE`, is its table, its people and the panels of which it is the focal
    one. `report` is the pages and the tables over all analyses; an analysis that has
    this name is made again with it.

    Raises
    ------
    StudyError
        If the study has no such analysis or release; the nearest it has is named.
    """
    parts = [each for name in names for each in _parts(study, name)]
    return Part(
        frozenset().union(*(each.outputs for each in parts)),
        tuple(dict.fromkeys(rule for each in parts for rule in each.rules)),
        tuple(dict.fromkeys(one for each in parts for one in each.releases)),
    )


def _parts(study: Study, name: str) -> list[Part]:
    if "/" in name:
        return [_release(study, name)]
    analysis = _analysis(study, name)
    if name == REPORT:
        analysis.append(Part(OF_STUDY, REPORT_RULES))
    if not analysis:
        known = [*(each.name for each in study.analyses), REPORT]
        check_known(name, known, "--rerun: the study has no analysis")
    return analysis


def _release(study: Study, name: str) -> Part:
    known = ["/".join(used) for used in study.used]
    check_known(name, known, "--rerun: the study uses no release")
    ways = tuple(f"{folder}{name}" for folder in _OF_RELEASES)
    outputs = {path for path in results_of(study) if _is_of(path, ways)}
    table, _, release = name.partition("/")
    return Part(frozenset(outputs), RELEASE_RULES, ((table, release),))


def _is_of(path: str, ways: Collection[str]) -> bool:
    parent, _, _ = path.rpartition("/")
    return parent in ways or path.rpartition(".")[0] in ways


def _analysis(study: Study, name: str) -> list[Part]:
    """Return the results of the analyses of a name; nothing if there is none."""
    found: dict[str, Any] = {
        kind: {
            each.name: each
            for each in getattr(study, kind).values()
            if name in (each.name, getattr(each, "part_of", ""))
        }
        for kind in RULES
    }
    if not any(found.values()):
        return []
    alone = results_of(replace(study, **found)) - OF_AUDIT
    outputs = {path for path in alone if not path.startswith(_OF_RELEASES)}
    rules = [rule for kind, each in found.items() if each for rule in RULES[kind]]
    return [Part(frozenset(outputs) - OF_STUDY, tuple(rules))]
