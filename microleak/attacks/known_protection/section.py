"""Analyses of known protections, as the study file gives them."""

from collections.abc import Iterator, Sequence
from typing import Self

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.base.errors import StudyError, did_you_mean
from microleak.records.compared import Need
from microleak.records.subsets import names_of
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.protections import Recipe, StepSection
from microleak.study_file.section import (
    AnyAttributes,
    Context,
    OfQids,
    SubsetsWanted,
    Text,
)


class KnownProtection(OfQids):
    """What an adversary who knows how a release was protected finds in it.

    It knows the steps, and what was drawn it does not; it knows the QIDs of the target
    as they were before, and how many records had which QIDs then. It believes by Bayes,
    taking records not to depend on one another.
    """

    focal: Text
    """Which protection (`protections`) of the table."""

    wanted: SubsetsWanted = Field("full", alias="subsets")
    """Which subsets of the QIDs - `all`, only the `full` set, or those of some
    sizes."""

    sensitive: AnyAttributes = ()
    """Attributes that are inferred, as they were before; none of them a QID, none an
    identifier of the person or record, none dropped by the protection. Without any,
    persons are re-identified only."""

    release: SkipJsonSchema[str] = ""
    """The release that was protected."""

    steps: SkipJsonSchema[tuple[StepSection, ...]] = ()
    """What was done to it."""

    hierarchies: SkipJsonSchema[Hierarchies] = Field({})
    """Those of the attributes that were generalised."""

    @property
    def recipe(self) -> Recipe:
        """The steps; the seed is not known."""
        return Recipe(self.focal, 0, self.steps, self.hierarchies)

    @property
    def before(self) -> tuple[str, ...]:
        return self.recipe.needed((*self.qids, *self.sensitive))

    @property
    def after(self) -> tuple[str, ...]:
        dropped = {name for step in self.steps for name in step.drop or ()}
        return tuple(n for n in (*self.qids, *self.sensitive) if n not in dropped)

    @property
    def needs(self) -> Iterator[Need]:
        yield self.table, self.release, self.before
        yield self.table, self.focal, self.after

    def checked(self, where: str) -> Self:
        super().checked(where)
        _check_steps(self, where)
        return self


def linking(
    steps: Sequence[StepSection], name: str, qids: Sequence[str]
) -> tuple[int, ...]:
    """Return the places of steps by whose swap an attribute and QIDs tell of another.

    It is swapped together with a QID, within its values, or first where somebody is
    alone by it; or a QID is swapped so by the attribute.
    """
    return tuple(
        at
        for at, step in enumerate(steps)
        if (name in (step.swap or ()) and {*qids} & {*step.named})
        or (name in (*step.within, *step.target) and {*qids} & {*(step.swap or ())})
    )


SECTION = KnownProtection

_DRAWN = {"randomise", "swap", "suppress"}
"""Methods by which it is not known what becomes of a record."""


def read_one(context: Context, section: KnownProtection) -> KnownProtection:
    after = context.focal(section)
    where, table = after.where, after.table
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
    before = context.release(section.table, origin, where)
    before.check(section.qids, section.sensitive)
    after.check_released(section.sensitive)
    generalised = {name for step in steps for name in step.generalise or ()}
    given = context.file.hierarchies
    update = {
        "release": origin,
        "steps": steps,
        "hierarchies": {name: given[name] for name in sorted(generalised)},
    }
    return section.model_copy(update=update).checked(where)


def _check_steps(section: KnownProtection, where: str) -> None:
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
    step, earlier = section.steps[number], section.steps[:number]
    drawn = {name for each in earlier if each.method in _DRAWN for name in each.changed}
    if drawn & {*step.target, *step.within} or any(each.sample for each in earlier):
        raise StudyError(
            f"{where}: a step swaps records first that are alone by a target, and an "
            "earlier one draws who is, of which the adversary's belief is not "
            "computed. Remove what it swaps from the analysis, or swap before that."
        )
