"""Queries of a seed; laws of noise: their support, their chances, their bound."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    HadamardQueries,
)
from microleak.attacks.reconstruction.definitions.limits import check_memory, n_bytes
from microleak.attacks.reconstruction.definitions.noise import (
    LAWS,
    GrossOutliers,
    decoy,
    distinct_bound,
    geometric_weights,
    noise_law,
    on_grid,
    public_answers,
    reached_bound,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    BLOCK_WORDS,
    AllSubsets,
    RandomSubsets,
    all_subsets,
    random_database,
)
from microleak.attacks.reconstruction.kernels.subset_sums import (
    packed_entries,
    unpacked_entries,
)
from microleak.base.errors import StudyError
from tests.examples import examples
from tests.reconstructing import bits, exact_answers

ALPHA = Fraction(1, 3)
GIVEN = [
    ("uniform", 1.7, None),
    ("uniform_integer", 2.3, None),
    ("adversarial", 1.5, None),
    ("rounding", 2.5, None),
    ("truncated_geometric", 2.0, ALPHA),
]


def noise(law, n=20, n_queries=30_000):
    database, queries = random_database(n, 5), RandomSubsets(n, n_queries, 5)
    return law.answers(queries, database, 5) - exact_answers(queries, database)


@pytest.mark.parametrize(("name", "bound", "alpha"), GIVEN)
def test_noise_is_never_above_its_bound(name, bound, alpha):
    """So the database is within the least and the largest answers."""
    law = noise_law(name, bound, alpha)
    assert abs(noise(law)).max() <= law.bound <= bound
    for n in (2, 7):
        queries, database = all_subsets(n), random_database(n, 3)
        public = public_answers(queries, database, law, 3)
        exact = exact_answers(queries, database)
        assert np.all((public.low <= exact) & (exact <= public.high))


def test_noise_has_the_chances_of_its_law():
    shares = np.histogram(noise(noise_law("uniform", 2.0)), 4, (-2, 2))[0] / 30_000
    assert shares == pytest.approx([1 / 4] * 4, abs=0.01)
    weights = [ALPHA ** abs(r) for r in (-2, -1, 0, 1, 2)]
    chances = [float(weight / sum(weights)) for weight in weights]
    for law, expected in (
        (noise_law("uniform_integer", 2.9), [1 / 5] * 5),
        (noise_law("truncated_geometric", 2.0, ALPHA), chances),
    ):
        values, counts = np.unique(noise(law), return_counts=True)
        assert values.tolist() == [-2, -1, 0, 1, 2]
        assert counts / 30_000 == pytest.approx(expected, abs=0.01)


@given(st.fractions(Fraction(1, 50), Fraction(49, 50)), st.integers(0, 9))
@examples(30)
def test_geometric_weights_fall_by_alpha_with_every_step(alpha, most):
    weights = geometric_weights(alpha, most)
    assert weights == weights[::-1]
    assert [Fraction(w, weights[most]) for w in weights[most:]] == [
        alpha**r for r in range(most + 1)
    ]


def test_rounding_gives_the_nearest_multiple_and_the_upper_of_two():
    database, queries = bits(1, 1, 1, 1, 1, 1), all_subsets(6)
    given_ = noise_law("rounding", 2.0).answers(queries, database, 0)
    both = {*zip(exact_answers(queries, database), given_, strict=True)}
    assert both == {(0, 0), (1, 0), (2, 4), (3, 4), (4, 4), (5, 4), (6, 8)}


def test_an_adversary_answers_midway_to_a_database_4_e_away():
    database = bits(1, 1, 1, 1, 0, 0, 0, 0)
    other = decoy(database, 1.0)
    assert other.tolist() == [0, 0, 1, 1, 1, 1, 0, 0]
    law, queries = noise_law("adversarial", 1.0), all_subsets(8)
    one = public_answers(queries, database, law, 1).answers
    assert abs(one - exact_answers(queries, other)).max() == 1
    assert abs(one - exact_answers(queries, database)).max() == 1


def test_a_share_of_gross_outliers_is_beyond_the_bound_and_no_more():
    law = GrossOutliers(noise_law("uniform", 1.0), 0.2)
    off = abs(noise(law, n=200))
    assert law.bound == 1
    assert np.mean(off > 1) == pytest.approx(0.2 * (1 - 3 / 201), abs=0.01)


def test_the_bound_is_what_the_noise_of_a_law_can_reach(name, bound, reached):
    alpha = ALPHA if name == "truncated_geometric" else None
    law, queries = noise_law(name, bound, alpha), all_subsets(6)
    database = np.array([1, 0, 1, 1, 0, 0], dtype=np.uint8)
    exact = np.concatenate(list(queries.counts(database)))
    off = abs(law.answers(queries, database, 3) - exact).max()
    assert law.bound == reached
    assert off == (1.0 if bound == 1.5 else reached)


@given(st.floats(0, 2.0**31))
def test_bounds_are_lowered_to_the_grid_of_answers(bound):
    assert 0 <= Fraction(bound) - Fraction(on_grid(bound)) < Fraction(1, 2**20)
    assert Fraction(on_grid(bound)) * 2**20 % 1 == 0


@given(st.sampled_from(LAWS), st.integers(1, 2000))
def test_it_is_at_most_what_was_asked_and_that_of_the_law_drawn_from(law, halves):
    bound, alpha = halves / 2, ALPHA if law == "truncated_geometric" else None
    reached = reached_bound(law, bound, alpha)
    assert bound - 1 < reached <= bound
    assert (
        noise_law(law, bound, alpha).bound
        == reached
        == reached_bound(law, reached or 0.5, alpha)
    )


@given(st.sampled_from(LAWS), st.integers(1, 2000), st.integers(1, 2000))
def test_bounds_are_distinct_where_the_noise_that_is_drawn_is(law, one, other):
    alpha = ALPHA if law == "truncated_geometric" else None
    laws = [noise_law(law, halves / 2, alpha) for halves in (one, other)]
    distinct = {distinct_bound(law, halves / 2, alpha) for halves in (one, other)}
    assert len(distinct) == len({*laws})


def test_a_law_and_a_bound_that_cannot_be_are_refused(name, bound, alpha, said):
    for refused in (noise_law, reached_bound)[: 1 if name == "unifrom" else 2]:
        with pytest.raises(StudyError, match=said):
            refused(name, bound, alpha and Fraction(alpha))
    with pytest.raises(StudyError, match=r"a share of 1.5: it must be from 0 to 1"):
        GrossOutliers(noise_law("uniform", 1.0), 1.5)


def test_random_subsets_of_a_seed_stay_what_they_are():
    """Beyond the first block, too."""
    words = RandomSubsets(70, 2, 2021).words()
    again = [list(RandomSubsets(70, 2, 2021).blocks()) for _ in range(2)]
    assert np.array_equal(again[0], again[1])
    first = ["54632aa94b20390d", "2", "48087c19d6a06757", "8"]
    assert [f"{word:x}" for word in words.ravel()] == first
    many = RandomSubsets(64, BLOCK_WORDS + 2, 2021).words()
    assert many.shape == (BLOCK_WORDS + 2, 1)
    last = ["a6b917daa30c3d06", "f68558e90747d39f", "9fa2efde1a621c1b"]
    assert [f"{word:x}" for word in many[-3:, 0]] == last


def test_every_entry_is_in_a_random_subset_with_chance_one_half():
    shares = unpacked_entries(RandomSubsets(70, 40_000, 1).words(), 70).mean(axis=0)
    assert shares == pytest.approx([0.5] * 70, abs=0.015)


def test_all_subsets_come_in_the_order_of_their_bits():
    assert all_subsets(3).words()[:, 0].tolist() == list(range(8))
    assert packed_entries(bits(0, 1, 1)).tolist() == [6]


def test_sizes_that_cannot_be_are_refused(made, sizes, said):
    every = (RandomSubsets, random_database, HadamardQueries, all_subsets, AllSubsets)
    (chosen,) = (each for each in every if each.__name__ == made)
    with pytest.raises(StudyError, match=said):
        chosen(*sizes)


@pytest.mark.parametrize(
    "attack", ["exponential", "linear", "least_squares", "l1", "hadamard"]
)
def test_an_attack_beyond_the_memory_allowed_is_refused_with_what_it_takes(attack):
    needed_mb = -(-n_bytes(attack, 25, 10**6) // 10**6)
    check_memory(attack, 25, 10**6, needed_mb)
    with pytest.raises(StudyError, match=f"takes about {needed_mb} MB, and"):
        check_memory(attack, 25, 10**6, needed_mb - 1)
    # The smallest setting takes what the libraries do.
    with pytest.raises(StudyError, match="takes about 268 MB"):
        check_memory("l1", 8, 64, 200)
    with pytest.raises(StudyError, match=r"'liner'. Did you mean 'linear'"):
        n_bytes("liner", 25, 100)
