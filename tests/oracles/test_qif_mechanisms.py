"""libqif and OpenDP agree on mechanisms, vulnerability and noise."""

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import (
    randomised_response,
    truncated_geometric,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious

pytestmark = pytest.mark.oracle

ALPHAS = [Fraction(1, 2), Fraction(1, 3), Fraction(9, 10), Fraction(1, 1000)]


@pytest.mark.parametrize("alpha", ALPHAS)
def test_qif_has_the_same_truncated_geometric_mechanism(alpha):
    qif = pytest.importorskip("qif", reason="needs the oracles group")
    theirs = qif.mechanism.d_privacy.geometric(6, log(1 / alpha))
    assert truncated_geometric(alpha, 5).floats() == pytest.approx(theirs)


@pytest.mark.parametrize("alpha", ALPHAS)
def test_qif_has_the_same_randomised_response(alpha):
    qif = pytest.importorskip("qif", reason="needs the oracles group")
    theirs = qif.mechanism.d_privacy.randomized_response(4, log(1 / alpha))
    assert randomised_response(alpha, 4).floats() == pytest.approx(theirs)


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("seed", range(3))
def test_qif_finds_the_same_privacy_loss_and_utility_of_a_count(alpha, seed):
    qif = pytest.importorskip("qif", reason="needs the oracles group")
    rng = np.random.default_rng(seed)
    attack = AttackContext(rng.integers(1, 9, (4, 5)), np.arange(5) < 2)
    noise = truncated_geometric(alpha, attack.n_records + 1).floats()
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
    expected = truncated_geometric(Fraction(1, 2), n).floats()[real].cumsum()
    assert abs(found - expected).max() <= sqrt(log(2 / 1e-9) / (2 * size))
