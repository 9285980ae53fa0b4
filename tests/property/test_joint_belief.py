"""Beliefs of records taken one by one against those of all of them together.

Everybody's true value is known but for whose it is, and each is published by a channel.
The joint posterior weighs all ways in which these records can have been published as
these values together. All releases that there may be are tried, with their chances.
"""

from collections import defaultdict
from itertools import product

import numpy as np
import pandas as pd
import pytest

import microleak
from microleak.attacks.known_protection.definitions import likelihoods


def releases_of(channel, n_of_t):
    """Each release that there may be, as records of each value, with its chance."""
    found = {(0,) * channel.shape[1]: 1.0}
    for row, n in zip(channel, n_of_t, strict=True):
        for _ in range(n):
            more = defaultdict(float)
            for release, chance in found.items():
                for z in np.flatnonzero(row):
                    more[with_one(release, z, 1)] += chance * row[z]
            found = dict(more)
    return found


def with_one(release, z, n):
    return (*release[:z], release[z] + n, *release[z + 1 :])


def joint_by_release(channel, n_of_t, t):
    """Of each release how likely it is with a target of t that is a given record of z.

    That of all others follows from the counts without the target.
    """
    others = n_of_t - (np.arange(len(n_of_t)) == t)
    left = releases_of(channel, others)
    return {
        release: [
            channel[t, z] * left.get(with_one(release, z, -1), 0.0) / n if n else 0.0
            for z, n in enumerate(release)
        ]
        for release in releases_of(channel, n_of_t)
    }


def success_by_both(channel, n_of_t):
    """Mean success of the joint posterior, and of a guess by the product's beliefs."""
    n_t, n_z = channel.shape
    t, z = (each.ravel() for each in np.indices((n_t, n_z)))
    weights = likelihoods((channel * n_of_t[:, None]).ravel(), t, z, n_of_t)
    by_pair = weights.reshape(n_t, n_z)
    joint = guess = 0.0
    for own in range(n_t):
        share = n_of_t[own] / n_of_t.sum()
        for release, chances in joint_by_release(channel, n_of_t, own).items():
            joint += share * max(chances)
            weight = np.where(np.array(release) > 0, by_pair[own], -1.0)
            best = np.flatnonzero(weight >= weight.max() * (1 - 1e-9))
            n_best = np.array(release)[best]
            guess += share * float(np.array(chances)[best] @ n_best) / n_best.sum()
    return joint, guess


def kept(keep, k):
    """k-ary randomised response as a channel."""
    other = (1 - keep) / (k - 1)
    return np.full((k, k), other) + np.eye(k) * (keep - other)


def test_beliefs_in_records_are_no_bound_of_the_joint_posterior(
    keep, values, believed, joint
):
    """Neither from below nor from above, in the mean over all releases."""
    different, n_of_t = np.unique([*values], return_counts=True)
    channel = kept(float(keep), len(different))
    people = pd.DataFrame({"q": [*values]})
    steps = [{"randomise": {"q": {"keep": keep}}}]
    mean = 0.0
    for release, chance in releases_of(channel, n_of_t).items():
        told = pd.DataFrame({"q": np.repeat(different, release)})
        found = microleak.known_protection(people, told, steps, ["q"])
        mean += chance * found.known_protection["posterior_prob"].item()
    assert mean == pytest.approx(believed, abs=5e-5)
    assert success_by_both(channel, n_of_t)[0] == pytest.approx(joint, abs=5e-5)


def test_beliefs_in_values_may_be_more_than_any_guess_reaches():
    """Of a block with one of each nothing says whose is whose."""
    people = pd.DataFrame({"town": [1, 1], "ill": ["a", "b"]})
    steps = [{"randomise": {"ill": {"keep": "0.9"}}}]
    mean = 0.0
    for told in product("ab", repeat=2):
        after = people.assign(ill=told)
        args = (people, after, steps, ["town"])
        rows = microleak.known_protection(*args, sensitive=["ill"]).known_protection
        found = rows.set_index("sensitive").loc["ill", "posterior_prob"]
        n_kept = sum(a == b for a, b in zip(told, people["ill"], strict=True))
        mean += 0.9**n_kept * 0.1 ** (2 - n_kept) * found
    assert mean == pytest.approx(0.572)


def test_a_guess_by_beliefs_is_never_better_than_the_joint_posterior():
    """Bayes' rule is the best of all guesses; this one is mostly as good."""
    rng = np.random.default_rng(5)
    n_as_good = 0
    for _ in range(300):
        n_t, n_z = rng.integers(2, 4, size=2)
        n_of_t = rng.integers(1, 3, size=n_t)
        channel = rng.dirichlet(np.full(n_z, rng.choice([0.2, 1.0])), size=n_t)
        joint, guess = success_by_both(channel, n_of_t)
        assert guess <= joint + 1e-12
        n_as_good += guess >= joint - 1e-12
    assert n_as_good > 150
