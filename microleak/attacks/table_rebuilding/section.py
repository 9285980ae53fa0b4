"""Analyses of tables of counts as the study file gives them, checked."""

from collections.abc import Iterable, Sequence

from microleak.attacks.table_rebuilding.analysis import TableRebuilding
from microleak.attacks.table_rebuilding.published import read_tables, shape_of
from microleak.base.errors import StudyError, did_you_mean
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of

SECTION = TableRebuilding
"""Its part of the study file."""


def read(
    context: Context, sections: Sequence[TableRebuilding]
) -> list[TableRebuilding]:
    """Return the analyses, each checked."""
    for section in sections:
        where = f"{context.path}: analysis {section.name!r}"
        check_consistent(section, where)
        if section.release:
            made = section.release
            table = context.table(made.table, (made.focal,), where)
            definition = definition_of(table, made.focal)
            check_roles((), section.attributes, definition, where)
            check_released(section.attributes, definition, where)
    return list(sections)


def check_consistent(section: TableRebuilding, where: str) -> None:
    """Refuse tables that cannot be read, or keys that contradict one another."""
    if section.release:
        if section.domains:
            raise StudyError(
                f"{where} has both release and domains. Remove domains: values are "
                "those of the release."
            )
        region = section.region
        alike = [{*crossing} - {region} for crossing in section.release.crossings]
        if set() in alike:
            raise StudyError(
                f"{where}: a crossing has no attribute but {region}, which is region. "
                "Add another one, or remove the crossing."
            )
        for place, names in enumerate(alike):
            if names in alike[:place]:
                raise StudyError(
                    f"{where}: two crossings have the same attributes, "
                    f"{', '.join(sorted(names))}. Remove one."
                )
        _check_known(section, section.attributes, where)
        return
    files = [table.file for table in section.tables or ()]
    for place, file in enumerate(files):
        if file in files[:place]:
            raise StudyError(f"{where} names {file} twice in tables. Remove one.")
    found, _ = read_tables(section.tables or (), section.region, section.domains, where)
    _check_known(section, found, where)
    shape_of(found, section.region, where)


def _check_known(section: TableRebuilding, names: Iterable[str], where: str) -> None:
    """Refuse attributes that an adversary knows and no table has."""
    there = [name for name in names if name != section.region]
    if unknown := [name for name in section.known if name not in there]:
        raise StudyError(
            f"{where}: known has {unknown[0]}, which no table has."
            f"{did_you_mean(unknown[0], there)} Correct it."
        )
