"""What is published of who is at risk: counts by group for the public."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from microleak.attacks.risk_groups.analysis import RiskGroups
from microleak.base.errors import StudyError
from microleak.definitions.vectors import OTHERS, Vector
from microleak.family import Publication, measured, people
from microleak.study_file.model import Study
from microleak.study_file.shown import check_counted, shown_sets
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.risk_groups")


def counts(study: Study, study_dir: Path) -> Iterator[Vector]:
    """Yield how many are unique in each group that the study file declares."""
    for analysis, groups, shown in _counted(study):
        path = study_dir / measured("risk_groups", analysis.name)
        exact = read_table(path, TABLES["risk_groups"])
        for by, values in groups.items():
            for qids in shown:
                yield unique_by_group(analysis, exact, by, values, qids)


def unique_by_group(
    analysis: RiskGroups,
    exact: pd.DataFrame,
    by: str,
    values: Sequence[str],
    qids: tuple[str, ...],
) -> Vector:
    """Return how many are unique in each of some groups, and in all others together.

    Parameters
    ----------
    analysis
        The analysis.
    exact
        Its table.
    by, values
        What groups are made by, and the values or classes that are declared; one that
        no record has has nobody.
    qids
        The set that is known.
    """
    is_of = (exact["by"] == by) & (exact["qids"] == "|".join(qids))
    rows = exact[is_of & (exact["sensitive"] == "")]
    declared = rows[rows["value"].isin(values)]
    found = dict(zip(declared["value"], map(int, declared["n_certain"]), strict=True))
    n_unique = int(rows["n_certain_of_all"].iloc[0])
    each = {value: found.get(value, 0) for value in values}
    return Vector(
        *(analysis.name, analysis.table, analysis.focal, ()),
        "unique_by_group",
        each | {OTHERS: n_unique - sum(each.values())},
        qids=qids,
        by=by,
    )


def counts_needs(study: Study) -> Iterator[str]:
    """Yield what `counts` reads, and the records that it counts."""
    for analysis, *_ in _counted(study):
        yield measured("risk_groups", analysis.name)
        yield people(analysis.table, analysis.focal)


def _counted(
    study: Study,
) -> Iterator[tuple[RiskGroups, Mapping[str, Sequence[str]], list[tuple[str, ...]]]]:
    """Yield the analyses that are counted, the groups, and the sets that are shown."""
    declared = study.noise.groups if study.noise else {}
    analyses = study.analyses.get("risk_groups", {}).values()
    for by in declared:
        if not any(by in _kinds(each) for each in analyses):
            raise StudyError(
                f"{study.file}: report.noise.groups has {by}, by which no risk_groups "
                "analysis has groups. Correct it, or add it to by of one."
            )
    for analysis in analyses:
        kinds = _kinds(analysis)
        groups = {by: each for by, each in declared.items() if by in kinds}
        if sized := [by for by in groups if kinds[by]]:
            raise StudyError(
                f"{study.file}: report.noise.groups has {sized[0]}, whose groups are "
                "sizes. One person more may move many from one size to another, so "
                "that they cannot be counted with noise. Remove it."
            )
        shown = shown_sets(study, analysis.qids, analysis.subsets)
        if groups and shown:
            check_counted(study, analysis.name, analysis.table, [analysis.focal])
            yield analysis, groups, shown


def _kinds(analysis: RiskGroups) -> dict[str, bool]:
    """Return whether groups are of sizes, by what they are called."""
    return {
        each if isinstance(each, str) else each.called: (
            not isinstance(each, str) and each.sizes is not None
        )
        for each in analysis.by
    }


PUBLICATION = Publication(counts=counts, counts_needs=counts_needs)
