"""Mechanism analyses as the study file gives them, and their checks."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from microleak.attacks.mechanism.analysis import (
    OBLIVIOUS,
    Count,
    Mechanism,
    Samples,
    Simulated,
)
from microleak.attacks.mechanism.counts import is_integer
from microleak.base.errors import StudyError, nearest, ordinal
from microleak.definitions.epsilon import Epsilon
from microleak.records.predicate import BETWEEN, EQUALS, IN, Predicate
from microleak.sources.definitions.definition import SourceDefinition
from microleak.study_file.attributes import check_possible, check_released
from microleak.study_file.context import Context, definition_of

MOST_INTEGERS = 10_000
"""Most integers that an order of integers can have."""

MOST_STEPS = 100_000_000
"""Most steps of the random noise of one epsilon, 1 / (1 - alpha) each draw."""

Given = Mapping[str, Any]
"""An analysis as the study file gives it."""

OF_COUNT = ("sensitive", "useful", "predicate", "models")
"""Keys that an analysis of one count has."""

MAY_HAVE = ("order", "samples", "simulated")
"""Keys that it may have besides."""


def read(context: Context, given: Sequence[Given]) -> list[Mechanism]:
    """Return the mechanism analyses, each checked.

    Raises
    ------
    StudyError
        If one names what there is not, has neither a count nor attributes or both,
        an epsilon that is none, or a predicate or order that cannot be.
    """
    return [_mechanism(context, part) for part in given]


def _mechanism(context: Context, part: Given) -> Mechanism:
    where = f"{context.path}: analysis {part['name']!r}"
    focal = str(part["focal"])
    table = context.table(part["table"], (focal,), where)
    _check_kind(part, where)
    analysis = Mechanism(
        name=part["name"],
        table=table.name,
        focal=focal,
        epsilons=_epsilons(part["epsilons"], where),
        keep={name: tuple(each) for name, each in part.get("filter", {}).items()},
        count=None if "attributes" in part else _count(part, where),
        attributes=tuple(part.get("attributes", ())),
    )
    _check_values(analysis, definition_of(table, focal), where)
    _check_simulated(analysis, where)
    return analysis


def _check_kind(part: Given, where: str) -> None:
    """Refuse an analysis that is neither of one count nor of all pairs."""
    kinds = f"either {', '.join(OF_COUNT)}, or attributes"
    lacking = [key for key in OF_COUNT if key not in part]
    mixed = [key for key in (*OF_COUNT, *MAY_HAVE) if key in part]
    if "attributes" in part and mixed:
        raise StudyError(
            f"{where} has both attributes and {mixed[0]}. Give {kinds}: one count, or "
            "every pair."
        )
    if "attributes" not in part and lacking:
        raise StudyError(f"{where} lacks {', '.join(lacking)}. Give {kinds}.")


def _epsilons(given: Sequence[Any], where: str) -> tuple[str, ...]:
    texts = [str(each) for each in given]
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


def _count(part: Given, where: str) -> Count:
    samples, simulated = part.get("samples"), part.get("simulated")
    count = Count(
        sensitive=part["sensitive"],
        useful=part["useful"],
        predicate=_predicate(part["predicate"], where),
        models=tuple(part["models"]),
        order=_order(part["order"], where) if "order" in part else None,
        samples=samples and Samples(samples["number"], samples["size"]),
        simulated=simulated and Simulated(simulated["draws"]),
    )
    _check_predicate(count, where)
    return count


def _predicate(given: Given, where: str) -> Predicate:
    if len(given) != 1:
        raise StudyError(
            f"{where}: predicate has {' and '.join(given)}. Give one of them."
        )
    ((kind, value),) = given.items()
    return Predicate(kind, tuple(value) if isinstance(value, list) else (value,))


def _order(given: Any, where: str) -> tuple[str, ...]:
    """Return values from low to high, of integers all from the first to the last."""
    if isinstance(given, list):
        return tuple(given)
    low, high = given["integers"]
    if not 0 <= high - low < MOST_INTEGERS:
        raise StudyError(
            f"{where}: order has the integers from {low} to {high}. Give the lower "
            f"first, and no more than {MOST_INTEGERS:,} in all."
        )
    return tuple(map(str, range(low, high + 1)))


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
                f"{said} has {value!r}, which is not in order.{nearest(value, order)} "
                "Correct it, or add it to order."
            )


def _check_values(
    analysis: Mechanism, definition: SourceDefinition, where: str
) -> None:
    """Refuse attributes that the release does not have, and values it cannot have."""
    attributes = (*analysis.counted.attributes, *analysis.keep)
    _check_identifiers(attributes, definition, where)
    check_released(attributes, definition, where)
    for attribute, values in analysis.keep.items():
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
