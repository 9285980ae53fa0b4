"""Membership attack on one target: whether it is in the sample (Rodrigues, 3.4).

The adversary knows the target's QIDs, by which `n` records of the population and
`d` of the sample have the target's values. The definitions assume that the target
is in the population. Where n = 0 it is not, and no posterior is defined.

Three posteriors stand side by side. The printed one, n/d, exceeds 1; the chance
that the target is in the sample is d/n. Both are 0 where d = 0, though the
adversary is then certain of the absence, which Bayes' chance to be right counts.
Where d > n the sample is not part of the population, and d/n is taken as 1.
"""

from dataclasses import dataclass
from fractions import Fraction

from microleak.definitions.target import MATCH, NO_MATCH


def prior(n_population: int, n_sample: int) -> Fraction:
    """Chance that a target is in the sample, |S|/|D| (3.4.1).

    The share of the samples of that size that have the target. Its denominator in
    the paper has a factorial (|D| - |S| - 1)! that must be (|D| - |S|)!.

    >>> prior(10, 4)
    Fraction(2, 5)
    """
    return Fraction(n_sample, n_population)


def posterior_printed(n: int, d: int) -> Fraction:
    """Success as the paper defines it: n/d, 0 if d = 0 (3.4.2); it may exceed 1."""
    return Fraction(n, d) if d else Fraction(0)


def posterior(n: int, d: int) -> Fraction:
    """Chance that the target is in the sample, d/n, at most 1; n is from 1."""
    return Fraction(min(d, n), n)


def bayes(n: int, d: int) -> Fraction:
    """Chance to be right about presence or absence, max(d, n - d)/n; n is from 1.

    In [1/2, 1]. The prior is that of the whole tables, n = |D| and d = |S|.
    """
    d = min(d, n)
    return Fraction(max(d, n - d), n)


@dataclass(frozen=True)
class TargetMembership:
    """Success of a membership attack on one target before and after, exactly.

    Posteriors and degradations are None if the population has no such record.
    """

    n: int
    d: int
    prior: Fraction
    posterior_printed: Fraction | None
    posterior: Fraction | None
    bayes_prior: Fraction
    bayes_posterior: Fraction | None

    @property
    def outcome(self) -> str:
        """`match`, or `no match` if no record of the population has the values."""
        return MATCH if self.n else NO_MATCH

    @property
    def degradation_printed(self) -> Fraction | None:
        """Ratio of the printed posterior and the prior (3.4.3)."""
        return _ratio(self.posterior_printed, self.prior)

    @property
    def degradation(self) -> Fraction | None:
        """Ratio of the chances of presence, after and before."""
        return _ratio(self.posterior, self.prior)

    @property
    def bayes_degradation(self) -> Fraction | None:
        """Ratio of Bayes' chances to be right, after and before, in [1/2, 2]."""
        return _ratio(self.bayes_posterior, self.bayes_prior)


def membership(n: int, d: int, n_population: int, n_sample: int) -> TargetMembership:
    """Success of the individual attack.

    Parameters
    ----------
    n, d
        Records with the target's values in the population and in the sample.
    n_population, n_sample
        Records of the tables, |D| and |S|, from 1 each.

    Examples
    --------
    The paper's target is the only woman of 31 to 40 in SP in both tables.

    >>> woman = membership(n=1, d=1, n_population=10, n_sample=4)
    >>> woman.prior, woman.posterior, woman.degradation
    (Fraction(2, 5), Fraction(1, 1), Fraction(5, 2))
    """
    return TargetMembership(
        n=n,
        d=d,
        prior=prior(n_population, n_sample),
        posterior_printed=posterior_printed(n, d) if n else None,
        posterior=posterior(n, d) if n else None,
        bayes_prior=bayes(n_population, n_sample),
        bayes_posterior=bayes(n, d) if n else None,
    )


def _ratio(after: Fraction | None, before: Fraction) -> Fraction | None:
    return None if after is None else after / before
