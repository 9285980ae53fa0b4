"""libqif agrees on what an adversary believes who knows how values were randomised."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import microleak
from tests.examples import seeds

pytestmark = pytest.mark.oracle

VALUES = ["a", "b", "c", "d"]
SEEDS = seeds(12)


def keeping(rng, present):
    """k-ary randomised response among the values that records have."""
    keep = Fraction(int(rng.integers(1, 10)), 10)
    k = len(present)
    other = (1 - keep) / (k - 1)
    rows = [[keep if v == w else other for w in present] for v in present]
    return {"keep": str(keep)}, present, np.array(rows, dtype=float)


def by_matrix(rng, present, folder):
    """A matrix from true values to others, one of them without a line of its own."""
    published = [*VALUES, "e"]
    lines, rows = [",".join(["true", *published])], []
    for value in present[:-1]:
        parts = rng.multinomial(8, [1 / 5] * 5)
        lines.append(",".join([value, *(f"{part}/8" for part in parts)]))
        rows.append(parts / 8)
    rows.append([float(w == present[-1]) for w in published])
    path = folder / "matrix.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return {"matrix": str(path)}, published, np.array(rows)


@pytest.fixture(params=["keep", "matrix"])
def made(request, tmp_path):
    def by_seed(seed):
        rng = np.random.default_rng(seed)
        n_values = int(rng.integers(2, 5))
        true = VALUES[:n_values]
        true += rng.choice(true, int(rng.integers(1, 20))).tolist()
        present = sorted({*true})
        if request.param == "keep":
            section, published, channel = keeping(rng, present)
        else:
            section, published, channel = by_matrix(rng, present, tmp_path)
        prior = np.array([true.count(v) for v in present]) / len(true)
        drawn = [rng.choice(published, p=channel[present.index(v)]) for v in true]
        return true, drawn, section, (present, published, prior, channel)

    return by_seed


def attacked(true, told, section, sensitive):
    """Records with a number each, by which they are known, or known by the value."""
    people = pd.DataFrame({"number": range(len(true)), "value": true})
    after = people.assign(value=told)
    steps = [{"randomise": {"value": section}}]
    qids = ["number"] if sensitive else ["value"]
    given = {"sensitive": ["value"]} if sensitive else {}
    found = microleak.known_protection(people, after, steps, qids, **given)
    return found.known_protection.iloc[-1]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_belief_in_a_value_is_qifs_posterior_of_what_is_published(qif, made, seed):
    """Of each output: the largest posterior, or what a guess scores if that is more."""
    true, told, section, (present, published, prior, channel) = made(seed)
    found = attacked(true, told, section, sensitive=True)
    places = map(published.index, told)
    posteriors = [qif.channel.posterior(channel, prior, z) for z in places]
    belief = np.mean([posterior.max() for posterior in posteriors])
    # Of a block of one record 200 rounds weigh what is published 200 times.
    guesses = [posterior**200 / prior**199 for posterior in posteriors]
    is_best = [guess >= guess.max() * (1 - 1e-9) for guess in guesses]
    own = zip(map(present.index, true), is_best, strict=True)
    scored = np.mean([best[v] / best.sum() for v, best in own])
    certain = np.mean([np.count_nonzero(p > 1e-12) == 1 for p in posteriors])
    assert found.prior_prob == pytest.approx(qif.measure.bayes_vuln.prior(prior))
    assert found.posterior_prob == pytest.approx(max(belief, scored))
    assert found.posterior_det == pytest.approx(certain)


@pytest.mark.parametrize("seed", SEEDS)
def test_published_as_often_as_expected_it_is_qifs_posterior_vulnerability(
    qif, made, seed
):
    _, _, section, (present, published, _, channel) = made(seed)
    # As many records of each value as its chances have parts, and some more.
    n_each = [240 * (1 + place) for place in range(len(present))]
    true, told = [], []
    for value, n, row in zip(present, n_each, channel, strict=True):
        n_told = np.rint(row * n).astype(int)
        assert n_told == pytest.approx(row * n)
        true += [value] * n
        told += np.repeat(published, n_told).tolist()
    prior = np.array(n_each) / len(true)
    found = attacked(true, told, section, sensitive=True)
    vulnerability = qif.measure.bayes_vuln.posterior(prior, channel)
    assert found.posterior_prob == pytest.approx(vulnerability)


@pytest.mark.parametrize("seed", SEEDS)
def test_who_is_known_by_a_value_is_found_by_qifs_posteriors(qif, made, seed):
    """L(t, z) is the posterior of t given z by its prior; B shares it out."""
    true, told, section, (present, published, prior, channel) = made(seed)
    found = attacked(true, told, section, sensitive=False)
    n_told = Counter(told)
    weights = {
        z: qif.channel.posterior(channel, prior, published.index(z)) / prior
        for z in n_told
    }
    best = [
        max(weight[t] for weight in weights.values())
        / sum(weight[t] * n_told[z] for z, weight in weights.items())
        for t in map(present.index, true)
    ]
    assert found.posterior_prob == pytest.approx(np.mean(best))
