"""Subsets of an analysis's QIDs: which are wanted, their order and their names."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import comb
from typing import Any

from microleak.errors import StudyError
from microleak.study.cost import cost_of_a_million

Subset = int
"""A set of QIDs as a bit mask: bit i is the i-th QID of the analysis."""

MOST_SUBSETS = 1 << 17
"""More subsets than this are refused: their profiles would fill a disk."""

MOST_QIDS = 62
"""So many bits hold a subset in a signed integer of 64 bits, with one to spare."""


def subsets_of(n_qids: int, wanted: Any, where: str) -> tuple[Subset, ...]:
    """Return the subsets that `all`, `full` or `{sizes: […]}` means.

    Sorted by size, then by the positions of their QIDs.

    Raises
    ------
    StudyError
        If a size is larger than the number of QIDs, or there are too many QIDs
        or subsets.
    """
    if n_qids > MOST_QIDS:
        raise StudyError(
            f"{where}: {n_qids} QIDs are more than the {MOST_QIDS} that an analysis "
            "can have. Use fewer QIDs."
        )
    sizes = _sizes(n_qids, wanted)
    if max(sizes) > n_qids:
        raise StudyError(
            f"{where}: subsets of {max(sizes)} QIDs are wanted, but there are only "
            f"{n_qids}. Correct subsets.sizes."
        )
    n_subsets = sum(comb(n_qids, size) for size in sizes)
    if n_subsets > MOST_SUBSETS:
        raise StudyError(
            f"{where}: {n_qids} QIDs have {n_subsets:,} subsets of the sizes wanted, "
            f"more than {MOST_SUBSETS:,}: their profiles would take "
            f"{cost_of_a_million(n_subsets)}. Use fewer QIDs or, for example, "
            "subsets: {sizes: [1, 2]}."
        )
    return tuple(
        sum(1 << qid for qid in chosen)
        for size in sizes
        for chosen in combinations(range(n_qids), size)
    )


def _sizes(n_qids: int, wanted: Any) -> Sequence[int]:
    if wanted == "all":
        return range(1, n_qids + 1)
    if isinstance(wanted, Mapping):
        return sorted(wanted["sizes"])
    return [n_qids]


def names_of(subset: Subset, qids: Sequence[str]) -> list[str]:
    """Return the names of a subset's QIDs, in the order of the study file."""
    return [name for i, name in enumerate(qids) if subset >> i & 1]


def spread(subset: Subset, qid_of: Sequence[int]) -> Subset:
    """Return the columns of a panel that have values of a subset's QIDs.

    `qid_of` says of which QID each column has values.

    >>> bin(spread(0b01, [0, 0, 1]))
    '0b11'
    """
    return sum(1 << i for i, qid in enumerate(qid_of) if subset >> qid & 1)
