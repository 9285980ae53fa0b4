"""Guesses and samples drawn at random, to check and to spread exact measures.

Guesses against a count with noise, played out on exact random draws. Samplers that
transform a float leave gaps and favour some numbers, which gives the real count away
(Mironov 2012). Here whole numbers are compared with whole numbers, as Canonne,
Kamath and Steinke (2020) do: no chance is rounded, however small. Draws come from
the generator given, so that they can be repeated; they are for studying a mechanism,
not for protecting a release, which needs a secret source of randomness.

`oblivious_mechanism` has the chance that a guess is right in closed
form. Here x* is drawn, its noisy count too, and who guesses is right or wrong: the
share of right guesses checks the closed form, the sampler and each other. Nothing is
rounded before the share, so that it differs from the chance by luck alone.

Many random samples of the records, and how a measure varies over them. Nunes
measures one sample, chosen by hand, and leaves as future work to draw many at random
and analyse the results (section 7.1, third).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, nan, sqrt
from statistics import mean, stdev

import numpy as np
from numpy.typing import NDArray

from microleak.attacks.mechanism.definitions.attack_context import (
    AttackContext,
    check_records,
)
from microleak.base.arrays import Integers
from microleak.base.errors import StudyError

WORD_BITS = 62
"""Random bits compared at a time."""


def reported_counts(
    real: int | Integers, n: int, alpha: Fraction, size: int, rng: np.random.Generator
) -> Integers:
    """Return random reports of a count by the truncated geometric mechanism.

    Parameters
    ----------
    real
        The real count, or that of each report, shape (size,); in [0, n].
    n
        Largest count that is reported.
    alpha
        exp(-epsilon), in [0, 1[.
    size
        Number of independent reports.

    Notes
    -----
    Two-sided geometric noise, cut to [0, n], is the mechanism of Eq. 6.14: what lies
    beyond an end is reported as the end. Time O(size / (1 - alpha)).

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> reported_counts(3, 5, Fraction(0), 2, rng)
    array([3, 3])
    """
    noise = _geometric(alpha, size, rng) - _geometric(alpha, size, rng)
    reported: Integers = np.clip(real + noise, 0, n)
    return reported


def bernoulli(
    chance: Fraction, size: int, rng: np.random.Generator
) -> NDArray[np.bool_]:
    """Return independent draws that are true with exactly the chance, in [0, 1].

    A uniform number's binary digits are compared with the chance's, one word at a
    time, until they differ.
    """
    head, rest = divmod(chance.numerator << WORD_BITS, chance.denominator)
    words = rng.integers(0, 1 << WORD_BITS, size)
    is_true = words < head
    tied = np.flatnonzero(words == head)
    if rest and len(tied):
        rest_of_chance = Fraction(rest, chance.denominator)
        is_true[tied] = bernoulli(rest_of_chance, len(tied), rng)
    return is_true


def _geometric(alpha: Fraction, size: int, rng: np.random.Generator) -> Integers:
    """Return draws that are k with chance (1 - alpha) alpha ** k."""
    found = np.zeros(size, dtype=np.int64)
    going = np.arange(size)
    while len(going):
        going = going[bernoulli(alpha, len(going), rng)]
        found[going] += 1
    return found


RISK = 1e-9
"""Chance that a share of right guesses is further from its chance than the bound."""


@dataclass(frozen=True)
class RightGuesses:
    """How often a guess was right."""

    n_draws: int
    """Draws of x* and of its noisy count, from 1."""
    n_adversary: int
    """Those where the adversary guessed x*'s sensitive value."""
    n_analyst: int
    """Those where the analyst guessed the real count."""

    @property
    def posterior(self) -> Fraction:
        """Share of the adversary's guesses that were right, in [0, 1]."""
        return Fraction(self.n_adversary, self.n_draws)

    @property
    def utility(self) -> Fraction:
        """Share of the analyst's guesses that were right, in [0, 1]."""
        return Fraction(self.n_analyst, self.n_draws)


def right_guesses(
    context: AttackContext, alpha: Fraction, n_draws: int, rng: np.random.Generator
) -> RightGuesses:
    """Return how often guesses from the oblivious mechanism's report are right.

    Parameters
    ----------
    context
        What the adversary and the analyst know. Each draw of x* is one of its
        records, all as likely; a missing value is guessed as any other.
    alpha
        exp(-epsilon), in [0, 1[.
    n_draws
        Independent draws, from 1.

    Notes
    -----
    Of guesses that are as good as each other the first is made. Time
    O(n_draws / (1 - alpha) + n_draws log(cells) + cells).

    Examples
    --------
    Without noise the count says who is of medium income, and of two low and two high
    incomes one of the values is guessed.

    >>> context = AttackContext(np.diag([2, 4, 2]), np.array([False, True, False]))
    >>> rng = np.random.default_rng(1)
    >>> found = right_guesses(context, Fraction(0), 1000, rng)
    >>> float(found.posterior), float(found.utility)
    (0.727, 1.0)
    """
    sensitive, is_counted = _targets(context, n_draws, rng)
    n, n_counted = context.n_records, context.n_counted
    reported = reported_counts(n_counted + is_counted, n + 1, alpha, n_draws, rng)
    is_above = reported > n_counted
    adversary = _best(context.others, context.counted, alpha)
    analyst = _best([n - n_counted, 0], [0, n_counted], alpha)
    return RightGuesses(
        n_draws,
        n_adversary=_n_right(adversary, is_above, sensitive),
        n_analyst=_n_right(analyst, is_above, is_counted),
    )


def half_width(n_draws: int) -> float:
    """Return how far a share of draws may be from its chance, but for `RISK`.

    sqrt(ln(2 / RISK) / (2 n_draws)), whatever the chance is (Hoeffding 1963,
    Theorem 2, both sides).

    >>> round(half_width(1_000_000), 6)
    0.003272
    """
    return sqrt(log(2 / RISK) / (2 * n_draws))


def _targets(
    context: AttackContext, n_draws: int, rng: np.random.Generator
) -> tuple[Integers, NDArray[np.int64]]:
    """Draw records: the place of their sensitive value, and 1 if they are counted."""
    ends = np.cumsum([*context.others, *context.counted])
    drawn = rng.integers(0, context.n_records, n_draws)
    cells = np.searchsorted(ends, drawn, side="right")
    is_counted, sensitive = np.divmod(cells, len(context.counts))
    return sensitive, is_counted


def _best(
    others: Sequence[int], counted: Sequence[int], alpha: Fraction
) -> tuple[int, int]:
    """Return the best guess from reports up to the real count of D, and above it.

    Up to it a report is 1/alpha times as likely if x* is not counted, above it if x*
    is (Eq. 6.14).
    """
    a, b = alpha.numerator, alpha.denominator
    pairs = list(zip(others, counted, strict=True))
    up_to = [b * other + a * is_in for other, is_in in pairs]
    above = [a * other + b * is_in for other, is_in in pairs]
    return up_to.index(max(up_to)), above.index(max(above))


def _n_right(
    guesses: tuple[int, int], is_above: NDArray[np.bool_], secrets: NDArray[np.int64]
) -> int:
    up_to, above = guesses
    return int(np.count_nonzero(np.where(is_above, above, up_to) == secrets))


LEVEL = Fraction(95, 100)
"""Share of the samples within their range, and chance of an interval to hold a mean."""

DEVIATIONS = 1.96
"""Standard errors that a mean is from its estimate at most, with the chance LEVEL."""


@dataclass(frozen=True)
class SampleSpread:
    """How a measure varies over random samples."""

    mean: float
    """Over the samples."""
    standard_error: float
    """Of the mean."""
    lower: float
    upper: float
    """Least and greatest measure after as many samples are left out at each end as
    `LEVEL` allows, rounded down: a range of at least that share of the samples, which
    more samples make no narrower."""

    @property
    def of_mean(self) -> tuple[float, float]:
        """Confidence interval of the mean over all samples that could be drawn.

        By the normal distribution, which the mean of many samples nears; of few, or
        of a measure that few samples change, it holds the mean less often than
        `LEVEL` says. NaN and NaN if all samples are equal: they do not say how far
        others may be.
        """
        if self.standard_error == 0:
            return nan, nan
        reach = DEVIATIONS * self.standard_error
        return self.mean - reach, self.mean + reach


def random_samples(
    counts: Integers, size: int, n_samples: int, rng: np.random.Generator
) -> Iterator[Integers]:
    """Yield the counts of random samples of the records, without replacement.

    Multivariate hypergeometric: time O(cells of the table) for each sample, whatever
    the number of records.

    Raises
    ------
    StudyError
        If the size is not from 1 to the number of records, or there is none.
    """
    check_records(counts)
    n_records = int(counts.sum())
    if not 1 <= size <= n_records:
        raise StudyError(
            f"a random sample of {size:,} records: expected 1 to {n_records:,}, the "
            "records that count. Correct samples.size in the study file."
        )
    cells = counts.ravel()
    for _ in range(n_samples):
        drawn = rng.multivariate_hypergeometric(cells, size, method="marginals")
        yield drawn.reshape(counts.shape)


def spread(values: Sequence[float]) -> SampleSpread:
    """Return how two or more values vary.

    >>> spread([1.0, 2.0, 3.0])  # doctest: +ELLIPSIS
    SampleSpread(mean=2.0, standard_error=0.577..., lower=1.0, upper=3.0)
    """
    ordered = sorted(values)
    left_out = int(len(ordered) * (1 - LEVEL) / 2)
    return SampleSpread(
        mean=mean(ordered),
        standard_error=stdev(ordered) / sqrt(len(ordered)),
        lower=ordered[left_out],
        upper=ordered[-1 - left_out],
    )
