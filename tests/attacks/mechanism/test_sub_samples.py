from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, isnan, log, prod, sqrt

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.attacks.mechanism.definitions.simulation import random_samples, spread
from microleak.base.errors import StudyError

COUNTS = np.array([[30, 1], [10, 9]])
SPREAD_OUT = np.array([[12, 3], [4, 9]])
"""A table of whose samples few are alike in what a count tells."""


def test_a_sample_of_all_records_is_the_table():
    samples = [*random_samples(COUNTS, 50, 3, np.random.default_rng(1))]
    assert [sample.tolist() for sample in samples] == [COUNTS.tolist()] * 3


def test_every_sample_of_the_records_is_equally_likely():
    """Two of five records in three cells: each fraction within 1e-6's deviation."""
    counts, n_samples = np.array([[2, 1], [0, 2]]), 5000
    cells = [0, 0, 1, 3, 3]
    pairs = list(combinations(cells, 2))
    expected = Counter(tuple(np.bincount(pair, minlength=4)) for pair in pairs)
    drawn = random_samples(counts, 2, n_samples, np.random.default_rng(2021))
    found = Counter(tuple(sample.ravel()) for sample in drawn)
    assert found.keys() == expected.keys()
    reach = sqrt(log(2 * len(expected) / 1e-6) / (2 * n_samples))
    for kind, times in expected.items():
        assert abs(found[kind] / n_samples - times / len(pairs)) <= reach


def test_the_interval_leaves_out_a_fortieth_at_each_end():
    found = spread([float(x) for x in range(80)])
    assert (found.lower, found.upper, found.mean) == (2.0, 77.0, 39.5)
    assert found.standard_error == pytest.approx(sqrt(81 / 12))


def test_the_interval_of_the_mean_is_1_96_standard_errors_to_either_side():
    found = spread([float(x) for x in range(80)])
    reach = 1.96 * sqrt(81 / 12)
    assert found.of_mean == pytest.approx((39.5 - reach, 39.5 + reach))


def test_equal_samples_have_no_interval_of_their_mean():
    assert all(map(isnan, spread([2.0, 2.0, 2.0]).of_mean))


def test_intervals_hold_the_mean_over_all_samples_as_often_as_they_say():
    """Of 300 times 40 samples; 95 in 100 of the intervals should."""
    exact = float(mean_loss(SPREAD_OUT, 12))
    loss_of = cache(loss)
    n_held = 0
    for seed in range(300):
        drawn = random_samples(SPREAD_OUT, 12, 40, np.random.default_rng(seed))
        losses = [float(loss_of(tuple(sample.ravel().tolist()))) for sample in drawn]
        low, high = spread(losses).of_mean
        n_held += low <= exact <= high
    assert 0.9 <= n_held / 300 <= 0.99


def mean_loss(counts, size):
    """The mean over every sample, each as likely as the records can give it."""
    cells = counts.ravel().tolist()
    found = Fraction(0)
    for sample in product(*(range(n + 1) for n in cells)):
        if sum(sample) == size:
            ways = prod(comb(n, k) for n, k in zip(cells, sample, strict=True))
            found += ways * loss(sample)
    return found / comb(sum(cells), size)


def loss(cells):
    sample = np.array(cells).reshape(SPREAD_OUT.shape)
    is_counted = np.array([False, True])
    return oblivious(AttackContext(sample, is_counted), Fraction(1, 10)).privacy_loss


@pytest.mark.parametrize("size", [0, 51])
def test_a_sample_that_cannot_be_drawn_is_refused(size):
    with pytest.raises(StudyError, match=f"sample of {size} records: expected 1 to 50"):
        next(random_samples(COUNTS, size, 2, np.random.default_rng(1)))
