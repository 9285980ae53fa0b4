"""libqif and OpenDP agree on gains, mechanisms, vulnerability and noise."""

from fractions import Fraction
from functools import partial
from math import log, sqrt

import numpy as np
import pytest

from microleak.attacks.g_leakage.definitions import g_vulnerability
from microleak.attacks.g_leakage.kernels import BestGuess, best_gains
from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import (
    randomised_response,
    truncated_geometric,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.kernels.records import AttributeCodes, in_memory
from microleak.kernels.walk import Work
from tests.examples import seeds

pytestmark = pytest.mark.oracle


@pytest.mark.parametrize("seed", seeds(12))
def test_prior_and_posterior_are_those_of_qif(qif, seed):
    rng = np.random.default_rng([4, seed])
    n, n_values, n_blocks, n_guesses = 60, 4, 9, 5
    values = np.concatenate([np.arange(n_values), rng.integers(0, n_values, n)])
    block = np.concatenate([np.zeros(n_values, int), rng.integers(0, n_blocks, n)])
    gains = rng.integers(0, 8, (n_guesses, n_values))
    counts = np.zeros((n_values, n_blocks), dtype=int)
    np.add.at(counts, (values, block), 1)
    of_value = counts.sum(axis=1)
    prior = np.array([Fraction(int(k), len(values)) for k in of_value])
    channel = np.array(
        [
            [Fraction(int(k), int(of_value[x])) for k in counts[x]]
            for x in range(n_values)
        ]
    )
    gain = np.array([[Fraction(int(g), 7) for g in row] for row in gains])
    theirs = (
        qif.measure.g_vuln.prior(gain, prior),
        qif.measure.g_vuln.posterior(gain, prior, channel),
    )
    table = in_memory(
        [AttributeCodes(block, n_blocks)],
        [AttributeCodes(values, n_values, is_marked=True)],
    )
    counter = partial(BestGuess, gains=gains)
    ((_, total, _),) = best_gains(table, np.array([1]), counter, Work())
    ours = (
        g_vulnerability(of_value.tolist(), gain.tolist()),
        Fraction(total, 7 * len(values)),
    )
    assert tuple(map(Fraction, theirs)) == ours
    capacity = sum(max(column) for column in channel.T)
    assert ours[1] / ours[0] <= capacity <= n_blocks


def floats(channel):
    return np.array(channel.fractions(), dtype=float)


ALPHAS = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(1, 1000)]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_qif_has_the_same_truncated_geometric_mechanism(qif, alpha):
    theirs = qif.mechanism.d_privacy.geometric(6, log(1 / alpha))
    assert floats(truncated_geometric(alpha, 5)) == pytest.approx(theirs)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_qif_has_the_same_randomised_response(qif, alpha):
    theirs = qif.mechanism.d_privacy.randomized_response(4, log(1 / alpha))
    assert floats(randomised_response(alpha, 4)) == pytest.approx(theirs)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", range(3))
def test_qif_finds_the_same_privacy_loss_and_utility_of_a_count(qif, alpha, seed):
    rng = np.random.default_rng(seed)
    attack = AttackContext(rng.integers(1, 9, (4, 5)), np.arange(5) < 2)
    noise = floats(truncated_geometric(alpha, attack.n_records + 1))
    both = noise[attack.n_counted : attack.n_counted + 2]
    weights = np.array([attack.others, attack.counted]).T
    sizes = weights.sum(axis=1)
    adversary = sizes / sizes.sum(), weights / sizes[:, None] @ both
    analyst = weights.sum(axis=0) / sizes.sum(), both
    found = oblivious(attack, alpha)
    measure = qif.measure.bayes_vuln
    assert float(found.prior) == pytest.approx(measure.prior(adversary[0]))
    assert float(found.posterior) == pytest.approx(measure.posterior(*adversary))
    assert float(found.privacy_loss) == pytest.approx(measure.mult_leakage(*adversary))
    assert float(found.utility) == pytest.approx(measure.posterior(*analyst))


def test_opendp_draws_from_the_truncated_geometric_mechanism():
    """It takes no seed: a right sampler fails once in a billion runs."""
    dp = pytest.importorskip("opendp.prelude", reason="needs the oracles group")
    dp.enable_features("contrib")
    size, n, real = 5000, 5, 3
    space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    noisy = space >> dp.m.then_laplace(scale=1 / log(2))
    drawn = np.clip([noisy(real) for _ in range(size)], 0, n)
    found = np.bincount(drawn, minlength=n + 1).cumsum() / size
    expected = floats(truncated_geometric(Fraction(1, 2), n))[real].cumsum()
    assert abs(found - expected).max() <= sqrt(log(2 / 1e-9) / (2 * size))
