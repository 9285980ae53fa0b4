"""Bounds of a population by tables that cross parts of it, against all that fit."""

from functools import lru_cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

from microleak.attacks.anonymity.definitions import bounded
from microleak.attacks.anonymity.definitions.bounded import (
    CellCounts,
    CountsContradictError,
    population_bounds,
)


@lru_cache
def every_population(shape, n_persons):
    """Counts of the cells of all populations of so many."""
    n_cells = int(np.prod(shape))
    every = combinations_with_replacement(range(n_cells), n_persons)
    found = [np.bincount(each, minlength=n_cells) for each in every]
    return np.array(found).reshape(-1, *shape)


def counted(counts, places):
    return CellCounts(places, np.argwhere(counts > 0), counts[counts > 0])


def drawn(seed):
    """A population, a sample of it, and what tables of it cross: all attributes."""
    rng = np.random.default_rng(seed)
    shape = [(2, 2), (2, 2, 2), (3, 2), (2, 2, 3)][seed % 4]
    n_cells = int(np.prod(shape))
    persons = rng.multinomial(rng.integers(1, 7), rng.dirichlet(np.ones(n_cells)))
    population = persons.reshape(shape)
    sample = rng.binomial(population, 0.5)
    every = [tuple(np.delete(range(len(shape)), i)) for i in range(len(shape))]
    places = [every[i] for i in rng.permutation(len(shape))[: rng.integers(2, 4)]]
    return population, sample, [tuple(map(int, each)) for each in places]


# Faults put into the code (tests.mutants) are found by the first ones.
MOST = pytest.param(range(200, 20_000), marks=pytest.mark.long)


@pytest.mark.parametrize("seeds", [range(200), MOST])
def test_bounds_are_those_of_all_populations_that_fit(seeds):
    n_tried = 0
    for seed in seeds:
        population, sample, places = drawn(seed)
        if not sample.any():
            continue
        axes = tuple(range(population.ndim))
        tables = {
            each: population.sum(axis=tuple({*axes} - {*each})) for each in places
        }
        every = every_population(population.shape, int(population.sum()))
        fits = (every >= sample).all(axis=tuple(a + 1 for a in axes))
        for each, counts in tables.items():
            sums = every.sum(axis=tuple(a + 1 for a in axes if a not in each))
            fits &= (sums == counts).reshape(len(every), -1).all(axis=1)
        of_sample = every[fits][:, sample > 0]
        given = [counted(counts, each) for each, counts in tables.items()]
        least, most = population_bounds(counted(sample, axes), given)
        assert least.tolist() == of_sample.min(axis=0).tolist(), seed
        assert most.tolist() == of_sample.max(axis=0).tolist(), seed
        fewer, more = population_bounds(counted(sample, axes), given[:1])
        assert (fewer <= least).all() and (most <= more).all(), seed
        n_tried += 1
    assert n_tried > 100


def test_where_programs_would_take_too_long_bounds_are_wider_and_hold(monkeypatch):
    monkeypatch.setattr(bounded, "MOST_WORK", 0)
    for seed in range(100):
        population, sample, places = drawn(seed)
        if sample.any():
            axes = tuple(range(population.ndim))
            given = [
                counted(population.sum(axis=tuple({*axes} - {*each})), each)
                for each in places
            ]
            least, most = population_bounds(counted(sample, axes), given)
            true = population[sample > 0]
            assert (least <= true).all() and (true <= most).all(), seed


def test_counts_that_no_population_has_are_refused():
    sample = CellCounts((0, 1), np.array([[0, 0]]), np.array([1]))
    one = CellCounts((0,), np.array([[0], [1]]), np.array([3, 1]))
    other = CellCounts((1,), np.array([[0], [1]]), np.array([2, 3]))
    with pytest.raises(CountsContradictError):
        population_bounds(sample, [one, other])
