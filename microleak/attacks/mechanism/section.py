"""Mechanism analyses as the study file gives them, and their checks."""

from collections.abc import Collection, Sequence

from microleak.attacks.mechanism.analysis import (
    OBLIVIOUS,
    Count,
    IntegerOrder,
    Mechanism,
)
from microleak.attacks.mechanism.counts import is_integer
from microleak.base.errors import StudyError, did_you_mean, ordinal
from microleak.definitions.epsilon import Epsilon
from microleak.records.record_filter import BETWEEN, EQUALS, IN
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import check_possible, check_released
from microleak.study_file.context import Context, definition_of

MOST_INTEGERS = 10_000
"""Most integers that an order of integers can have."""

MOST_STEPS = 100_000_000
"""Most steps of the random noise of one epsilon, 1 / (1 - alpha) each draw."""

OF_COUNT = ("sensitive", "useful", "predicate", "models")
"""Keys that an analysis of one count has."""

MAY_HAVE = ("order", "samples", "simulated")
"""Keys that it may have besides."""


SECTION = Mechanism
"""Its part of the study file."""


def read(context: Context, sections: Sequence[Mechanism]) -> list[Mechanism]:
    """Return the mechanism analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, has neither a count nor attributes or both,
        an epsilon that is none, or a predicate or order that cannot be.
    """
    return [_mechanism(context, section) for section in sections]


def _mechanism(context: Context, section: Mechanism) -> Mechanism:
    where = f"{context.path}: analysis {section.name!r}"
    table = context.table(section.table, (section.focal,), where)
    analysis = consistent(section, where)
    _check_values(analysis, definition_of(table, analysis.focal), where)
    return analysis


def consistent(section: Mechanism, where: str) -> Mechanism:
    """Return an analysis of which no key contradicts another, epsilons as texts.

    Raises
    ------
    StudyError
        If it has neither a count nor attributes or both, an epsilon that is none, or
        a predicate, order or draws that cannot be.
    """
    _check_kind(section, where)
    epsilons = _epsilons(section.epsilons, where)
    analysis = section.model_copy(update={"epsilons": epsilons})
    if isinstance(analysis.order, IntegerOrder):
        _check_integers(analysis.order, where)
    if count := analysis.count:
        _check_predicate(count, where)
    _check_simulated(analysis, where)
    return analysis


def _check_kind(section: Mechanism, where: str) -> None:
    """Refuse an analysis that is neither of one count nor of all pairs."""
    kinds = f"either {', '.join(OF_COUNT)}, or attributes"
    given = section.model_fields_set
    lacking = [key for key in OF_COUNT if key not in given]
    mixed = [key for key in (*OF_COUNT, *MAY_HAVE) if key in given]
    if "attributes" in given and mixed:
        raise StudyError(
            f"{where} has both attributes and {mixed[0]}. Give {kinds}: one count, or "
            "every pair."
        )
    if "attributes" not in given and lacking:
        raise StudyError(f"{where} lacks {', '.join(lacking)}. Give {kinds}.")


def _epsilons(texts: Sequence[str], where: str) -> tuple[str, ...]:
    found: list[Epsilon] = []
    for place, text in enumerate(texts, 1):
        try:
            found.append(Epsilon.parse(text))
        except StudyError as error:
            said = f"{where}: the {ordinal(place)} of epsilons: {error}"
            raise StudyError(said) from None
        alphas = [each.alpha for each in found]
        first = alphas.index(found[-1].alpha)
        if first < place - 1:
            raise StudyError(
                f"{where}: the {ordinal(first + 1)} and the {ordinal(place)} of "
                "epsilons are the same. Remove one of them."
            )
    return tuple(each.text for each in found)


def _check_integers(order: IntegerOrder, where: str) -> None:
    low, high = order.integers
    if not 0 <= high - low < MOST_INTEGERS:
        raise StudyError(
            f"{where}: order has the integers from {low} to {high}. Give the lower "
            f"first, and no more than {MOST_INTEGERS:,} in all."
        )


def _check_predicate(count: Count, where: str) -> None:
    """Refuse a predicate with values that are not in the order, or not ordered."""
    said = f"{where}: predicate {count.predicate.kind}"
    values = [value for value in count.predicate.values if value is not None]
    if count.order is not None:
        _check_among(values, count.order, said)
    elif count.predicate.kind not in (EQUALS, IN) and not all(map(is_integer, values)):
        raise StudyError(
            f"{said} needs integers, or order. Give order, the values of "
            f"{count.useful} from low to high."
        )
    if count.predicate.kind == BETWEEN:
        low, high = values
        place = int if count.order is None else count.order.index
        if place(low) > place(high):
            raise StudyError(f"{said} has no value. Give the lower bound first.")


def _check_among(values: Sequence[str], order: Collection[str], said: str) -> None:
    for value in values:
        if value not in order:
            raise StudyError(
                f"{said} has {value!r}, which is not in "
                f"order.{did_you_mean(value, order)} Correct it, or add it to order."
            )


def _check_values(
    analysis: Mechanism, definition: SourceDefinition, where: str
) -> None:
    """Refuse attributes that the release does not have, and values it cannot have."""
    attributes = (*analysis.counted.attributes, *analysis.filter)
    _check_identifiers(attributes, definition, where)
    check_released(attributes, definition, where)
    for attribute, values in analysis.filter.items():
        check_possible(values, definition, attribute, f"{where}: filter of {attribute}")
    count = analysis.count
    if count is None:
        return
    if count.predicate.kind in (EQUALS, IN):
        said = f"{where}: predicate {count.predicate.kind}"
        check_possible(count.predicate.values, definition, count.useful, said)
    if count.order is not None:
        check_possible(count.order, definition, count.useful, f"{where}: order")


def _check_simulated(analysis: Mechanism, where: str) -> None:
    """Refuse draws of a mechanism that is not measured, or that take too long."""
    count = analysis.count
    if count is None or count.simulated is None:
        return
    if OBLIVIOUS not in count.models:
        raise StudyError(
            f"{where}: simulated draws from the model {OBLIVIOUS}, which is not among "
            "models. Add it, or remove simulated."
        )
    draws = count.simulated.draws
    for text in analysis.epsilons:
        most = int(MOST_STEPS * (1 - Epsilon.parse(text).alpha))
        if draws > most:
            raise StudyError(
                f"{where}: simulated.draws is {draws:,}, more than the {most:,} that "
                f"can be drawn with epsilon {text}. Give fewer draws, or remove this "
                "epsilon or simulated."
            )


def _check_identifiers(
    attributes: Sequence[str], definition: SourceDefinition, where: str
) -> None:
    for attribute in attributes:
        if attribute in definition.identifiers:
            raise StudyError(
                f"{where}: {attribute} identifies persons or records, so nothing can "
                "be counted by it. Remove it."
            )
