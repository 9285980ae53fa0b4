"""Bad points, against enumerating the grid."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions import exponential_reconstruction
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    BadPoints,
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
    drawn = points(grid)[:200]
    kinds = np.zeros((2, 2), dtype=int)
    for point in drawn.tolist():
        bad = is_bad(point, database.tolist(), grid)
        kinds[int(bad), int(is_feasible(point, public, grid))] += 1
    assert np.array_equal(counts_by_kind(grid, database, public, drawn), kinds)


@given(grids, st.integers(0, 2**32))
@examples(25)
def test_the_number_of_bad_points_is_that_of_the_whole_grid(grid, seed):
    database, public = setting(grid.n, 1, "uniform", 0.5, seed)
    kinds = counts_by_kind(grid, database, public, points(grid))
    assert kinds[1].sum() == n_bad_points(grid)
    assert kinds.sum() == grid.n_points


def test_the_draws_meet_the_share_of_bad_points():
    grid = PointGrid(5, 10, Fraction(1, 5))
    found = bad_points(grid, noise_law("uniform", 1.0), Trials(4, 27, 20_000, 1))
    assert found.n_points == 80_000
    assert found.n_bad / 80_000 == pytest.approx(
        n_bad_points(grid) / grid.n_points, abs=0.005
    )
    assert found.n_bad_and_feasible < found.n_feasible < found.n_points


def test_every_point_is_feasible_where_noise_may_be_as_large_as_n():
    found = bad_points(
        PointGrid(4, 3, Fraction(0)), noise_law("rounding", 8.0), Trials(2, 9, 500, 1)
    )
    assert found.n_feasible == found.n_points == 1000
    assert found.n_good_and_feasible == 1000 - found.n_bad


def test_good_and_feasible_points_are_the_rest_of_the_feasible():
    assert BadPoints(100, 90, 12, 7).n_good_and_feasible == 5


def test_draws_of_a_seed_are_the_same_again():
    trials = Trials(3, 27, 1000, 7)
    law, grid = noise_law("uniform", 1.0), PointGrid(5, 10, Fraction(1, 5))
    assert bad_points(grid, law, trials) == bad_points(grid, law, trials)


def test_the_largest_grid_is_counted():
    grid = PointGrid(64, 4, Fraction(0))
    assert grid.n_points == 5**64
    found = bad_points(grid, noise_law("uniform", 64.0), Trials(1, 3, 100, 7))
    assert (found.n_points, found.n_bad, found.n_feasible) == (100, 100, 100)


@pytest.mark.parametrize(
    ("n", "k", "epsilon"), [(1, 4, 0), (65, 4, 0), (4, 0, 0), (4, 256, 0), (4, 4, 1)]
)
def test_grids_that_cannot_be_are_refused(n, k, epsilon):
    with pytest.raises(StudyError, match=f"for n = {n}, k = {k} and epsilon = "):
        PointGrid(n, k, Fraction(epsilon))


def test_as_many_points_are_drawn_as_asked_for_whatever_a_block_holds(monkeypatch):
    monkeypatch.setattr(exponential_reconstruction, "POINTS_A_BLOCK", 10)
    law = noise_law("uniform", 0.5)
    trials = Trials(n_queries=3, n_databases=2, n_points=25, seed=7)
    assert bad_points(PointGrid(4, 2, Fraction(1, 4)), law, trials).n_points == 2 * 25
