"""Weighted least squares over subset queries, without ever storing them."""

from collections.abc import Iterator

import numpy as np

from microleak.attacks.reconstruction.definitions.public_answers import PublicAnswers
from microleak.attacks.reconstruction.definitions.subset_queries import SubsetQueries
from microleak.base.progress import progress
from microleak.kernels.conjugate_gradients import conjugate_gradients
from microleak.kernels.subset_sums import Bits, Reals, Words, member_sums, subset_sums

ACCURACY = 1e-6
"""Error left over the first one; noise leaves far more."""

MOST_STEPS = 200


def least_squares(
    public: PublicAnswers[SubsetQueries], weights: Reals, start: Reals
) -> Reals:
    """Return the reals whose subset sums are nearest to the answers.

    Conjugate gradients on the normal equations, each step one pass over the
    queries. Every pair of entries is together in a quarter of random subsets, and an
    entry is in half of them: that matrix, whose inverse is known, leaves a problem so
    near to the identity that few steps are needed where n_queries >> n.

    Parameters
    ----------
    public
        The queries and answers.
    weights
        Of each squared difference, shape (n_queries,), above 0.
    start
        Where to start, shape (n,).
    """
    n, quarter = public.queries.n, float(weights.sum()) / 4
    with progress("least squares", None) as advance:

        def gram(x: Reals) -> Reals:
            """Multiply by the normal equations' matrix, in one pass over queries."""
            advance(1)
            parts = _with_parts(public.queries, weights)
            return _added(n, ((words, w * subset_sums(words, x)) for words, w in parts))

        def nearly_inverse(x: Reals) -> Reals:
            """Multiply by the inverse of what that matrix is on average."""
            return np.asarray((x - x.sum() / (n + 1)) / quarter)

        target = member_totals(public.queries, weights * residuals(public, start))
        return start + conjugate_gradients(
            gram, target, nearly_inverse, ACCURACY, MOST_STEPS
        )


def residuals(public: PublicAnswers[SubsetQueries], values: Reals) -> Reals:
    """Return answer minus subset sum of the values, for each query."""
    sums = [subset_sums(words, values) for words in public.queries.blocks()]
    return np.asarray(public.answers - np.concatenate(sums))


def rounded(values: Reals) -> Bits:
    """Return 1 where a value is above 1/2, else 0 (2.5, step 5)."""
    return (values > 0.5).astype(np.uint8)


def member_totals(queries: SubsetQueries, values: Reals) -> Reals:
    """Return for each entry the sum of the values of the queries it is in."""
    return _added(queries.n, _with_parts(queries, values))


def _with_parts(queries: SubsetQueries, values: Reals) -> Iterator[tuple[Words, Reals]]:
    start = 0
    for words in queries.blocks():
        yield words, values[start : start + len(words)]
        start += len(words)


def _added(n: int, parts: Iterator[tuple[Words, Reals]]) -> Reals:
    total = np.zeros(n)
    for words, values in parts:
        total += member_sums(words, values, n)
    return total
