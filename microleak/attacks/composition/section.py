"""Analyses of several noisy counts as the study file gives them, checked."""

from collections.abc import Sequence

from microleak.attacks.composition.analysis import Composition
from microleak.base.errors import StudyError, ordinal
from microleak.definitions.epsilon import Epsilon
from microleak.study_file.attributes import (
    check_possible,
    check_released,
    check_roles,
)
from microleak.study_file.context import Context, definition_of

SECTION = Composition
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Composition]) -> list[Composition]:
    """Return the analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, or has an epsilon that is none.
    """
    for each in sections:
        where = f"{context.path}: analysis {each.name!r}"
        table = context.table(each.table, (each.focal,), where)
        definition = definition_of(table, each.focal)
        ((*_, attributes),) = each.needs
        check_roles((), attributes, definition, where)
        check_released(attributes, definition, where)
        for place, count in enumerate(each.counts, 1):
            said = f"{where}: the {ordinal(place)} of counts, {count.attribute}"
            check_possible(count.values, definition, count.attribute, said)
        check_epsilons(each, where)
    return list(sections)


def check_epsilons(analysis: Composition, where: str) -> None:
    """Refuse an epsilon that is none.

    Raises
    ------
    StudyError
        Its place, and what is wrong about it.
    """
    for place, text in enumerate(analysis.epsilons, 1):
        try:
            Epsilon.parse(text)
        except StudyError as error:
            said = f"{where}: the {ordinal(place)} of epsilons: {error}"
            raise StudyError(said) from None
