"""Every decoder against trying all databases, and bad points against all points."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions import (
    linear_reconstruction as programs,
)
from microleak.attacks.reconstruction.definitions import subset_queries
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    PointGrid,
    Trials,
    bad_points,
    counts_by_kind,
    exponential_reconstruction,
    n_bad_points,
)
from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    HadamardQueries,
    hadamard_reconstruction,
    least_squares_reconstruction,
    polished,
)
from microleak.attacks.reconstruction.definitions.linear_reconstruction import (
    determined_entries,
    l1_reconstruction,
    linear_reconstruction,
)
from microleak.attacks.reconstruction.definitions.noise import (
    GrossOutliers,
    PublicAnswers,
    consistency,
    decoy,
    noise_law,
    public_answers,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    AllSubsets,
    RandomSubsets,
    all_subsets,
    random_database,
)
from microleak.attacks.reconstruction.kernels.subset_sums import unpacked_entries
from microleak.base.errors import StudyError
from tests.examples import examples
from tests.reconstructing import bits, consistent, exact_answers, setting

settings_small = st.tuples(
    st.integers(2, 9),
    st.integers(1, 60),
    st.sampled_from(["uniform", "uniform_integer", "adversarial", "rounding"]),
    st.sampled_from([0.5, 1.0, 1.5]),
    st.integers(0, 2**32),
)


@given(settings_small)
@examples(40)
def test_decoders_find_what_trying_all_finds(chosen):
    database, public = setting(*chosen)
    n, left = public.queries.n, consistent(public)
    every = exponential_reconstruction(public)
    codes = every.codes.astype(np.uint64)[:, None]
    assert {*map(tuple, unpacked_entries(codes, n).tolist())} == left
    assert every.has(database)
    for found in (least_squares_reconstruction(public), l1_reconstruction(public)):
        is_left = tuple(found.candidate.tolist()) in left
        assert found.certificate.is_consistent == is_left
    entries, linear = determined_entries(public), linear_reconstruction(public)
    assert entries.status == linear.status == "optimal"
    for entry in np.flatnonzero(entries.is_determined):
        assert {one[entry] for one in left} == {entries.candidate[entry]}
    if entries.is_proven:
        assert left == {tuple(entries.candidate.tolist())}
    sums = {sum(one) for one in left}
    assert linear.minimum.value <= min(sums) + 1e-6
    assert linear.maximum.value >= max(sums) - 1e-6


@given(st.integers(2, 9), st.integers(1, 3), st.integers(0, 2**32))
@examples(25)
def test_a_consistent_hadamard_candidate_is_one_of_those_left(n, n_rounds, seed):
    database = random_database(n, seed)
    queries = HadamardQueries(n, n_rounds, seed)
    public = public_answers(queries, database, noise_law("uniform", 1.0), seed)
    found = hadamard_reconstruction(public)
    left = consistent(public)
    assert tuple(database.tolist()) in left
    assert found.certificate.is_consistent == (tuple(found.candidate.tolist()) in left)


@pytest.mark.parametrize("n", [2, 5, 12])
def test_every_decoder_finds_the_database_from_exact_answers(n):
    database, public = setting(n, 40 * n, "uniform", 0.0, seed=n)
    found = [
        exponential_reconstruction(public),
        linear_reconstruction(public),
        determined_entries(public),
        least_squares_reconstruction(public),
        l1_reconstruction(public),
    ]
    assert all(np.array_equal(one.candidate, database) for one in found)
    assert found[2].is_proven


@pytest.mark.parametrize("law", ["uniform", "uniform_integer", "rounding"])
def test_every_decoder_finds_the_database_in_the_setting_of_the_paper(law):
    database, public = setting(100, 4415, law, 5.0, seed=2)
    squares = least_squares_reconstruction(public)
    for found in (linear_reconstruction(public), squares, l1_reconstruction(public)):
        assert np.array_equal(found.candidate, database)
        assert found.certificate.is_consistent
    assert squares.certificate.is_consistent


@pytest.mark.parametrize("n_rounds", [1, 2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_a_hadamard_candidate_is_the_rounded_mean_of_its_definition(n_rounds, seed):
    """So much noise that many entries come out wrong."""
    queries = HadamardQueries(6, n_rounds, seed)
    database = random_database(6, seed)
    public = public_answers(queries, database, noise_law("uniform", 3.0), seed)
    signs = np.array(
        [[(-1) ** (i & j).bit_count() for j in range(8)] for i in range(8)]
    )
    means = np.zeros(6)
    for number, answers in enumerate(public.answers.reshape(n_rounds, 8)):
        entries = 2 * signs @ answers / 8
        means += entries[queries.places(number)] / n_rounds
    found = hadamard_reconstruction(public)
    assert found.candidate.tolist() == (means > 0.5).astype(int).tolist()


def test_hadamard_answers_rebuild_the_database_within_the_noise_they_average():
    database, queries = random_database(1000, 4), HadamardQueries(1000, 60, 4)
    law = noise_law("uniform", 0.5 * 1000**0.5)
    found = hadamard_reconstruction(public_answers(queries, database, law, 4))
    assert np.array_equal(found.candidate, database)
    assert found.certificate.is_consistent


def test_hadamard_queries_ask_for_the_places_where_rows_are_one():
    queries = HadamardQueries(5, 1, 9)
    places = queries.places(0)
    assert queries.n_rows == queries.n_queries == 8
    assert len(set(places.tolist()) - {0}) == 5
    for entry, place in enumerate(places.tolist()):
        alone = np.eye(5, dtype=np.uint8)[entry]
        is_in = [1 - (row & place).bit_count() % 2 for row in range(8)]
        assert exact_answers(queries, alone).tolist() == is_in


@pytest.mark.parametrize("bound", [0.5, 1.0, 1.5, 2.0])
def test_an_adversary_leaves_a_database_4_e_away(bound):
    database = bits(1, 0, 1, 0, 1, 0, 1, 0)
    law = noise_law("adversarial", bound)
    found = exponential_reconstruction(public_answers(all_subsets(8), database, law, 1))
    other = decoy(database, bound)
    assert found.has(database)
    assert found.has(other)
    assert found.diameter == np.count_nonzero(database != other) == 4 * bound


@pytest.mark.parametrize("law", ["uniform", "uniform_integer", "rounding"])
@pytest.mark.parametrize("bound", [0.5, 1.0, 1.5])
def test_consistent_databases_are_never_more_than_4_e_apart(law, bound):
    for seed in range(20):
        database = random_database(7, seed)
        public = public_answers(all_subsets(7), database, noise_law(law, bound), seed)
        found = exponential_reconstruction(public)
        assert found.has(database)
        assert found.diameter <= 4 * bound


def test_the_adversary_keeps_linear_programs_from_agreeing_on_the_database():
    database, public = setting(40, 1200, "adversarial", 3.0, seed=1)
    found = linear_reconstruction(public)
    assert found.status == "optimal"
    assert found.candidate is None or not np.array_equal(found.candidate, database)
    assert not determined_entries(public).is_proven


def test_being_consistent_does_not_prove_a_database():
    public = PublicAnswers(AllSubsets(2, 4), np.array([0.0, 0.5, 0.5, 1.0]), 0.5)
    assert consistent(public) == {(0, 1), (1, 0)}
    for one in ((0, 1), (1, 0)):
        assert consistency(bits(*one), public).is_consistent
    assert determined_entries(public).n_determined == 0
    # Fractional values fit here, 0.25 for both entries, and no database.
    public = PublicAnswers(all_subsets(2), np.array([0.0, 0.25, 0.25, 0.5]), 0.125)
    assert consistent(public) == set()
    found = determined_entries(public)
    assert (found.status, found.n_determined) == ("infeasible", 0)


def test_a_bound_that_is_too_small_is_said_to_be_infeasible():
    database, public = setting(30, 700, "uniform", 3.0, seed=1)
    wrong = replace(public, bound=1.0)
    linear, entries = linear_reconstruction(wrong), determined_entries(wrong)
    assert linear.status == entries.status == "infeasible"
    assert linear.candidate is None
    assert entries.n_determined == 0
    assert not least_squares_reconstruction(wrong).certificate.is_consistent
    assert not consistency(database, wrong).is_consistent
    _, public = setting(8, 60, "uniform", 3.0, seed=1)
    found = exponential_reconstruction(replace(public, bound=0.25))
    assert (found.n_candidates, found.diameter, found.candidate) == (0, None, None)
    _, many = setting(31, 5, "uniform", 1.0, seed=1)
    with pytest.raises(StudyError, match=r"n = 31 is too many: n can be at most 30"):
        exponential_reconstruction(many)


@given(settings_small.filter(lambda chosen: chosen[0] <= 8))
@examples(40)
def test_a_bound_that_is_too_small_never_proves_what_is_not_the_only_one(chosen):
    _, public = setting(*chosen)
    wrong = replace(public, bound=public.bound / 8)
    left, found = consistent(wrong), determined_entries(wrong)
    assert found.is_proven == (found.n_determined == wrong.queries.n)
    if found.is_proven:
        assert left == {tuple(found.candidate.tolist())}
    if found.status == "infeasible":
        assert (left, found.n_determined) == (set(), 0)


def test_gross_outliers_mislead_squares_but_not_absolute_differences():
    database, queries = random_database(150, 3), RandomSubsets(150, 3000, 3)
    law = GrossOutliers(noise_law("uniform", 2.0), 0.2)
    public = public_answers(queries, database, law, 3)
    absolute, squares = l1_reconstruction(public), least_squares_reconstruction(public)
    assert np.array_equal(absolute.candidate, database)
    off = abs(public.answers - exact_answers(queries, database))
    assert absolute.certificate.n_violated == np.count_nonzero(off > 2)
    assert not np.array_equal(squares.candidate, database)
    assert not squares.certificate.is_consistent


def test_a_wrong_entry_is_flipped_back_where_answers_contradict_it():
    database, public = setting(40, 2000, "uniform", 2.0, seed=6)
    wrong = database.copy()
    wrong[[3, 11]] ^= 1
    candidate, n_flipped = polished(public, wrong)
    assert np.array_equal(candidate, database)
    assert n_flipped == 2


def test_the_certificate_counts_violated_answers_exactly():
    queries = all_subsets(2)
    public = PublicAnswers(queries, np.array([0.0, 1.5, 0.25, 4.0]), 0.5)
    found = consistency(bits(1, 0), public)
    assert (found.n_queries, found.n_violated, found.worst) == (4, 1, 3.0)


def test_answers_of_a_seed_are_the_same_on_many_threads():
    def attacked(seed):
        _, public = setting(40, 1200, "uniform", 3.0, seed)
        found = linear_reconstruction(public)
        squares = least_squares_reconstruction(public)
        return public.answers.tobytes(), found.maximum.entries.tobytes(), squares

    alone = [attacked(seed)[:2] for seed in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert [one[:2] for one in pool.map(attacked, range(4))] == alone


def test_queries_in_many_blocks_decode_as_in_one(monkeypatch):
    database, law = random_database(9, 1), noise_law("uniform_integer", 2.0)
    monkeypatch.setattr(subset_queries, "BLOCK_WORDS", 100)
    public = public_answers(all_subsets(9), database, law, 1)
    assert [len(block) for block in public.queries.blocks()] == [100] * 5 + [12]
    found = least_squares_reconstruction(public)
    assert np.array_equal(found.candidate, database)
    assert found.certificate.n_queries == 512


def test_absolute_differences_are_weighed_anew_no_more_often_than_they_may(monkeypatch):
    monkeypatch.setattr(programs, "SETTLED", -1.0)
    monkeypatch.setattr(programs, "MOST_ROUNDS", 3)
    _, public = setting(6, 60, "uniform", 1.0, seed=1)
    assert l1_reconstruction(public, 20.0).n_steps == 3


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
    assert found.n_bad_and_feasible == found.n_bad
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
    where = exponential_reconstruction.__module__
    monkeypatch.setattr(f"{where}.POINTS_A_BLOCK", 10)
    law, grid = noise_law("uniform", 0.5), PointGrid(4, 2, Fraction(1, 4))
    trials = Trials(n_queries=3, n_databases=2, n_points=25, seed=7)
    found = bad_points(grid, law, trials)
    assert found.n_points == 2 * 25
    assert bad_points(grid, law, trials) == found
