"""Analyses of links without an identifier as the study file gives them, checked.

What is known of a target is checked without showing it, its attributes neither.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from microleak.attacks.linkage.analysis import IDENTIFIERS, Linkage
from microleak.attacks.linkage.recoded import Recodings, recodings_of
from microleak.base.errors import StudyError, ordinal
from microleak.study_file.attributes import (
    KnownOfRelease,
    check_known_qids,
    check_known_values,
    check_released,
    check_roles,
    check_target_files,
)
from microleak.study_file.context import (
    Context,
    definition_of,
    linking_identifier,
)
from microleak.study_file.model import Table

SECTION = Linkage
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Linkage]) -> list[Linkage]:
    """Return the analyses, each checked, with the identifier that links, if any."""
    found = [_analysis(context, section) for section in sections]
    files = [file for analysis in found for file in analysis.linked_files]
    check_target_files(files, "linkage", str(context.path))
    return found


def _analysis(context: Context, section: Linkage) -> Linkage:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal, section.linked), where)
    if section.focal == section.linked:
        raise StudyError(
            f"{where}: release {section.focal} is both focal and auxiliary, so that "
            "everybody is linked. Correct auxiliary."
        )
    check_kinds(section, where)
    focal = definition_of(table, section.focal)
    check_roles(section.qids, section.sensitive, focal, where)
    check_roles((*section.stable, *section.drifting), (), focal, where)
    check_released((*section.common, *section.sensitive), focal, where)
    check_released(section.common, definition_of(table, section.linked), where)
    for place, known in enumerate(section.targets.values(), 1):
        _check_target(
            known, section, table, f"{where}: the {ordinal(place)} of targets"
        )
    person_id = linking_identifier(table, section.focal, [section.linked])
    if section.transition == IDENTIFIERS and person_id is None:
        raise StudyError(
            f"{where}: transition is counted by identifiers, but no identifier names "
            f"the same persons in {section.focal} and {section.linked} of "
            f"{table.name}. Set transition to estimated or, of a delimited table, give "
            "options.person_id."
        )
    update = {"person_id": person_id, "recodings": recodings(section, where)}
    return section.model_copy(update=update)


def _check_target(
    known: Mapping[str, KnownOfRelease], section: Linkage, table: Table, where: str
) -> None:
    for place, (release, values) in enumerate(known.items(), 1):
        if release not in (section.focal, section.linked):
            raise StudyError(
                f"{where}: the {ordinal(place)} release is neither {section.focal} nor "
                f"{section.linked}. Give what is known by these, as "
                f'{{{section.focal}: {{{section.qids[0]}: "value"}}}}.'
            )
        check_known_qids(values, section.qids, where)
        check_known_values(values, definition_of(table, release), where)


def check_kinds(analysis: Linkage, where: str) -> None:
    """Refuse an attribute that is both stable and drifting."""
    for name in analysis.drifting:
        if name in analysis.stable:
            raise StudyError(
                f"{where}: {name} is both stable and drifting, but what may change "
                "need not agree. Remove it from one."
            )


def recodings(analysis: Linkage, where: str) -> Recodings:
    """Return what is recoded in the releases, with what the files say."""
    releases = analysis.focal, analysis.linked
    return recodings_of(analysis.recoded, releases, analysis.common, where)


def told(given: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return what may be told of analyses: of what is known the attributes alone."""
    return [_told(analysis) for analysis in given]


def _told(analysis: Mapping[str, Any]) -> dict[str, Any]:
    if "targets" not in analysis:
        return {**analysis}
    known = {
        name: {release: list(values) for release, values in of.items()}
        for name, of in analysis["targets"].items()
    }
    return {**analysis, "targets": known}
