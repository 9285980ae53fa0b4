"""Searches as the study file gives them, checked."""

from collections.abc import Mapping, Sequence

from microleak.attacks.smallest_protection.analysis import Loss, Search
from microleak.base.errors import StudyError, check_known
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.hierarchies import check_hierarchies

SECTION = Search
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Search]) -> list[Search]:
    """Return the searches, each checked, with its hierarchies.

    Raises
    ------
    StudyError
        If one names what there is not, gives an attribute two roles, has a QID without
        a hierarchy or a faulty one, or bounds that it has no attribute for.
    """
    return [_search(context, section) for section in sections]


def _search(context: Context, section: Search) -> Search:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    check_roles(section.qids, section.sensitive, definition, where)
    check_released((*section.qids, *section.sensitive), definition, where)
    given = context.file.hierarchies
    check_hierarchies(given, section.qids, where)
    update = {
        "hierarchies": {name: given[name] for name in section.qids},
        "tables": tables_of(section, _tabulated(context, section, where)),
        "compared": _compared(context, section, where),
    }
    whole = section.model_copy(update=update)
    for attributes in whole.tables:
        check_released(attributes, definition, where)
    check_search(whole, where)
    return whole


def _tabulated(
    context: Context, section: Search, where: str
) -> dict[str, tuple[str, ...]]:
    """Return the attributes of the tabulations that a search names."""
    own = {e.name: e for e in context.file.tabulations if e.table == section.table}
    said = f"{where}: {section.table} has no tabulation"
    for name in section.tabulations:
        check_known(name, own, said, " Name those of tabulations.")
    return {name: own[name].attributes for name in section.tabulations}


def _compared(
    context: Context, section: Search, where: str
) -> dict[str, tuple[str, ...]]:
    """Return the tabulations of the table that have a QID and that the release has.

    It has them if protected releases are made of it, or if its attributes are known.
    """
    table = context.table(section.table, (section.focal,), where)
    definition = definition_of(table, section.focal)
    known = {*(definition.names or definition.columns)} - {*definition.unreleased}
    is_origin = section.focal in {table.origin(n).name for n in table.protections}
    return {
        each.name: each.attributes
        for each in context.file.tabulations
        if each.table == section.table
        and {*each.attributes} & {*section.qids}
        and (is_origin or {*each.attributes} <= known)
    }


def tables_of(
    section: Search, tabulations: Mapping[str, Sequence[str]]
) -> tuple[tuple[str, ...], ...]:
    """Return the attributes of each table that the loss is of, or of a regression."""
    if not isinstance(section.loss, Loss):
        return ()
    if section.loss.regression is not None:
        return ((section.loss.regression.outcome, *section.loss.regression.on),)
    return tuple(tuple(tabulations[name]) for name in section.tabulations)


def check_search(section: Search, where: str) -> None:
    """Refuse bounds that the search has no attributes for.

    Raises
    ------
    StudyError
        What to add, or to leave out.
    """
    if section.target.needs_sensitive and not section.sensitive:
        raise StudyError(
            f"{where}: target has certain, inferred, l or own_record, and sensitive is "
            "empty. Name the attributes that are inferred in sensitive."
        )
    if section.with_any is not None and section.with_any > len(section.qids):
        raise StudyError(
            f"{where}: with_any is {section.with_any}, and there are "
            f"{len(section.qids)} QIDs. Give at most as many, or leave it out."
        )
    for attributes in section.tables:
        if not {*attributes} & {*section.qids}:
            raise StudyError(
                f"{where}: loss has {', '.join(attributes)}, none of which is a QID: "
                "no combination of levels loses anything of it. Remove it, or add a "
                "QID to it."
            )
        if len({*attributes}) < len(attributes):
            raise StudyError(
                f"{where}: the outcome of regression in loss is in on, too. Remove it "
                "there."
            )
