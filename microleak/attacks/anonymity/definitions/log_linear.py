"""Population uniqueness by Poisson log-linear models.

Skinner and Shlomo 2008. The counts F of the population's cells are independent and
Poisson of mean lambda; each person is sampled with the chance pi, so that counts f of
the sample are Poisson of mean mu = pi lambda, and what is not sampled, F - f, is
Poisson of mean (1 - pi) lambda, whatever f is:

    P(F = 1 | f = 1) = exp(-(1 - pi) lambda)
    E(1/F | f = 1) = (1 - exp(-(1 - pi) lambda)) / ((1 - pi) lambda)

log lambda is a sum of terms of one or some QIDs. Here models are decomposable: their
terms are the edges of a chordal graph of QIDs, so that the fit needs no iteration,

    lambda = N product over v of p(v | earlier neighbours of v),

with shares of the sample, weighted if it has weights (pseudo-likelihood). Edges are
added as long as one improves Akaike's criterion. Skinner and Shlomo, too, go forward
from independence, as a model of few terms overestimates uniqueness and one of too many
underestimates it, but stop by two tests of dispersion, which are written for one
fraction.
"""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import combinations
from math import fsum, log
from typing import Final

import numpy as np

from microleak.attacks.anonymity.definitions.cells import Cells, QidSet
from microleak.base.arrays import Floats, Integers

Graph = dict[int, frozenset[int]]
"""Neighbours of each QID, by their places."""


def independent(n_qids: int) -> Graph:
    """Return the graph without edges: no QID tells anything of another."""
    return {place: frozenset() for place in range(n_qids)}


def with_margins(graph: Graph, margins: Iterable[QidSet]) -> Graph:
    """Return a graph with the edges of published margins, as long as it is chordal.

    A margin that would leave it otherwise, as the last of three pairs, is left out.

    >>> pairs = [frozenset([0, 1]), frozenset([1, 2]), frozenset([0, 3])]
    >>> square = [*pairs, frozenset([2, 3])]
    >>> with_margins(independent(4), square) == with_margins(independent(4), pairs)
    True
    """
    for margin in margins:
        found = graph | {place: (graph[place] | margin) - {place} for place in margin}
        graph = found if _is_chordal(found) else graph
    return graph


def _is_chordal(graph: Graph) -> bool:
    return all(
        b in graph[a]
        for _, earlier in _elimination(graph)
        for a, b in combinations(earlier, 2)
    )


def chosen(cells: Cells, graph: Graph) -> Graph:
    """Return the decomposable model to which no edge can be added with a gain.

    The gain of an edge is that of the log-likelihood less its parameters (Akaike 1974).
    Time O(q^4) sorts of the cells for q QIDs at most; of equal gains the first pair of
    QIDs wins.

    Parameters
    ----------
    cells
        Cells of the sample, of which records count and weights do not.
    graph
        The model that it begins with, as `independent` or one of published margins.
    """
    gains: dict[tuple[int, int, QidSet], float] = {}
    while True:
        best, most = None, 0.0
        for a, b, between in _addable(graph):
            if (a, b, between) not in gains:
                gains[a, b, between] = _gain(cells, a, b, between)
            if gains[a, b, between] > most:
                best, most = (a, b), gains[a, b, between]
        if best is None:
            return graph
        a, b = best
        graph = graph | {a: graph[a] | {b}, b: graph[b] | {a}}


def _addable(graph: Graph) -> Iterator[tuple[int, int, QidSet]]:
    """Yield edges that leave the graph chordal, and the QIDs that part their ends.

    An edge does if no way leads from one end to the other but through neighbours of
    both (Deshpande, Garofalakis and Jordan 2001).
    """
    for a, b in combinations(graph, 2):
        between = graph[a] & graph[b]
        if b not in graph[a] and b not in _reached(graph, a, between):
            yield a, b, between


def _reached(graph: Graph, start: int, without: QidSet) -> set[int]:
    found, waiting = {start}, [start]
    while waiting:
        new = graph[waiting.pop()] - without - found
        found |= new
        waiting += sorted(new)
    return found


def _gain(cells: Cells, a: int, b: int, between: QidSet) -> float:
    """Return the log-likelihood that an edge gains, less its parameters."""
    both = _log_sum(cells, between | {a, b}) + _log_sum(cells, between)
    apart = _log_sum(cells, between | {a}) + _log_sum(cells, between | {b})
    n_a, n_b = (_n_values(cells, place, between) for place in (a, b))
    return both - apart - float(((n_a - 1) * (n_b - 1)).sum())


def _log_sum(cells: Cells, places: QidSet) -> float:
    """Return the sum of n log n over the cells of a margin."""
    sizes, times = np.unique(cells.records_in(places), return_counts=True)
    each = zip(sizes.tolist(), times.tolist(), strict=True)
    return fsum(n_cells * n * log(n) for n, n_cells in each)


def _n_values(cells: Cells, place: int, between: QidSet) -> Integers:
    """Return how many values of a QID each cell of a margin has."""
    first = np.unique(cells.numbers(between | {place}), return_index=True)[1]
    return np.bincount(cells.numbers(between)[first])


def expected_persons(cells: Cells, graph: Graph) -> Floats:
    """Return lambda of each cell of the sample, by a decomposable model.

    Examples
    --------
    Two of four persons are of either town and either sex, so that one of each is
    expected, and with the edge as many as there are.

    >>> codes = np.array([[0, 0], [1, 1]])
    >>> two = Cells(codes, np.array([2, 2]), np.array([2.0, 2.0]))
    >>> none, one = independent(2), with_margins(independent(2), [frozenset([0, 1])])
    >>> expected_persons(two, none), expected_persons(two, one)
    (array([1., 1.]), array([2., 2.]))
    """
    found = np.full(len(cells.n), cells.n_population)
    for place, earlier in _elimination(graph):
        of_both = cells.persons_in(earlier | {place})[cells.numbers(earlier | {place})]
        found *= of_both / cells.persons_in(earlier)[cells.numbers(earlier)]
    return found


def _elimination(graph: Graph) -> Iterator[tuple[int, QidSet]]:
    """Yield the QIDs with those of their neighbours that came before, all neighbours.

    By maximum cardinality (Tarjan and Yannakakis 1984).
    """
    left = dict(graph)
    taken: set[int] = set()
    while left:
        place = max(left, key=lambda each: (len(graph[each] & taken), -each))
        yield place, graph[place] & taken
        taken.add(place)
        del left[place]


def mean_unsampled(cells: Cells, margins: Iterable[QidSet] = ()) -> Floats:
    """Return (1 - pi) lambda, the mean of the persons of a cell that are not sampled.

    By the model that is chosen, which begins with the edges of published margins.
    """
    graph = chosen(cells, with_margins(independent(cells.n_qids), margins))
    return (1 - cells.fraction) * expected_persons(cells, graph)


def chance_below(n: int, mean: Floats) -> Floats:
    """Return the chance that fewer than n persons of a cell are not sampled.

    P(F - f < n); for n = 1 it is P(F = 1 | f = 1) of a cell of one record.

    >>> chance_below(2, np.array([0.0, log(2)])).round(4)
    array([1.    , 0.8466])
    """
    chance = np.exp(-mean)
    total = np.zeros(len(chance))
    for j in range(1, n + 1):
        total += chance
        chance = chance * mean / j
    return np.minimum(total, 1.0)


SPREAD: Final = {Fraction(1, 10): (0.61, 1.12), Fraction(1, 100): (0.45, 1.6)}
"""Of simple random samples of this share or more: between what the true number of
population uniques was, over the estimated one, in 90 % of them or more, whatever the
population of those tried (docs/validation.md)."""


def spread_of(share: Fraction) -> tuple[float, float] | None:
    """Return the spread of single samples of a share; None of one that is too small."""
    return next((of for least, of in SPREAD.items() if share >= least), None)


def mean_match(mean: Floats) -> Floats:
    """Return the mean of 1/F for cells of one record, E(1/F | f = 1).

    >>> mean_match(np.array([0.0, 1e-9, log(2)])).round(4)
    array([1.    , 1.    , 0.7213])
    """
    some = np.where(mean > 0, mean, 1.0)
    return np.where(mean > 0, -np.expm1(-some) / some, 1.0)
