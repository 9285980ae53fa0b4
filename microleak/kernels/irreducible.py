"""Which of many things do not go together, without those that could be left out."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")


def irreducible_items(
    items: Sequence[Item], is_refuted: Callable[[Sequence[Item]], bool]
) -> list[Item]:
    """Return items that are refuted together, and would not be without any of them.

    More items are refuted if some of them are. One that is refuted by itself comes
    before several. Else each round finds the first item with which those before it, and
    those that are found, are refuted.

    >>> irreducible_items([1, 9, 2, 8, 3], lambda some: sum(some) > 15)
    [9, 8]
    >>> irreducible_items([1, 9, 20, 8], lambda some: sum(some) > 15)
    [20]
    """
    for item in items:
        if is_refuted([item]):
            return [item]
    needed: list[int] = []
    n_left = len(items)

    def is_enough(n: int) -> bool:
        return is_refuted([items[m] for m in sorted({*needed, *range(n)})])

    while n_left and not is_enough(0):
        n_left = bisect_left(range(n_left), True, key=lambda n: is_enough(n + 1))
        needed.append(n_left)
    found = [items[n] for n in sorted(needed)]
    at = 0
    while at < len(found):
        rest = found[:at] + found[at + 1 :]
        # It may be known of fewer items only: with one left out, all are tried again.
        is_to_spare = len(found) > 1 and is_refuted(rest)
        found, at = (rest, 0) if is_to_spare else (found, at + 1)
    return found
