"""Estimated population uniques: exact models, and errors on known populations."""

from fractions import Fraction
from math import comb, exp, expm1, log

import numpy as np
import pytest

from microleak.attacks.anonymity.definitions.k_anonymity import BlockSizes, sizes_of
from microleak.attacks.anonymity.definitions.population_uniqueness import (
    individual_risk,
    negative_binomial,
    poisson,
    poisson_gamma,
    zayatz,
)

MODELS = (negative_binomial, poisson, zayatz, poisson_gamma)


def sizes(*kinds):
    """Block sizes, from (size, number of blocks)."""
    return BlockSizes(*np.array(kinds, dtype=np.int64).T)


def population_uniques(model, sample, n_population):
    """Uniques of the population that a model expects, a share n/N being sampled."""
    alone = sample.count(1) * model(sample, n_population).posterior_unique
    return alone * n_population / sample.n_records


def mean_inverse(a, p, first=1):
    """Sum of P(Y)/(Y + first) for Y negative binomial with the shape a."""
    total, chance = 0.0, p**a
    for y in range(200_000):
        total += chance / (y + first)
        chance *= (a + y) / (y + 1) * (1 - p)
    return total


@pytest.mark.parametrize("fraction", [0.001, 0.1, 0.5, 0.500001, 0.9])
@pytest.mark.parametrize("size", [1, 2, 3, 10])
def test_individual_risk_is_the_mean_inverse_of_a_negative_binomial(size, fraction):
    plain = mean_inverse(size, fraction, first=size)
    assert individual_risk(size, fraction) == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("fraction", [0.01, 0.3, 0.5])
def test_individual_risk_of_large_blocks_continues_that_of_smaller_ones(fraction):
    """r_(f+1) = p/q (1/f - r_f), on both sides of where the series takes over."""
    odds = fraction / (1 - fraction)
    for f in range(55, 75):
        step = odds * (1 / f - individual_risk(f, fraction))
        assert individual_risk(f + 1, fraction) == pytest.approx(step, rel=1e-12)


def test_individual_risk_of_the_first_two_sizes_is_that_of_sdcmicro():
    p = 0.02
    odds = p / (1 - p)
    assert individual_risk(1, p) == pytest.approx(odds * log(1 / p))
    assert individual_risk(2, p) == pytest.approx(odds - odds**2 * log(1 / p))


def test_the_negative_binomial_population_has_as_many_uniques_as_the_sample():
    sample = sizes((1, 60), (4, 10))
    assert population_uniques(negative_binomial, sample, 1_000) == pytest.approx(60)


def test_the_poisson_model_takes_each_block_at_its_own_rate():
    found = poisson(sizes((1, 10), (5, 2)), 40)
    assert found.posterior_unique == pytest.approx(exp(-1))
    assert found.posterior_match == pytest.approx(1 - exp(-1))


def test_zayatz_weighs_block_sizes_of_the_sample_by_their_hypergeometric_chance():
    n_population, kinds = 40, [(1, 6), (2, 3), (8, 1)]
    n_sample = sum(size * count for size, count in kinds)

    def one_of(size):
        others = comb(n_population - size, n_sample - 1)
        return Fraction(size * others, comb(n_population, n_sample))

    weights = {size: count * one_of(size) for size, count in kinds}
    total = sum(weights.values())
    match = sum(weight / size for size, weight in weights.items()) / total
    found = zayatz(sizes(*kinds), n_population)
    assert found.posterior_unique == pytest.approx(float(weights[1] / total))
    assert found.posterior_match == pytest.approx(float(match))


def test_zayatz_expects_a_block_of_a_billion_records_in_any_sample():
    found = zayatz(sizes((1, 7), (10**9, 1)), 10**10)
    assert found.posterior_unique == 1


@pytest.mark.parametrize(("a", "y"), [(0.4, 3.0), (1.0, 1.0), (1.5, 0.5), (6.0, 0.1)])
def test_poisson_gamma_finds_the_rates_that_gave_the_expected_blocks(a, y):
    n_sample, n_population = 10**12, 10**13
    ones = round(n_sample * exp(-a * y))
    twos = round(ones * a * -expm1(-y) / 2)
    rest = n_sample - ones - 2 * twos
    found = poisson_gamma(sizes((1, ones), (2, twos), (rest, 1)), n_population)
    p = exp(y) / (1 + 10 * expm1(y))
    assert found.posterior_unique == pytest.approx(p**a, rel=1e-6)
    assert found.posterior_match == pytest.approx(mean_inverse(a, p), rel=1e-6)


def test_poisson_gamma_takes_rates_as_equal_if_there_are_too_many_pairs():
    found = poisson_gamma(sizes((1, 40), (2, 30)), 200)
    rate = log(100 / 40)
    assert found.posterior_unique == pytest.approx(exp(-rate))
    assert found.posterior_match == pytest.approx(-expm1(-rate) / rate)


@pytest.mark.parametrize("kinds", [[(1, 9)], [(2, 9)], [(1, 3), (3, 5)], [(5, 2)]])
def test_poisson_gamma_has_nothing_to_fit_without_blocks_of_one_and_of_two(kinds):
    assert poisson_gamma(sizes(*kinds), 1_000) is None


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_model_knows_the_uniques_of_a_sample_of_everybody(model):
    found = model(sizes((1, 6), (2, 1), (9, 1)), 17)
    assert (found.posterior_unique, found.posterior_match) == (1, 1)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("n_population", [18, 40, 10**6])
def test_posteriors_are_chances_of_which_to_match_is_the_larger(model, n_population):
    found = model(sizes((1, 6), (2, 1), (9, 1)), n_population)
    assert 0 <= found.posterior_unique <= found.posterior_match <= 1


def rates(kind, rng):
    """Mean number of records of each block."""
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
    found = population_uniques(poisson_gamma, sample, n_population)
    assert abs(found / n_unique - 1) < error


@pytest.mark.parametrize("kind", ["gamma", "equal", "lognormal"])
def test_the_other_models_lie_on_either_side_of_known_uniques(kind):
    """A tenth sampled: the models that ignore other blocks say less, Zayatz more."""
    sample, n_population, n_unique = known(kind, 0.1)
    found = {m: population_uniques(m, sample, n_population) for m in MODELS[:3]}
    assert found[poisson] < 0.01 * n_unique
    assert found[poisson] < found[negative_binomial] < 0.8 * n_unique
    assert 1.5 * n_unique < found[zayatz] < 6 * n_unique
