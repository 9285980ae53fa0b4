"""Analyses of known protections as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.known_protection.analysis import KnownProtection
from microleak.base.errors import StudyError, nearest
from microleak.records.subsets import subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.protections import StepSection

SECTION = KnownProtection
"""Its part of the study file."""


def read(
    context: Context, sections: Sequence[KnownProtection]
) -> list[KnownProtection]:
    """Return the analyses, each checked, with the steps of its protection.

    Raises
    ------
    StudyError
        If one names what there is not, attacks a release that is not protected, gives
        an attribute two roles, or infers one that is swapped together with a QID.
    """
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: KnownProtection) -> KnownProtection:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    if section.focal not in table.protections:
        raise StudyError(
            f"{where}: {section.focal} is no protection of {table.name}."
            f"{nearest(section.focal, table.protections)} Name one of protections in "
            "focal."
        )
    origin = table.origin(section.focal).name
    steps: tuple[StepSection, ...] = ()
    made = section.focal
    while made in table.protections:
        steps = (*table.protections[made].steps, *steps)
        made = table.protections[made].release
    before = definition_of(table, origin)
    subsets_of(len(section.qids), section.wanted, where)
    check_roles(section.qids, section.sensitive, before, where)
    check_released((*section.qids, *section.sensitive), before, where)
    check_released(section.sensitive, definition_of(table, section.focal), where)
    generalised = {name for step in steps for name in step.generalise or ()}
    given = context.file.hierarchies
    whole = section.model_copy(
        update={
            "release": origin,
            "steps": steps,
            "hierarchies": {name: given[name] for name in sorted(generalised)},
        }
    )
    check_steps(whole, where)
    return whole


def check_steps(section: KnownProtection, where: str) -> None:
    """Refuse steps that leave nothing to attack, or that beliefs are not computed of.

    Raises
    ------
    StudyError
        If a sensitive attribute is swapped together with a QID, within its values or
        by it as a target; an earlier step draws who is alone by a target; or all
        attributes are dropped.
    """
    if not section.after:
        raise StudyError(
            f"{where}: the protection drops all of its attributes. Name one that is "
            "left among its QIDs or sensitive ones."
        )
    gone = {name for step in section.steps for name in step.drop or ()}
    for name in section.sensitive:
        if name in gone:
            raise StudyError(
                f"{where}: {name} is dropped by the protection, so nothing of it is "
                "published. Remove it from sensitive."
            )
    for number, step in enumerate(section.steps):
        swapped = step.swap or ()
        qids = [qid for qid in section.qids if qid in swapped]
        told = [qid for qid in section.qids if qid in step.within]
        for name in section.sensitive:
            if name in swapped and (others := [*qids, *told]):
                raise StudyError(
                    f"{where}: {name} is swapped together with {others[0]} or within "
                    "its values, of which the adversary's belief is not computed. "
                    "Remove one of them from the analysis, or swap them in steps of "
                    "their own."
                )
        if {*swapped} & {*section.qids, *section.sensitive} and step.target:
            _check_target(section, number, where)


def _check_target(section: KnownProtection, number: int, where: str) -> None:
    """Refuse a target by which nobody knows who was alone, or that tells of QIDs."""
    step, earlier = section.steps[number], section.steps[:number]
    drawn = {
        name
        for each in earlier
        if each.method in {"randomise", "swap", "suppress"}
        for name in each.changed
    }
    if drawn & {*step.target, *step.within} or any(each.sample for each in earlier):
        raise StudyError(
            f"{where}: a step swaps records first that are alone by a target, and an "
            "earlier one draws who is, of which the adversary's belief is not "
            "computed. Remove what it swaps from the analysis, or swap before that."
        )
    told = [qid for qid in section.qids if qid in step.target]
    for name in section.sensitive:
        if name in (step.swap or ()) and told:
            raise StudyError(
                f"{where}: {name} is swapped first where somebody is alone by "
                f"{told[0]}, of which the adversary's belief is not computed. Remove "
                "one of them from the analysis, or target from the step."
            )
