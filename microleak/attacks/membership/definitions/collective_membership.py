"""Membership attack on all targets: who is in the sample (Rodrigues, 3.5).

Block i of a partition by the QIDs has n_i records of the population and d_i of the
sample. The expected degradation is printed as the sum over blocks of 1/|S| times
n_i/d_i over the prior. As n/d is no chance, and weights of 1/|S| a block do not add
up to 1, it stands under three names: `printed`, `partition` (d/n, weights as
printed) and `person` (d/n, each person of the sample weighs 1/|S|).

Only blocks that both tables have add to them. A sampled person whose values the
population does not have is not found, and keeps the weight. Where d > n the sample
is not part of the population: all but the printed form take n of the d persons, with
the chance 1, and the others as not found, since at most n claims can be right. No
table is empty.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from microleak.attacks.membership.definitions.membership import bayes, prior
from microleak.definitions.exact import sum_of_ratios
from microleak.definitions.overlap import Overlap, n_not_found


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
    """Success of a collective membership attack, exactly.

    Attributes
    ----------
    n_population, n_sample
        Records of either table, from 1.
    n_blocks_population, n_blocks_sample
        Blocks that either table has.
    n_sample_unique, n_found, n_unique_both
        Records that are alone in the sample; those of them whose values the
        population has; those that are alone in it too, so that a person's presence
        is certain.
    n_not_found, n_blocks_in_excess
        Where the sample is not part of the population; 0 if it is.
    prior, posterior_person
        Chance that a target is in the sample, in [0, 1].
    degradation_printed, degradation_partition, degradation_person
        Ratios, from 0.
    bayes_prior, bayes_posterior
        Chance to be right about presence or absence, in [1/2, 1].
    """

    n_population: int
    n_sample: int
    n_blocks_population: int
    n_blocks_sample: int
    n_sample_unique: int
    n_found: int
    n_unique_both: int
    n_not_found: int
    n_blocks_in_excess: int
    prior: Fraction
    posterior_person: Fraction
    degradation_printed: Fraction
    degradation_partition: Fraction
    degradation_person: Fraction
    bayes_prior: Fraction
    bayes_posterior: Fraction

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
