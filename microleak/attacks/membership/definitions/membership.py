"""Membership attacks on one target and on all (Rodrigues, 3.4 and 3.5).

The adversary knows the target's QIDs, by which `n` records of the population and `d` of
the sample have the target's values. The definitions assume that the target is in the
population. Where n = 0 it is not, and no posterior is defined.

Three posteriors stand side by side. The printed one, n/d, exceeds 1; the chance
that the target is in the sample is d/n. Both are 0 where d = 0, though the
adversary is then certain of the absence, which Bayes' chance to be right counts.
Where d > n the sample is not part of the population, and d/n is taken as 1.

Against all targets, block i of a
partition by the QIDs has n_i records of the population and d_i of the sample. The
expected degradation is printed as the sum over blocks of 1/|S| times n_i/d_i over
the prior. As n/d is no chance, and weights of 1/|S| a block do not add up to 1, it
stands under three names: `printed`, `partition` (d/n, weights as printed) and
`person` (d/n, each person of the sample weighs 1/|S|).

Only blocks that both tables have add to them. A sampled person whose values the
population does not have is not found, and keeps the weight. Where d > n the sample
is not part of the population: all but the printed form take n of the d persons, with
the chance 1, and the others as not found, since at most n claims can be right. No
table is empty.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.definitions.exact import sum_of_ratios
from microleak.definitions.overlap import Overlap, n_not_found
from microleak.definitions.profile import SuccessDistribution, records_by_chance
from microleak.definitions.target import MATCH, NO_MATCH


def presence_in_sample(both: Overlap) -> SuccessDistribution:
    """Return the exact number of the sample's persons at each chance d/n.

    A person whose values the population does not have is not found: chance 0.
    Where d > n, n of the persons have the chance 1 and the others 0, as at most n
    are of the population. The mean is that of `posterior_person`.

    Examples
    --------
    The population has 1, 2 and 4 alike, the sample 1, 1 and 2 of them.

    >>> both = Overlap(*np.array([[1, 2, 4], [1, 1, 2], [1, 1, 1]]))
    >>> presence_in_sample(both)  # doctest: +NORMALIZE_WHITESPACE
    SuccessDistribution(numerator=array([1, 1]), denominator=array([2, 1]),
                        n_records=array([3, 1]))
    """
    blocks = both.of_sample
    found, surplus = blocks.found, blocks.d - blocks.found
    persons = np.append(found, surplus) * np.tile(blocks.n_blocks, 2)
    is_some = persons > 0
    numerator = np.append(found, np.zeros_like(surplus))
    denominator = np.append(blocks.n, np.ones_like(surplus))
    return records_by_chance(numerator[is_some], denominator[is_some], persons[is_some])


def presence_in_population(both: Overlap) -> SuccessDistribution:
    """Return the exact number of the population's persons at each chance d/n.

    Where d > n the chance is 1. The mean is the prior if the sample is part of the
    population.
    """
    blocks = both.of_population
    return records_by_chance(blocks.found, blocks.n, blocks.n * blocks.n_blocks)


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


def degradation_printed(both: Overlap) -> Fraction:
    """Sum over blocks of 1/|S| * (n/d) / (|S|/|D|), as printed (3.5)."""
    blocks = both.of_both
    total = sum_of_ratios(blocks.n * blocks.n_blocks, blocks.d)
    return total / both.n_sample / _prior(both)


def degradation_partition(both: Overlap) -> Fraction:
    """Sum over blocks of 1/|S| * (d/n) / (|S|/|D|)."""
    blocks = both.of_both
    total = sum_of_ratios(blocks.found * blocks.n_blocks, blocks.n)
    return total / both.n_sample / _prior(both)


def degradation_person(both: Overlap) -> Fraction:
    """Sum over the sample's persons of 1/|S| * (d/n) / (|S|/|D|).

    The mean over targets that are in the sample. At least 1 if the sample is part
    of the population.
    """
    return posterior_person(both) / _prior(both)


def posterior_person(both: Overlap) -> Fraction:
    """Mean over the sample's persons of the chance d/n that they are in it.

    Where d > n, n of them have the chance 1 and the others 0.
    """
    blocks = both.of_both
    total = sum_of_ratios(blocks.found * blocks.found * blocks.n_blocks, blocks.n)
    return total / both.n_sample


def bayes_prior(both: Overlap) -> Fraction:
    """Chance to be right about presence or absence: max(|S|, |D| - |S|)/|D|."""
    return bayes(both.n_population, both.n_sample)


def bayes_posterior(both: Overlap) -> Fraction:
    """Mean over the population's persons of max(d, n - d)/n."""
    n_right = np.maximum(both.found, both.n - both.found)
    return Fraction(int(n_right @ both.n_blocks), both.n_population)


def sample_uniques(both: Overlap) -> Overlap:
    """Blocks with one record of the sample, the targets of section 3.6.1."""
    return both.where(both.d == 1)


def n_blocks_in_excess(both: Overlap) -> int:
    """Count blocks with more records of the sample than of the population, d > n.

    Those whose values the population does not have are among them.
    """
    return both.where(both.d > both.n).total_blocks


@dataclass(frozen=True)
class CollectiveMembership:
    """Success of a collective membership attack, exactly."""

    n_population: int
    n_sample: int
    """Records of either table, from 1."""
    n_blocks_population: int
    n_blocks_sample: int
    """Blocks that either table has."""
    n_sample_unique: int
    n_found: int
    n_unique_both: int
    """Records that are alone in the sample; those of them whose values the population
    has; those that are alone in it too, so that a person's presence is certain."""
    n_not_found: int
    n_blocks_in_excess: int
    """Where the sample is not part of the population; 0 if it is."""
    prior: Fraction
    posterior_person: Fraction
    """Chance that a target is in the sample, in [0, 1]."""
    degradation_printed: Fraction
    degradation_partition: Fraction
    degradation_person: Fraction
    """Ratios, from 0."""
    bayes_prior: Fraction
    bayes_posterior: Fraction
    """Chance to be right about presence or absence, in [1/2, 1]."""

    @property
    def additive_leakage_person(self) -> Fraction:
        """Difference of the mean chance of the sample's persons and the prior."""
        return self.posterior_person - self.prior

    @property
    def bayes_degradation(self) -> Fraction:
        """Ratio of Bayes' chances to be right."""
        return self.bayes_posterior / self.bayes_prior

    @property
    def bayes_additive_leakage(self) -> Fraction:
        """Difference of Bayes' chances to be right."""
        return self.bayes_posterior - self.bayes_prior


def collective_membership(both: Overlap) -> CollectiveMembership:
    """Success of the collective attack.

    Examples
    --------
    The paper's population of 1, 2, 3 and 4 alike, of which the sample has 1, 1, 2
    and none.

    >>> both = Overlap(*np.array([[1, 2, 3, 4], [1, 1, 2, 0], [1, 1, 1, 1]]))
    >>> found = collective_membership(both)
    >>> found.degradation_printed, found.degradation_partition
    (Fraction(45, 16), Fraction(65, 48))
    >>> found.degradation_person, found.bayes_posterior
    (Fraction(85, 48), Fraction(4, 5))
    """
    uniques = sample_uniques(both)
    return CollectiveMembership(
        n_population=both.n_population,
        n_sample=both.n_sample,
        n_blocks_population=both.of_population.total_blocks,
        n_blocks_sample=both.of_sample.total_blocks,
        n_sample_unique=uniques.total_blocks,
        n_found=uniques.of_population.total_blocks,
        n_unique_both=uniques.where(uniques.n == 1).total_blocks,
        n_not_found=n_not_found(both),
        n_blocks_in_excess=n_blocks_in_excess(both),
        prior=_prior(both),
        posterior_person=posterior_person(both),
        degradation_printed=degradation_printed(both),
        degradation_partition=degradation_partition(both),
        degradation_person=degradation_person(both),
        bayes_prior=bayes_prior(both),
        bayes_posterior=bayes_posterior(both),
    )


def _prior(both: Overlap) -> Fraction:
    return prior(both.n_population, both.n_sample)
