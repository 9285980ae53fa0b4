"""qif agrees, in exact fractions, on attacks on membership.

A person of the population is the secret, all as likely, and the block is what the
adversary sees of it: a deterministic channel. What is guessed is presence in the
sample. qif knows no missing values: it is given blocks, in which one is a value. The
sample is part of the population.
"""

from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.membership.definitions.membership import (
    collective_membership,
    membership,
    presence_in_population,
    presence_in_sample,
)
from microleak.definitions.overlap import Overlap

qif = pytest.importorskip("qif", reason="needs the oracles group")

pytestmark = pytest.mark.oracle


@pytest.fixture(params=[(12, 3, 5), (40, 9, 10), (60, 40, 25)], ids=str)
def persons(request):
    n_persons, n_blocks, n_sampled = request.param
    rng = np.random.default_rng(n_persons)
    blocks = np.unique(rng.integers(0, n_blocks, n_persons), return_inverse=True)[1]
    is_present = np.zeros(n_persons, dtype=bool)
    is_present[rng.choice(n_persons, n_sampled, replace=False)] = True
    return blocks, is_present


@pytest.fixture
def both(persons):
    blocks, is_present = persons
    n = np.bincount(blocks)
    d = np.bincount(blocks[is_present], minlength=len(n))
    return Overlap(n, d, np.ones_like(n))


@pytest.fixture
def attack(persons):
    """The gain of guesses, absent or present, the prior of persons, their channel."""
    blocks, is_present = persons
    n_persons, n_blocks = len(blocks), int(blocks.max()) + 1
    gain = fractions([~is_present, is_present])
    each = np.full(n_persons, Fraction(1, n_persons))
    channel = qif.channel.deterministic(
        lambda person: int(blocks[person]), n_persons, n_blocks, Fraction
    )
    return gain, each, channel


@pytest.fixture
def presence(attack):
    """Prior of absence and presence, and the channel from these to the block."""
    gain, each, channel = attack
    prior = gain @ each
    return prior, (gain * each) @ channel / prior[:, None]


def fractions(claims):
    return np.array([[Fraction(int(claim)) for claim in row] for row in claims])


def test_qif_finds_the_same_chances_to_be_right_about_presence_and_what_is_learned(
    both, attack, presence
):
    found = collective_membership(both)
    gain, each, channel = attack
    assert qif.measure.g_vuln.prior(gain, each) == found.bayes_prior
    posterior = qif.measure.g_vuln.posterior(gain, each, channel)
    assert posterior == found.bayes_posterior
    assert qif.measure.bayes_vuln.mult_leakage(*presence) == found.bayes_degradation
    leakage = qif.measure.bayes_vuln.add_leakage(*presence)
    assert leakage == found.bayes_additive_leakage


def test_qif_finds_the_same_chance_of_each_target_and_their_mean(both, presence):
    found = collective_membership(both)
    prior, channel = presence
    assert list(prior) == [1 - found.prior, found.prior]
    chances = qif.channel.posteriors(channel, prior)[1]
    assert channel[1] @ chances == found.posterior_person
    for chance, n, d in zip(chances, both.n.tolist(), both.d.tolist(), strict=True):
        attack = membership(n, d, both.n_population, both.n_sample)
        assert chance == attack.posterior


def test_qif_finds_the_same_distribution_of_chances(both, presence):
    """Of everybody it is the hyper-distribution; of the sample, by Bayes' rule."""
    prior, channel = presence
    outer, inners = qif.channel.hyper(channel, prior)
    theirs = dict(zip(inners[1].tolist(), outer.tolist(), strict=True))
    assert theirs == shares(presence_in_population(both))
    of_sample = {c: share * c / prior[1] for c, share in theirs.items() if c}
    assert of_sample == shares(presence_in_sample(both))


def shares(exact):
    """Share of the persons at each chance."""
    total = int(exact.n_records.sum())
    chances = map(Fraction, exact.numerator.tolist(), exact.denominator.tolist())
    counts = (Fraction(count, total) for count in exact.n_records.tolist())
    return dict(zip(chances, counts, strict=True))
