"""Adversaries that the study file names, and analyses that can tell what they find."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from microleak.errors import StudyError, nearest
from microleak.study.model import Collective, Scenario


def scenarios(
    given: Mapping[str, Any], collective: Iterable[Collective], path: Path
) -> tuple[Scenario, ...]:
    """Return the scenarios of a study file, in its order, each checked.

    Parameters
    ----------
    given
        By name, a list of QIDs or a mapping with `qids` and `label`.
    collective
        The collective analyses of the study.
    path
        The study file, for messages.

    Raises
    ------
    StudyError
        If an attribute is a QID of no collective analysis, no analysis has all of
        a scenario's QIDs, or one that has them leaves their subset out.
    """
    each = list(collective)
    found = tuple(_scenario(name, part) for name, part in given.items())
    for scenario in found:
        _check(scenario, each, f"{path}: scenario {scenario.name!r}")
    return found


def _scenario(name: str, given: Any) -> Scenario:
    part = given if isinstance(given, Mapping) else {"qids": given}
    return Scenario(name, tuple(part["qids"]), dict(part.get("label", {})))


def _check(scenario: Scenario, collective: list[Collective], where: str) -> None:
    known = {qid for analysis in collective for qid in analysis.qids}
    for name in scenario.qids:
        if name not in known:
            raise StudyError(
                f"{where} has {name}, which is a QID of no collective analysis."
                f"{nearest(name, known)} Correct it under scenarios, or add it to the "
                "qids of an analysis."
            )
    having = [a for a in collective if set(scenario.qids) <= set(a.qids)]
    if not having:
        raise StudyError(
            f"{where} has {', '.join(scenario.qids)}, but no collective analysis has "
            "all of them among its QIDs. Correct it under scenarios, or add them to "
            "the qids of one analysis."
        )
    for analysis in having:
        if scenario.subset(analysis.qids) not in analysis.subsets:
            raise StudyError(
                f"{where}: analysis {analysis.part_of or analysis.name!r} has its "
                f"{len(scenario.qids)} QIDs, but its subsets leave them out. Add "
                f"{len(scenario.qids)} to subsets.sizes of the analysis, or write "
                "subsets: all."
            )
