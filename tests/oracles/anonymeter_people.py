"""Files made of files of people, each more unlike the people than the one before.

Everybody has other facts A (a1, a2) and other facts B (b1, b2) than everybody else, as
anonymeter takes any one of several records that are as near.
"""

from collections.abc import Iterable
from random import Random
from typing import Any

A, B, SECRET = ["a1", "a2"], ["b1", "b2"], "secret"
N_PAIRS = 20
N_PEOPLE = 400
_SIDE = 30
"""Values of a fact; two of them have more pairs than there are people."""

Table = dict[str, list[str]]


def pair(number: int) -> tuple[Table, Table, Table]:
    """Return people, the file made of them, and others who are in neither.

    Only `Random.random` is used, which Python promises to keep for a seed.
    """
    draw = Random(number).random

    def mixed(things: Iterable[Any]) -> list[Any]:
        return sorted(things, key=lambda _: draw())

    pairs = [(f"x{i}", f"y{j}") for i in range(_SIDE) for j in range(_SIDE)]
    facts = zip(mixed(pairs), mixed(pairs), strict=True)
    rows = [(*a, *b, _secret(draw())) for a, b in facts]
    people, others = rows[:N_PEOPLE], rows[N_PEOPLE : 2 * N_PEOPLE]
    changed = mixed(range(N_PEOPLE))[: number * N_PEOPLE // N_PAIRS]
    made = [*people]
    for here, there in zip(changed, changed[1:] + changed[:1], strict=True):
        made[here] = (*people[here][:2], *people[there][2:4], _secret(draw()))
    made = mixed(made)
    return _table(people), _table(made), _table(others)


def _secret(chance: float) -> str:
    return "pqrs"[sum(chance >= below for below in (0.5, 0.7, 0.9))]


def _table(rows: list[tuple[str, ...]]) -> Table:
    names = [*A, *B, SECRET]
    return {n: list(v) for n, v in zip(names, zip(*rows, strict=True), strict=True)}
