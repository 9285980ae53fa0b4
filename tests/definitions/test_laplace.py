"""Noise has the law that it says, to the last bit, and no other privacy loss."""

from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.definitions.epsilon import Epsilon
from microleak.definitions.laplace import _is_exp, keyed_draws, laplace_noise, range_of
from tests.examples import long

KEY = bytes(range(32))


class AskedError(Exception):
    """A draw that the script does not have."""


def chi_square(observed, expected):
    """The statistic as a standard normal number, nearly (Wilson and Hilferty 1931)."""
    pairs = zip(observed, expected, strict=True)
    statistic = sum((o - e) ** 2 / e for o, e in pairs)
    spread = 2 / (9 * (len(observed) - 1))
    return ((statistic / (len(observed) - 1)) ** (1 / 3) - 1 + spread) / spread**0.5


def law_of(sampler, least):
    """Exact chances of all ways through a sampler that are likely enough.

    Returns those of each outcome, and what is left: they add up to 1.
    """
    found, left, waiting = Counter(), Fraction(), [((), Fraction(1))]
    while waiting:
        script, chance = waiting.pop()
        draws = iter(script)

        def below(n, draws=draws):
            drawn = next(draws, None)
            if drawn is None:
                raise AskedError(n)
            return drawn

        try:
            found[sampler(below)] += chance
        except AskedError as asked:
            if chance < least:
                left += chance
            else:
                (each,) = asked.args
                if not isinstance(each, dict):
                    each = dict.fromkeys(range(each), Fraction(1, each))
                waiting += [((*script, n), chance * p) for n, p in each.items()]
    assert sum(found.values()) + left == 1
    return found, left


def exp_of_minus(gamma):
    with localcontext() as context:
        context.prec = 60
        return Fraction((-Decimal(gamma.numerator) / gamma.denominator).exp())


def chance_of(r, epsilon):
    """Ghosh, Roughgarden and Sundararajan 2012, Definition 1."""
    alpha = exp_of_minus(epsilon)
    return (1 - alpha) / (1 + alpha) * alpha ** abs(r)


@pytest.mark.parametrize("gamma", [Fraction(1), Fraction(1, 2), Fraction(0)])
def test_a_bit_is_true_with_chance_exp_of_minus_gamma(gamma):
    """Canonne, Kamath and Steinke 2020, Proposition 25."""
    found, left = law_of(lambda below: _is_exp(gamma, below), Fraction(1, 100_000))
    assert left < Fraction(1, 5_000)
    assert found[True] <= exp_of_minus(gamma) <= found[True] + left


@pytest.mark.parametrize(
    "epsilon", [Fraction(1), *long(Fraction(2, 3), Fraction(3, 2))]
)
def test_the_sampler_has_the_law(epsilon, monkeypatch):
    """Given such bits, each chance is what is found, or that and some of the rest."""

    def bit(gamma, below):
        true = round(exp_of_minus(gamma), 12)
        return below({True: true, False: 1 - true})

    monkeypatch.setattr("microleak.definitions.laplace._is_exp", bit)
    least = Fraction(1, 20_000)
    found, left = law_of(lambda below: laplace_noise(epsilon, below), least)
    assert left < Fraction(1, 16)
    for r in range(-20, 21):
        assert found[r] <= chance_of(r, epsilon) <= found[r] + left, r
    assert found[3] == found[-3] > 0


@pytest.mark.parametrize("epsilon", [Fraction(1, 24), Fraction(1, 2), Fraction(7, 3)])
def test_keyed_draws_have_the_law(epsilon):
    below = keyed_draws(KEY, str(epsilon).encode())
    drawn = Counter(laplace_noise(epsilon, below) for _ in range(20_000))
    most = range_of(epsilon)
    numbers = [*range(-most, most + 1)]
    chances = [float(chance_of(r, epsilon)) for r in numbers]
    expected = [20_000 * each for each in (*chances, 1 - sum(chances))]
    observed = [*(drawn[r] for r in numbers)]
    observed.append(20_000 - sum(observed))
    assert chi_square(observed, expected) < 2.33


@pytest.mark.parametrize("text", ["0.125", "0.5", "2"])
def test_the_loss_of_a_count_is_epsilon(text):
    """Whoever knows all others, and guesses whether one is counted (Nunes, Eq. 6.8)."""
    alpha = Epsilon.parse(text).alpha
    alone = AttackContext(np.diag([1, 1]), np.array([False, True]))
    posterior = oblivious(alone, alpha).posterior
    assert posterior / (1 - posterior) == 1 / alpha
    epsilon = Fraction(text)
    for r in range(-5, 6):
        ratio = chance_of(r, epsilon) / chance_of(r - 1, epsilon)
        assert abs(ratio * alpha ** (1 if r <= 0 else -1) - 1) < Fraction(1, 10**38)


@pytest.mark.parametrize("epsilon", [Fraction(1, 7), Fraction(1), Fraction(100)])
def test_noise_is_beyond_its_range_with_at_most_five_percent(epsilon):
    def beyond(most):
        return 1 - sum(chance_of(r, epsilon) for r in range(-most, most + 1))

    most = range_of(epsilon)
    assert beyond(most) <= Fraction(1, 20)
    assert most == 0 or beyond(most - 1) > Fraction(1, 20)


def test_draws_follow_from_key_and_message_alone():
    def drawn(key, message):
        below = keyed_draws(key, message)
        return [below(1_000_003) for _ in range(20)]

    assert drawn(KEY, b"a") == drawn(KEY, b"a")
    assert drawn(KEY, b"a") != drawn(KEY, b"b")
    assert drawn(KEY, b"a") != drawn(KEY[::-1], b"a")


@pytest.mark.parametrize("n", [1, 2, 6, 256, 257])
def test_each_number_below_another_is_drawn_alike(n):
    below = keyed_draws(KEY, b"alike")
    drawn = Counter(below(n) for _ in range(40 * n))
    assert {*drawn} == {*range(n)}
    assert n == 1 or chi_square(drawn.values(), [40] * n) < 2.33
