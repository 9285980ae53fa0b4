"""g-vulnerability and g-leakage (Nunes, Definitions 6 and 7).

A gain function says what each guess gains by each value that the secret may have. The
adversary makes the guess that gains most on average: before the attack over all
records, after it over those of the target's block. Gains may be negative, as the costs
of a wrong guess; the thesis has them from 0 to 1.

    V_g[pi]     = max over guesses w of sum over values x of pi(x) g(w, x)
    V_g[pi > C] = sum over blocks y of p(y) V_g[p(X|y)]

For a secret of which a block is told, that is a partition of the records, the number of
blocks bounds the multiplicative leakage by any gain function without negative gains,
and for any prior: each column of the channel has entries of at most 1, and the sum of
the columns' largest entries is the multiplicative Bayes capacity, which no gain
function exceeds (the "miracle theorem": Alvim, Chatzikokolakis, Palamidessi and Smith,
Measuring Information Leakage using Generalized Gain Functions, CSF 2012; in Alvim and
others, The Science of Quantitative Information Flow, 2020, chapter 7).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log2


def g_vulnerability(
    n_records: Sequence[int], gains: Sequence[Sequence[Fraction | int]]
) -> Fraction:
    """Return what the best guess gains of a record at random (Definition 6).

    Parameters
    ----------
    n_records
        Records of each value, at least one in all.
    gains
        Of each guess, at least one, its gain by each value.

    Examples
    --------
    A wrong claim that somebody is ill costs as much as a right one gains; not to claim
    anything costs nothing.

    >>> claims = [[1, -1], [0, 0]]
    >>> [str(g_vulnerability(ill, claims)) for ill in ([3, 1], [1, 3])]
    ['1/2', '0']
    """
    sums = [
        sum(n * gain for n, gain in zip(n_records, of_guess, strict=True))
        for of_guess in gains
    ]
    return max(map(Fraction, sums)) / sum(n_records)


def vulnerability_in_tries(n_records: Sequence[int], n_tries: int) -> Fraction:
    """Return how often one of several guesses is right, of a record at random.

    It is the g-vulnerability of guesses that are sets of so many values, each of which
    gains 1 by a value that it has, and 0 by others.

    >>> str(vulnerability_in_tries([5, 1, 4], 2))
    '9/10'
    """
    largest = sorted(n_records)[-n_tries:]
    return Fraction(sum(largest), sum(n_records))


@dataclass(frozen=True)
class GLeakage:
    """What a partition of the records leaks of a value, by one gain function."""

    prior_vulnerability: Fraction
    posterior_vulnerability: Fraction
    """g-vulnerability before and after the attack."""
    n_blocks: int
    """Blocks of the partition."""
    has_costs: bool
    """Whether some gain is negative."""

    @property
    def additive_g_leakage(self) -> Fraction:
        """Posterior minus prior, never below 0 (Definition 7)."""
        return self.posterior_vulnerability - self.prior_vulnerability

    @property
    def multiplicative_g_leakage(self) -> Fraction | None:
        """Posterior divided by prior, from 1 to the capacity (Definition 7).

        None where some gain is negative, which leaves a ratio without a meaning, or
        where the prior is 0.
        """
        if self.has_costs or not self.prior_vulnerability:
            return None
        return self.posterior_vulnerability / self.prior_vulnerability

    @property
    def g_leakage(self) -> float | None:
        """The multiplicative leakage in bits (Definition 6)."""
        ratio = self.multiplicative_g_leakage
        return None if ratio is None else log2(ratio)

    @property
    def capacity(self) -> int | None:
        """What bounds the multiplicative leakage; None where some gain is negative."""
        return None if self.has_costs else self.n_blocks
