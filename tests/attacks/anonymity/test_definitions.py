"""Anonymity models at their edges, and estimates of uniques on known populations."""

from fractions import Fraction
from math import exp, expm1, log

import numpy as np
import pytest

from microleak.attacks.anonymity.definitions.k_anonymity import (
    BlockSizes,
    entity_blocks,
    sizes_of,
)
from microleak.attacks.anonymity.definitions.k_map import (
    delta_presence,
    delta_presence_lower,
)
from microleak.attacks.anonymity.definitions.population_uniqueness import poisson_gamma
from microleak.attacks.anonymity.definitions.sensitive_values import (
    ValueCounts,
    k_anonymity_histogram,
    k_map_histogram,
    t_equal,
    t_ordered,
)
from tests.overlaps import blocks

MOST = 2**31 - 1


def counts(*of_blocks):
    """Counts of values by block, from one list of counts each; 0 if it has none."""
    cells = [
        (block, value, count)
        for block, row in enumerate(of_blocks)
        for value, count in enumerate(row)
        if count
    ]
    return ValueCounts(*np.array(cells, dtype=np.int64).T)


def blocks_of(*kinds):
    """Block sizes, from (size, number of blocks)."""
    return BlockSizes(*np.array(kinds, dtype=np.int64).T)


def test_a_histogram_has_the_buckets_that_occur_up_to_the_largest_size():
    sizes = blocks_of((1, 3), (4, 1), (10, 2), (19, 1), (20, 1), (57, 1))
    found = k_anonymity_histogram(sizes)
    assert found.lower.tolist() == [1, 3, 10, 20, 50]
    assert found.upper.tolist() == [1, 4, 19, 49, 57]
    assert found.n_blocks.tolist() == [3, 1, 3, 1, 1]
    assert found.n_records.tolist() == [3, 4, 39, 20, 57]
    assert sum(found.share_of_blocks) == sum(found.share_of_records) == 1


def test_records_that_the_population_does_not_have_are_in_a_bucket_of_their_own():
    found = k_map_histogram(blocks((0, 2, 3), (1, 1, 1), (7, 0, 5)))
    assert (found.lower.tolist(), found.upper.tolist()) == ([0, 1], [0, 1])
    assert (found.n_blocks.tolist(), found.n_records.tolist()) == ([3, 1], [6, 1])


def test_tables_without_a_block_in_common_say_nothing_of_presence():
    assert delta_presence(blocks((0, 2, 1))) is None
    assert delta_presence_lower(blocks((0, 2, 1))) is None
    assert delta_presence(blocks((0, 2, 1), (3, 0, 1))) == 0


@pytest.mark.parametrize("n_rows", [1, 2, 3, 7, 8, 9, 1000, 1025])
def test_entities_that_differ_in_the_last_of_many_rows_are_apart(n_rows):
    entity = np.repeat([4, 9, 6], n_rows)
    block = np.zeros(3 * n_rows, dtype=np.int64)
    block[n_rows - 1] = 1
    found = entity_blocks(entity, block)
    assert found[1] == found[2] != found[0]


def test_entities_of_very_different_numbers_of_rows_are_numbered_together():
    entity = np.repeat(np.arange(2_001), [10_000, *[2] * 2_000])
    block = np.concatenate([np.zeros(10_000, dtype=np.int64), np.arange(4_000) % 6])
    sizes = sizes_of(entity_blocks(entity, block))
    assert sizes.size.tolist() == [1, 666, 667]
    assert sizes.n_blocks.tolist() == [1, 1, 2]


def test_identifiers_that_are_large_numbers_of_a_small_type_do_not_overflow():
    entity = np.array([30_000, 30_000, 31_000, 31_000], dtype=np.int16)
    block = np.array([MOST - 1, 0, 0, MOST - 1])
    assert len(set(entity_blocks(entity, block).tolist())) == 1


def test_distances_of_the_incomes_of_li_and_others():
    """3k to 11k: {3k, 4k, 5k} is 0.375 from all nine, {6k, 8k, 11k} is 0.167."""
    first, second = [1, 1, 1, 0, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 1, 0, 0, 1]
    third = [0, 0, 0, 0, 1, 0, 1, 1, 0]
    assert t_ordered(counts(first, second, third)) == Fraction(3, 8)
    assert t_equal(counts(first, second, third)) == Fraction(2, 3)
    rest = [1, 1, 1, 0, 1, 0, 1, 1, 0]
    assert t_ordered(counts(second, rest)) == Fraction(1, 6)


def test_distances_of_as_many_records_as_can_be_are_exact():
    half = MOST // 2
    far = counts([half, 0, 0], [0, 0, MOST - half])
    assert t_equal(far) == t_ordered(far) == Fraction(MOST - half, MOST)


def test_distances_with_thousands_of_values_are_exact():
    n_values = 5_000
    both = counts([20_000] * n_values, [0] * (n_values - 1) + [1])
    n = 20_000 * n_values + 1
    away = (Fraction(20_000 * (i + 1), n) for i in range(n_values - 1))
    assert t_ordered(both) == sum(away) / (n_values - 1)
    assert t_equal(both) == Fraction(20_000 * (n_values - 1), n)


def population_uniques(sample, n_population):
    """Uniques of the population that are expected, a share n/N being sampled."""
    alone = sample.count(1) * poisson_gamma(sample, n_population).posterior_unique
    return alone * n_population / sample.n_records


def mean_inverse(a, p):
    """Sum of P(Y)/(Y + 1) for Y negative binomial with the shape a."""
    total, chance = 0.0, p**a
    for y in range(200_000):
        total += chance / (y + 1)
        chance *= (a + y) / (y + 1) * (1 - p)
    return total


@pytest.mark.parametrize(("a", "y"), [(0.4, 3.0), (1.0, 1.0), (1.5, 0.5), (6.0, 0.1)])
def test_poisson_gamma_finds_the_rates_that_gave_the_expected_blocks(a, y):
    n_sample, n_population = 10**12, 10**13
    ones = round(n_sample * exp(-a * y))
    twos = round(ones * a * -expm1(-y) / 2)
    rest = n_sample - ones - 2 * twos
    found = poisson_gamma(blocks_of((1, ones), (2, twos), (rest, 1)), n_population)
    p = exp(y) / (1 + 10 * expm1(y))
    assert found.posterior_unique == pytest.approx(p**a, rel=1e-6)
    assert found.posterior_match == pytest.approx(mean_inverse(a, p), rel=1e-6)


def test_poisson_gamma_takes_rates_as_equal_if_there_are_too_many_pairs():
    found = poisson_gamma(blocks_of((1, 40), (2, 30)), 200)
    rate = log(100 / 40)
    assert found.posterior_unique == pytest.approx(exp(-rate))
    assert found.posterior_match == pytest.approx(-expm1(-rate) / rate)


@pytest.mark.parametrize("kinds", [[(1, 9)], [(2, 9)], [(1, 3), (3, 5)], [(5, 2)]])
def test_poisson_gamma_has_nothing_to_fit_without_blocks_of_one_and_of_two(kinds):
    assert poisson_gamma(blocks_of(*kinds), 1_000) is None


def test_the_uniques_of_a_sample_of_everybody_are_known():
    found = poisson_gamma(blocks_of((1, 6), (2, 1), (9, 1)), 17)
    assert (found.posterior_unique, found.posterior_match) == (1, 1)


@pytest.mark.parametrize("n_population", [18, 40, 10**6])
def test_posteriors_are_chances_of_which_to_match_is_the_larger(n_population):
    found = poisson_gamma(blocks_of((1, 6), (2, 1), (9, 1)), n_population)
    assert 0 <= found.posterior_unique <= found.posterior_match <= 1


def rates(kind, rng):
    return {
        "gamma": rng.gamma(0.3, 5 / 3, 200_000),
        "equal": np.full(50_000, 2.0),
        "lognormal": np.exp(rng.normal(-1, 2, 50_000)),
    }[kind]


def known(kind, share):
    """A sample's block sizes, its population, and the uniques of that."""
    rng = np.random.default_rng(2021)
    sizes = rng.poisson(rates(kind, rng))
    population = np.repeat(np.arange(len(sizes)), sizes)
    sample = rng.choice(population, int(share * len(population)), replace=False)
    return sizes_of(sample), len(population), int((sizes == 1).sum())


@pytest.mark.parametrize("kind", ["gamma", "equal", "lognormal"])
@pytest.mark.parametrize(("share", "error"), [(0.5, 0.1), (0.1, 0.5)])
def test_poisson_gamma_is_right_within_a_tenth_or_half_of_known_uniques(
    kind, share, error
):
    """By half or a tenth sampled; the larger error is of lognormal rates."""
    sample, n_population, n_unique = known(kind, share)
    found = population_uniques(sample, n_population)
    assert abs(found / n_unique - 1) < error
