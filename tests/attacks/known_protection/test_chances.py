"""Chances after a sample are those of all samples, or are refused."""

from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from math import comb, exp

import numpy as np
import pytest

from microleak.attacks.known_protection.chances import ENOUGH, Room, Ways, ways_of
from microleak.base.errors import TableError
from microleak.protection.methods import column_of
from microleak.protection.steps import Recipe
from microleak.study_file.protections import StepSection

KEEP = Fraction(7, 10)


def reckoned(texts, n_left):
    """The chance of each published value of each true one, after a sample and keep."""
    values, sizes = zip(*sorted(Counter(texts).items()), strict=True)
    column = column_of([None, *values], np.arange(1, len(values) + 1))
    rows = Ways(
        np.arange(len(values)), {"ill": column}, np.ones(len(values)), np.array(sizes)
    )
    steps = (
        StepSection(sample=f"{n_left}/{len(texts)}"),
        StepSection(randomise={"ill": {"keep": str(float(KEEP))}}),
    )
    ways = ways_of(rows, Recipe("one", 0, steps, {}), Room(1_000, "here"))
    told = [ways.columns["ill"].values[code] for code in ways.columns["ill"].codes]
    pairs = zip(ways.row.tolist(), told, ways.chance.tolist(), strict=True)
    return {(values[row], text): chance for row, text, chance in pairs}


def enumerated(texts, n_left):
    """The same of a record that is in the sample, over all samples."""
    found, n_there = Counter(), Counter()
    for drawn in combinations(range(len(texts)), n_left):
        present = {texts[i] for i in drawn}
        for i in drawn:
            n_there[texts[i]] += 1
            others = present - {texts[i]}
            found[texts[i], texts[i]] += KEEP if others else 1
            for other in others:
                found[texts[i], other] += (1 - KEEP) / len(others)
    return {pair: float(p / n_there[pair[0]]) for pair, p in found.items()}


@pytest.mark.parametrize(
    ("texts", "n_left"),
    [("aaabbb", 4), ("aabbb", 4), ("aabbcc", 5), ("aaabbbccc", 7), ("abc", 3)],
)
def test_a_value_is_kept_among_those_that_every_sample_has(texts, n_left):
    assert reckoned(texts, n_left) == pytest.approx(enumerated(texts, n_left))


@pytest.mark.parametrize(
    ("texts", "n_left"), [("aaabbb", 3), ("abbb", 3), ("abc", 2), ("aabbcc", 3)]
)
def test_a_sample_that_may_have_none_of_a_value_is_refused(texts, n_left):
    with pytest.raises(TableError, match="here: ill is randomised by keep after a sa"):
        reckoned(texts, n_left)


def test_a_value_of_which_enough_are_expected_is_in_the_sample():
    reckoned("a" * 60 + "b" * 60, 60)
    with pytest.raises(TableError, match="Randomise it before the sample, or remove"):
        reckoned("a" * 59 + "b" * 61, 60)
    for n_before in range(1, 40):
        for n, m in product(range(1, n_before + 1), repeat=2):
            none = comb(n_before - n, m) / comb(n_before, m)
            assert none <= exp(-n * m / n_before) * (1 + 1e-9)
    assert exp(-ENOUGH) < 1e-12
