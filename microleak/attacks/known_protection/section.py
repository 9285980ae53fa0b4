"""Analyses of known protections as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.known_protection.analysis import KnownProtection, linking
from microleak.base.errors import StudyError, did_you_mean
from microleak.records.subsets import names_of, subsets_of
from microleak.study_file.attributes import check_released, check_roles
from microleak.study_file.context import Context, definition_of
from microleak.study_file.protections import StepSection

SECTION = KnownProtection
"""Its part of the study file."""

_DRAWN = {"randomise", "swap", "suppress"}
"""Methods by which it is not known what becomes of a record."""


def read(
    context: Context, sections: Sequence[KnownProtection]
) -> list[KnownProtection]:
    """Return the analyses, each checked, with the steps of its protection."""
    return [_analysis(context, section) for section in sections]


def _analysis(context: Context, section: KnownProtection) -> KnownProtection:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    if section.focal not in table.protections:
        raise StudyError(
            f"{where}: {section.focal} is no protection of {table.name}."
            f"{did_you_mean(section.focal, table.protections)} Name one of protections "
            "in focal."
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
    """Refuse steps that leave nothing to attack, or of which beliefs are not exact."""
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
    for number, step in enumerate(section.steps, 1):
        _check_suppressed(section, number, step, where)
    for name in section.sensitive:
        for at in linking(section.steps, name, section.qids):
            _check_linked(section, name, at, where)
    for number, step in enumerate(section.steps):
        if {*(step.swap or ())} & {*section.qids, *section.sensitive} and step.target:
            _check_target(section, number, where)


def _check_suppressed(
    section: KnownProtection, number: int, step: StepSection, where: str
) -> None:
    """Refuse cells that are suppressed for sensitive values: which ones tells of them.

    Beliefs know which cells of the QIDs may be missing, and not that this depends on a
    value that is not among them (minimality, Wong and others 2007).
    """
    if step.of and {*section.qids, *section.sensitive} & {*step.changed}:
        raise StudyError(
            f"{where}: step {number} of the protection suppresses cells for values of "
            f"{', '.join(step.of)}, so that which cells are missing tells of these, of "
            "which the adversary's belief is not computed. Suppress for k or alone, or "
            "remove the attributes of the step from the analysis."
        )


def _check_linked(section: KnownProtection, name: str, at: int, where: str) -> None:
    """Refuse a swap that links an attribute with QIDs where beliefs are not exact."""
    step = section.steps[at]
    found = (
        f"{where}: step {at + 1} of the protection swaps {name} together with a QID, "
        "or one of them within values of the other or by it as a target"
    )
    remedy = f"Remove {name} from sensitive"
    cells = {name, *({*section.qids} & {*(step.swap or ()), *step.within})}
    for number, other in enumerate(section.steps, 1):
        whole = {name, *section.qids} if other.suppress else cells
        drawn = whole & {*other.changed} if other.method in _DRAWN else set()
        if number != at + 1 and (drawn or other.sample):
            raise StudyError(
                f"{found}, and step {number} draws "
                f"{', '.join(sorted(drawn)) or 'a sample'}, too, of which the "
                f"adversary's belief is not computed. {remedy}."
            )
    if name in (step.swap or ()):
        return
    if step.target:
        raise StudyError(
            f"{found}: how many are alone by a target where {name} is alike is not "
            f"known, so the adversary's belief is not computed. {remedy}, or target "
            "from the step."
        )
    groups = {*step.within} - {name}
    for subset in section.subsets:
        qids = {*names_of(subset, section.qids)}
        if qids & {*(step.swap or ())} and groups - qids:
            unknown = ", ".join(sorted(groups - qids))
            raise StudyError(
                f"{found}, within {unknown}, too, which is not among the QIDs known, "
                f"so the adversary's belief is not computed. {remedy}, or name "
                f"{unknown} among the QIDs and give subsets: full."
            )
    for number, other in enumerate(section.steps[at + 1 :], at + 2):
        if changed := cells & {*other.changed, *(other.drop or ())}:
            raise StudyError(
                f"{found}, and step {number} changes {', '.join(sorted(changed))} "
                "afterwards, of which the adversary's belief is not computed. "
                f"{remedy}, or swap last."
            )


def _check_target(section: KnownProtection, number: int, where: str) -> None:
    """Refuse a target by which nobody knows who was alone."""
    step, earlier = section.steps[number], section.steps[:number]
    drawn = {name for each in earlier if each.method in _DRAWN for name in each.changed}
    if drawn & {*step.target, *step.within} or any(each.sample for each in earlier):
        raise StudyError(
            f"{where}: a step swaps records first that are alone by a target, and an "
            "earlier one draws who is, of which the adversary's belief is not "
            "computed. Remove what it swaps from the analysis, or swap before that."
        )
