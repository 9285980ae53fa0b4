"""An analysis of a protected release by someone who knows how it was protected."""

from collections.abc import Iterator, Sequence

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from microleak.attacks.known_protection.chances import needed
from microleak.protection.steps import Recipe
from microleak.records.compared import Need
from microleak.study_file.hierarchies import Hierarchies
from microleak.study_file.protections import StepSection
from microleak.study_file.section import AnyAttributes, OfQids, SubsetsWanted, Text


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
        """Attributes that are needed of the release before it was protected."""
        return needed(self.recipe, (*self.qids, *self.sensitive))

    @property
    def after(self) -> tuple[str, ...]:
        """Attributes of the analysis that the protected release has."""
        dropped = {name for step in self.steps for name in step.drop or ()}
        return tuple(n for n in (*self.qids, *self.sensitive) if n not in dropped)

    @property
    def needs(self) -> Iterator[Need]:
        """What it needs of both releases."""
        yield self.table, self.release, self.before
        yield self.table, self.focal, self.after


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
