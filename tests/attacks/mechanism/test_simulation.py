"""Random reports, guesses played out on them, and samples, against exact chances.

Guesses are within `half_width` of their chance but for once in 10^9; all tests of fit
together fail by chance less than once in a million generators.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, isnan, log, prod, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.mechanism.definitions import simulation
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import truncated_geometric
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.attacks.mechanism.definitions.simulation import (
    bernoulli,
    half_width,
    random_samples,
    reported_counts,
    right_guesses,
    spread,
)
from microleak.base.errors import StudyError
from tests import naive_mechanisms as naive
from tests.examples import examples

THIRD = Fraction(1, 3)
MEDIUM = np.array([False, True, False])
SCENARIOS = {
    "A": ([[2, 0, 0], [0, 4, 0], [0, 0, 2]], Fraction(9, 16)),
    "C": ([[0, 4, 0], [2, 0, 2]], Fraction(3, 4)),
}
"""Nunes' Example 33: incomes or countries by income, and the posterior at ln 3."""


def played(context, alpha, n_draws, seed=2021):
    return right_guesses(context, alpha, n_draws, np.random.default_rng(seed))


@pytest.mark.parametrize("letter", SCENARIOS)
def test_guesses_are_right_as_often_as_example_33_has_it(letter):
    counts, posterior = SCENARIOS[letter]
    found = played(AttackContext(np.array(counts), MEDIUM), THIRD, 1_000_000)
    assert abs(found.posterior - posterior) <= half_width(1_000_000)
    assert abs(found.utility - Fraction(3, 4)) <= half_width(1_000_000)


def test_a_sampler_whose_alpha_is_wrong_by_5_percent_is_found_out(monkeypatch):
    def wrong(real, n, alpha, size, rng):
        return reported_counts(real, n, alpha * Fraction(21, 20), size, rng)

    monkeypatch.setattr(simulation, "reported_counts", wrong)
    counts, posterior = SCENARIOS["C"]
    found = played(AttackContext(np.array(counts), MEDIUM), THIRD, 1_000_000)
    assert abs(found.posterior - posterior) > half_width(1_000_000)
    assert abs(found.utility - Fraction(3, 4)) > half_width(1_000_000)


values = st.sampled_from(["a", "b", None])
databases = st.lists(st.tuples(values, values), min_size=1, max_size=4)


@examples(15)
@given(databases, st.sampled_from([Fraction(1, 10), THIRD, Fraction(9, 10)]))
def test_guesses_are_right_as_often_as_the_mechanism_spelled_out(records, alpha):
    """A missing value is guessed, and counted, as any other."""
    attack = naive.context(records, ["a", "b", None], is_missing)
    both = naive.joint(records, is_missing, naive.oblivious(is_missing, alpha))
    found = played(attack, alpha, 20_000)
    assert abs(found.posterior - naive.post_vul(both)) <= half_width(20_000)
    assert abs(found.utility - naive.utility(both)) <= half_width(20_000)


def is_missing(value):
    return value is None


def test_without_noise_only_who_is_counted_with_others_is_mistaken_for_them():
    """One poor person is counted as three rich ones are."""
    counts = np.array([[3, 0], [1, 4]])
    found = played(AttackContext(counts, np.array([True, False])), Fraction(0), 50_000)
    assert found.utility == 1
    assert abs(found.posterior - Fraction(7, 8)) <= half_width(50_000)


SIZE = 40_000
FITS = [
    (Fraction(1, 2), 5, 0),
    (Fraction(1, 2), 5, 3),
    (Fraction(9, 10), 40, 20),
    (Fraction(99, 100), 10, 9),
    (Fraction(1, 10**5), 3, 1),
    (Fraction(1, 3), 1, 1),
]
FAILURE = 1e-6 / len(FITS)
"""Chance that a right sampler fails one test; the tests share 1e-6 (Bonferroni)."""


class Words:
    """A generator that gives the words of one draw, one after another."""

    def __init__(self, words):
        self.words = list(words)

    def integers(self, low, high, size):
        assert (low, size) == (0, 1)
        return np.array([self.words.pop(0)])


@pytest.mark.parametrize(("alpha", "n", "real"), FITS)
def test_reported_counts_have_the_mechanism_s_distribution(alpha, n, real):
    """Largest distance of the distribution functions (Dvoretzky-Kiefer-Wolfowitz)."""
    drawn = reported_counts(real, n, alpha, SIZE, np.random.default_rng(2021))
    found = np.bincount(drawn, minlength=n + 1).cumsum() / SIZE
    expected = np.array(truncated_geometric(alpha, n).fractions()[real], float).cumsum()
    assert len(found) == n + 1
    assert abs(found - expected).max() <= sqrt(log(2 / FAILURE) / (2 * SIZE))


@pytest.mark.parametrize("chance", [Fraction(k, 7) for k in range(8)])
def test_a_draw_is_true_for_as_many_words_as_the_chance_says(chance, monkeypatch):
    """Two words of 3 bits decide all but at most one of 64 draws."""
    monkeypatch.setattr(simulation, "WORD_BITS", 3)
    n_true = sum(
        int(bernoulli(chance, 1, Words([*divmod(both, 8), 7]))[0]) for both in range(64)
    )
    assert n_true == 64 * chance.numerator // chance.denominator


def test_chances_below_every_float_s_grain_are_told_apart():
    """2**-62 + 2**-125 and 2**-62 are one float, but not one chance."""
    fine = Fraction(1, 2**62) + Fraction(1, 2**125)
    assert float(fine) == float(Fraction(1, 2**62))
    undecided = [1, 0, 1 << 60]
    assert bernoulli(fine, 1, Words(undecided))[0]
    assert not bernoulli(Fraction(1, 2**62), 1, Words(undecided))[0]


def test_every_count_near_the_real_one_is_reported_even_where_floats_have_gaps():
    """From 2**53 on floats are 2 apart: noise added to them skips odd counts."""
    real = 2**60 + 1
    rng = np.random.default_rng(1)
    drawn = reported_counts(real, 2**61, Fraction(9, 10), 4000, rng)
    assert set(range(-10, 11)) <= set((drawn - real).tolist())


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


def test_intervals_leave_out_a_fortieth_at_each_end_or_1_96_standard_errors():
    found = spread([float(x) for x in range(80)])
    assert (found.lower, found.upper, found.mean) == (2.0, 77.0, 39.5)
    error = sqrt(81 / 12)
    assert found.standard_error == pytest.approx(error)
    assert found.of_mean == pytest.approx((39.5 - 1.96 * error, 39.5 + 1.96 * error))
    # Equal samples have no interval of their mean.
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
