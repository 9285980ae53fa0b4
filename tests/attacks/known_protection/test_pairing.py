"""Chances to be a pair of a swap, by all orders in which records may be drawn."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import numpy as np
import pytest

from microleak.attacks.known_protection.chances import (
    Room,
    SwapDrawing,
    Ways,
    drawn,
    ways_of,
)
from microleak.protection.methods import Swapping, column_of, drawn_pairs
from microleak.protection.steps import Recipe
from microleak.study_file.protections import StepSection
from tests.examples import long


class Drawn:
    """A generator that returns the keys given, one list after the other."""

    def __init__(self, *orders):
        self._orders = iter(orders)
        self.bit_generator = self

    def random_raw(self, n):
        return np.array(next(self._orders), dtype=np.uint64)[:n] << np.uint64(3)


def every_swap(group, alike, n_chosen):
    """Pairs of all orders of choosing and of pairing records, each as often as it is.

    By symmetry one order of pairing is as good as another without a target.
    """
    n = len(group)
    target = [np.array(alike)] if alike else []
    swapping = Swapping(Fraction(n_chosen, n), [np.array(group)], target)
    for order in permutations(range(n)):
        for places in permutations(range(n)) if target else [order]:
            first, second = drawn_pairs(n, swapping, Drawn(order, places))
            yield [*zip(first.tolist(), second.tolist(), strict=True)]


def coded(texts):
    """A column of texts."""
    known = [*dict.fromkeys(texts)]
    return column_of(known, np.array([known.index(text) for text in texts]))


CASES = [
    ([0, 0, 0, 0], None),
    ([0, 0, 0, 1, 1], None),
    ([0, 0, 0, 0], [0, 1, 2, 2]),
    ([0, 0, 0, 0], [0, 1, 1, 1]),
    ([0, 0, 1, 1], [0, 1, 2, 2]),
    ([0, 0, 0, 1], [0, 1, 2, 3]),
    *long(
        ([0, 0, 0, 0, 1], [0, 1, 2, 2, 3]),
        ([0, 0, 0, 1, 1], [0, 1, 1, 2, 3]),
    ),
]


@pytest.mark.parametrize(("group", "alike"), CASES, ids=str)
def test_chances_of_pairs_are_those_of_all_swaps(group, alike):
    n = len(group)
    alone = [bool(alike) and alike.count(each) == 1 for each in alike or group]
    n_orders = factorial(n) * (factorial(n) if alike else 1)
    for n_chosen in range(n + 1) if n < 5 else (2, 3):
        swaps = every_swap(group, alike, n_chosen)
        found = Counter(frozenset(pair) for each in swaps for pair in each)
        drawing = SwapDrawing(n, n, sum(alone), n_chosen)
        for i, j in product(range(n), repeat=2):
            if i < j and group[i] == group[j]:
                own = [k for k in range(n) if group[k] == group[i]]
                both, one, none = drawing.chances(len(own), sum(alone[k] for k in own))
                expected = (none, one, both)[alone[i] + alone[j]]
                assert found[frozenset((i, j))] / n_orders == pytest.approx(expected)


@pytest.mark.parametrize("n_chosen", range(5))
def test_published_values_are_as_likely_as_in_all_targeted_swaps(n_chosen):
    """Four towns, two of them of one age; who is alone by age is swapped first."""
    ages, towns = ["1", "2", "3", "3"], ["a", "b", "a", "c"]
    expected = Counter()
    columns = {name: coded(texts) for name, texts in (("age", ages), ("town", towns))}
    for each in every_swap([0] * 4, columns["age"].codes.tolist(), n_chosen):
        told = [*towns]
        for i, j in each:
            told[i], told[j] = told[j], told[i]
        expected.update(zip(ages, towns, told, strict=True))
    step = StepSection(swap=["town"], rate=f"{n_chosen}/4", target=["age"])
    rows = Ways(np.arange(4), columns, np.ones(4), np.ones(4, dtype=np.int64))
    ways = ways_of(rows, Recipe("one", 0, (step,), {}), Room(1_000, "here"))
    after = ways.columns["town"]
    found = {
        (ages[row], towns[row], after.values[code]): chance
        for row, code, chance in zip(
            ways.row.tolist(), after.codes.tolist(), ways.chance.tolist(), strict=True
        )
    }
    n_orders = factorial(4) ** 2
    assert found == pytest.approx({k: n / n_orders for k, n in expected.items()})


@pytest.mark.parametrize("n_chosen", [1, 2, 3])
def test_a_swap_after_a_sample_is_among_those_that_were_drawn(n_chosen):
    """Three of five are a sample, of whom some are chosen; the group has three."""
    found, n_there = 0, 0
    group = [0, 0, 0, 1, 1]
    for order in permutations(range(5)):
        kept = order[:3]
        if 0 not in kept:
            continue
        n_there += 1
        within = [np.array([group[k] for k in kept])]
        swapping = Swapping(Fraction(n_chosen, 3), within)
        for keys in permutations(range(3)):
            first, second = drawn_pairs(3, swapping, Drawn(keys))
            of = [{kept[i], kept[j]} for i, j in zip(first, second, strict=True)]
            found += {0, 1} in of
    _, _, none = SwapDrawing(5, 3, 0, n_chosen).chances(3, 0)
    assert found / (n_there * 6) == pytest.approx(none)


def test_chances_of_large_groups_add_up():
    each = [*drawn(3_000_000, 1_000_000, 300_000)]
    assert sum(p for _, p in each) == pytest.approx(1)
    assert sum(k * p for k, p in each) == pytest.approx(100_000)


def test_expected_records_are_those_of_whole_ones_whatever_they_round_to():
    """Of six, three are chosen and four swapped; one is a part of each of 33 rows."""
    towns = coded([*"bcdef", *"a" * 33])
    records = np.array([1.0] * 5 + [1 / 33] * 33)
    assert records.sum() < 6
    step = StepSection(swap=["town"], rate="5/12")
    rows = Ways(np.arange(38), {"town": towns}, np.ones(38), records)
    ways = ways_of(rows, Recipe("one", 0, (step,), {}), Room(1_000, "here"))
    stays = ways.columns["town"].codes == towns.codes[ways.row]
    assert ways.chance[stays] == pytest.approx(1 / 3)
