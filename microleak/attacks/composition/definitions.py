"""What several noisy counts tell together of one record (sequential composition).

Each count is published with truncated geometric noise of its own (Nunes, 6.1.2.1). The
adversary knows all records but x*'s, so that all that a noisy count tells it is whether
it is above or up to the count of the others. Above is 1/alpha times as likely if x* is
counted, up to it if x* is not, and one of the two has 1/(1 + alpha) of the chances
(Eq. 6.7). Of k counts with noise of their own, these k answers are independent given
x*, so that the posterior follows from how many records of each sensitive value are
counted by which of the counts:

    posterior = sum over answers y in {0, 1}^k of
        max over s of sum over x with s of  n(x)/n * alpha^h / (1 + alpha)^k

where h is in how many answers y differs from what is counted of x.

In the local model a person answers each count yes or no, and the other way with the
chance alpha/(1 + alpha). Whoever sees these answers has the same y, and the same
posterior; whoever sees their sums alone has one that is not above it.

Counts with epsilon each are differentially private with k epsilon together (Dwork and
Roth 2014, Theorem 3.14). Whatever is published so of one record, no answer is more than
exp(k epsilon) times as likely by one value of it than by another, so that nothing makes
a value of chance p more likely than p / (p + (1 - p) exp(-k epsilon)).
"""

from fractions import Fraction

import numpy as np

from microleak.base.arrays import Integers


def posterior_of_counts(cells: Integers, alpha: Fraction) -> Fraction:
    """Return the chance to guess x*'s sensitive value from all counts (Eq. 6.8).

    Parameters
    ----------
    cells
        Records of each sensitive value by which counts count them, shape
        (n_sensitive, 2**k): bit j of the column's number says whether the j-th does.
    alpha
        exp(-epsilon) of each count, in [0, 1].

    Examples
    --------
    Of four people two are ill, who are old, and one of the others is old too. How many
    are ill says more than how many are old, and both together more than either.

    >>> people = np.array([[1, 1, 0, 0], [0, 0, 0, 2]])
    >>> ill = people[:, [0, 1]] + people[:, [2, 3]]  # the first count alone: the old
    >>> third = Fraction(1, 3)
    >>> posterior_of_counts(ill, third), posterior_of_counts(people, third)
    (Fraction(5, 8), Fraction(3, 4))
    """
    a, b = alpha.numerator, alpha.denominator
    n_records = int(cells.sum())
    # As Python's integers, which have as many digits as they need.
    weighted = cells.astype(object)
    n_counts = cells.shape[1].bit_length() - 1
    for count in range(n_counts):
        halves = weighted.reshape(len(cells), -1, 2, 1 << count)
        no, yes = halves[:, :, 0], halves[:, :, 1]
        both = [b * no + a * yes, a * no + b * yes]
        weighted = np.stack(both, axis=2).reshape(cells.shape)
    return Fraction(int(weighted.max(axis=0).sum()), (a + b) ** n_counts * n_records)


def largest_posterior(prior: Fraction, alpha: Fraction) -> Fraction:
    """Return what no posterior exceeds, by the budget alone.

    Parameters
    ----------
    prior
        Chance of the most frequent sensitive value, in ]0, 1].
    alpha
        exp(-epsilon) of all counts together.

    Examples
    --------
    >>> largest_posterior(Fraction(1, 2), Fraction(1, 3))
    Fraction(3, 4)
    """
    return prior / (prior + (1 - prior) * alpha)
