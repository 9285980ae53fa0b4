"""Groups of the persons by the values of an attribute, before the walk."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from microleak.attacks.risk_groups.analysis import Grouping
from microleak.base.errors import TableError, count_of
from microleak.records.coding import (
    MOST_NAMED,
    Dictionary,
    missing_first,
    texts_of,
)

MOST_GROUPS = 100


@dataclass(frozen=True)
class EntryGroups:
    """Groups that one entry of `by` gives."""

    by: str  # The entry's name
    attribute: str  # Whose values are grouped
    kind: str
    names: Sequence[str | None]  # Of the groups, by their numbers
    # The group of each value, a missing one under None
    number_of: Mapping[str | None, int]


def groups_of(given: str | Grouping, known: Dictionary, where: str) -> EntryGroups:
    """Return the groups of an entry of `by` that have members, in their order.

    That of a missing value is the first; values and classes are sorted as texts,
    sizes ascend.
    """
    if isinstance(given, str):
        _check_few(len(known.values), f"{given} has", "values", where)
        names = sorted(texts_of(known.values), key=missing_first)
        number_of = {name: number for number, name in enumerate(names)}
        return EntryGroups(given, given, "value", names, number_of)
    if given.sizes is not None:
        return _by_size(given, given.sizes, known, where)
    return _by_class(given, given.class_of or {}, known, where)


def _by_size(
    given: Grouping, sizes: Sequence[int], known: Dictionary, where: str
) -> EntryGroups:
    ends = [0, *sizes]
    names = [
        None,
        *(f"{low}-{high - 1}" for low, high in pairwise(ends)),
        f"{ends[-1]}-",
    ]
    places = 1 + np.searchsorted(sizes, known.counts, side="right")
    places[known.values.is_null().to_numpy(zero_copy_only=False)] = 0
    used, numbers = np.unique(places, return_inverse=True)
    _check_few(len(used), f"{given.called} gives", "groups", where)
    number_of = dict(zip(texts_of(known.values), numbers.tolist(), strict=True))
    return EntryGroups(
        given.called, given.of, "size", [names[i] for i in used], number_of
    )


def _by_class(
    given: Grouping, class_of: Mapping[str, str], known: Dictionary, where: str
) -> EntryGroups:
    texts = texts_of(known.values)
    n_lacking = sum((text or "") not in class_of for text in texts)
    if n_lacking:
        is_missing = None in texts and "" not in class_of
        missing = ", a missing one among them," if is_missing else ""
        # Those that lack a class are the data's own; what the file has is the study's.
        unused = sorted({*class_of} - {"", *texts})
        named = ", ".join(map(repr, unused[:MOST_NAMED]))
        more = f" and {len(unused) - MOST_NAMED:,} more" * (len(unused) > MOST_NAMED)
        found = f" It has {named}{more}, which no record has." if unused else ""
        raise TableError(
            f"{where}: {count_of(n_lacking, 'value')} of {given.of}{missing} "
            f"{'has' if n_lacking == 1 else 'have'} no class in "
            f"{given.classes or 'classes'}, which needs a class of each value as it "
            f"is released, of a missing one under an empty text.{found} Correct it, or "
            "add what it lacks."
        )
    names = sorted({class_of[text or ""] for text in texts})
    _check_few(len(names), f"{given.called} gives", "groups", where)
    numbers = {name: number for number, name in enumerate(names)}
    number_of = {text: numbers[class_of[text or ""]] for text in texts}
    return EntryGroups(given.called, given.of, "class", names, number_of)


def _check_few(n: int, said: str, what: str, where: str) -> None:
    if n > MOST_GROUPS:
        raise TableError(
            f"{where}: {said} {n:,} {what}, more than the {MOST_GROUPS} groups that "
            "are compared. Remove it from by, or have a coarser attribute or grouping "
            "in its place."
        )
