"""Bad points, against enumerating the grid."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions import exponential_reconstruction
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    PointGrid,
    Trials,
    bad_points,
    counts_by_kind,
    n_bad_points,
)
from microleak.attacks.reconstruction.definitions.noise import noise_law
from microleak.base.errors import StudyError
from tests.examples import examples
from tests.reconstructing import setting

grids = st.builds(
    PointGrid, st.integers(2, 4), st.integers(1, 6), st.fractions(0, Fraction(9, 10))
)


def points(grid):
    return np.array(
        list(itertools.product(range(grid.k + 1), repeat=grid.n)), dtype=np.uint8
    )


def is_bad(point, database, grid):
    third = Fraction(1, 3)
    far = [
        abs(Fraction(step, grid.k) - bit) > third
        for step, bit in zip(point, database, strict=True)
    ]
    return sum(far) > grid.epsilon * grid.n


def is_feasible(point, public, grid):
    matrix = public.queries.words()[:, 0].tolist()
    return all(
        abs(
            sum(Fraction(step, grid.k) for i, step in enumerate(point) if q >> i & 1)
            - Fraction(answer)
        )
        <= Fraction(public.bound)
        for q, answer in zip(matrix, public.answers.tolist(), strict=True)
    )


@given(grids, st.integers(0, 2**32))
@examples(25)
def test_counts_by_kind_are_those_of_the_definition(grid, seed):
    database, public = setting(grid.n, 5, "uniform", 0.75, seed)
    every = points(grid)
    kinds = np.zeros((2, 2), dtype=int)
    for point in every[:200].tolist():
        bad = is_bad(point, database.tolist(), grid)
        kinds[int(bad), int(is_feasible(point, public, grid))] += 1
    assert np.array_equal(counts_by_kind(grid, database, public, every[:200]), kinds)
    of_grid = counts_by_kind(grid, database, public, every)
    assert of_grid[1].sum() == n_bad_points(grid)
    assert of_grid.sum() == grid.n_points


def test_the_draws_meet_the_share_of_bad_points():
    grid = PointGrid(5, 10, Fraction(1, 5))
    found = bad_points(grid, noise_law("uniform", 1.0), Trials(4, 27, 20_000, 1))
    assert found.n_points == 80_000
    assert found.n_bad / 80_000 == pytest.approx(
        n_bad_points(grid) / grid.n_points, abs=0.005
    )
    assert found.n_bad_and_feasible < found.n_feasible < found.n_points


def test_every_point_is_feasible_where_noise_may_be_as_large_as_n():
    small, law = PointGrid(4, 3, Fraction(0)), noise_law("rounding", 8.0)
    found = bad_points(small, law, Trials(2, 9, 500, 1))
    assert found.n_feasible == found.n_points == 1000
    assert found.n_good_and_feasible == 1000 - found.n_bad
    largest = PointGrid(64, 4, Fraction(0))
    assert largest.n_points == 5**64
    found = bad_points(largest, noise_law("uniform", 64.0), Trials(1, 3, 100, 7))
    assert (found.n_points, found.n_bad, found.n_feasible) == (100, 100, 100)


@pytest.mark.parametrize(
    ("n", "k", "epsilon"), [(1, 4, 0), (65, 4, 0), (4, 0, 0), (4, 256, 0), (4, 4, 1)]
)
def test_grids_that_cannot_be_are_refused(n, k, epsilon):
    with pytest.raises(StudyError, match=f"for n = {n}, k = {k} and epsilon = "):
        PointGrid(n, k, Fraction(epsilon))


def test_as_many_points_are_drawn_as_asked_for_whatever_a_block_holds(monkeypatch):
    """And of a seed the same again."""
    monkeypatch.setattr(exponential_reconstruction, "POINTS_A_BLOCK", 10)
    law, grid = noise_law("uniform", 0.5), PointGrid(4, 2, Fraction(1, 4))
    trials = Trials(n_queries=3, n_databases=2, n_points=25, seed=7)
    found = bad_points(grid, law, trials)
    assert found.n_points == 2 * 25
    assert bad_points(grid, law, trials) == found
