"""What is published of who is at risk: counts by group for the public."""

from collections.abc import Iterator, Sequence
from gettext import gettext as _
from pathlib import Path

from microleak.attacks.risk_groups.section import RiskGroups
from microleak.base.errors import StudyError
from microleak.definitions.vectors import OTHERS, Vector
from microleak.step import Publication, measures_path
from microleak.study_file.model import Study
from microleak.study_file.shown import check_counted, shown_sets
from microleak.tables.files import read_table
from microleak.tables.spec import tables_of

TABLES = tables_of("microleak.attacks.risk_groups")


def vectors(study: Study) -> Iterator[Vector]:
    """Yield how many are unique in each group that the study file declares."""
    declared = study.noise.groups if study.noise else {}
    counted = set()
    analyses = study.analyses.get("risk_groups", {}).values()
    for analysis in analyses:
        kinds = _kinds(analysis)
        groups = {by: values for by, values in declared.items() if by in kinds}
        if sized := [by for by in groups if kinds[by]]:
            raise StudyError(
                f"{study.file}: report.noise.groups has {sized[0]}, whose groups are "
                "sizes. One person more may move many from one size to another, so "
                "that they cannot be counted with noise. Remove it."
            )
        for qids in shown_sets(study, analysis.qids, analysis.subsets):
            for by, values in groups.items():
                check_counted(study, analysis.name, analysis.table, [analysis.focal])
                counted.add(by)
                yield unique_by_group(analysis, by, values, qids)
    for by in declared:
        if by not in counted:
            known = {each for analysis in analyses for each in _kinds(analysis)}
            said = _(
                "{file}: report.noise.groups has {by}, which no risk_groups analysis "
                "has under by. Under by there is: {known}. Correct it, or add it there."
            )
            if by in known:
                said = _(
                    "{file}: report.noise.groups has {by}, but no risk_groups analysis "
                    "that groups by it measures a set of facts that is shown. Correct "
                    "report.noise.shown, or qids or subsets of the analysis."
                )
            listed = ", ".join(sorted(known)) or _("nothing")
            raise StudyError(said.format(file=study.file, by=by, known=listed))


def unique_by_group(
    analysis: RiskGroups, by: str, values: Sequence[str], qids: tuple[str, ...]
) -> Vector:
    """Return how many are unique in each of some groups, and in all others together."""
    # `values` are those, or the classes, that are declared; one that no record has has
    # nobody.
    path = measures_path("risk_groups", analysis.name)

    def count(folder: Path) -> list[int]:
        exact = read_table(folder / path, TABLES["risk_groups"])
        is_of = (exact["by"] == by) & (exact["qids"] == "|".join(qids))
        rows = exact[is_of & (exact["sensitive"] == "")]
        declared = rows[rows["value"].isin(values)]
        n_unique = dict(zip(declared["value"], declared["n_certain"], strict=True))
        each = [int(n_unique.get(value, 0)) for value in values]
        return [*each, int(rows["n_certain_of_all"].iloc[0]) - sum(each)]

    return Vector(
        *(analysis.name, analysis.table, analysis.focal, (), "unique_by_group"),
        count,
        (path,),
        groups=(*values, OTHERS),
        qids=qids,
        by=by,
    )


def _kinds(analysis: RiskGroups) -> dict[str, bool]:
    """Return whether groups are of sizes, by what they are called."""
    return {
        each if isinstance(each, str) else each.called: (
            not isinstance(each, str) and each.sizes is not None
        )
        for each in analysis.by
    }


PUBLICATION = Publication(vectors=vectors)
