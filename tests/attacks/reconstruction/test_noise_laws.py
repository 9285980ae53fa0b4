"""Laws of noise: their support, their chances, their bound."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions.noise import (
    GrossOutliers,
    decoy,
    geometric_weights,
    noise_law,
    public_answers,
)
from microleak.attacks.reconstruction.definitions.subset_queries import (
    RandomSubsets,
    all_subsets,
    random_database,
)
from microleak.base.errors import StudyError
from tests.examples import examples
from tests.reconstructing import bits, exact_answers

ALPHA = Fraction(1, 3)
LAWS = [
    ("uniform", 1.7, None),
    ("uniform_integer", 2.3, None),
    ("adversarial", 1.5, None),
    ("rounding", 2.5, None),
    ("truncated_geometric", 2.0, ALPHA),
]


def noise(law, n=20, n_queries=30_000):
    database, queries = random_database(n, 5), RandomSubsets(n, n_queries, 5)
    return law.answers(queries, database, 5) - exact_answers(queries, database)


@pytest.mark.parametrize(("name", "bound", "alpha"), LAWS)
def test_noise_is_never_above_its_bound(name, bound, alpha):
    law = noise_law(name, bound, alpha)
    assert abs(noise(law)).max() <= law.bound <= bound


@pytest.mark.parametrize(("name", "bound", "alpha"), LAWS)
@pytest.mark.parametrize("n", [2, 7])
def test_the_database_is_always_within_the_least_and_largest_answers(
    name, bound, alpha, n
):
    queries, database = all_subsets(n), random_database(n, 3)
    public = public_answers(queries, database, noise_law(name, bound, alpha), 3)
    exact = exact_answers(queries, database)
    assert np.all((public.low <= exact) & (exact <= public.high))


def test_uniform_noise_fills_the_interval_evenly():
    shares = np.histogram(noise(noise_law("uniform", 2.0)), 4, (-2, 2))[0] / 30_000
    assert shares == pytest.approx([1 / 4] * 4, abs=0.01)


def test_uniform_integers_are_all_alike():
    values, counts = np.unique(
        noise(noise_law("uniform_integer", 2.9)), return_counts=True
    )
    assert values.tolist() == [-2, -1, 0, 1, 2]
    assert counts / 30_000 == pytest.approx([1 / 5] * 5, abs=0.01)


def test_truncated_geometric_noise_has_the_chances_of_its_finite_law():
    drawn = noise(noise_law("truncated_geometric", 2.0, ALPHA))
    values, counts = np.unique(drawn, return_counts=True)
    weights = [ALPHA ** abs(r) for r in (-2, -1, 0, 1, 2)]
    assert values.tolist() == [-2, -1, 0, 1, 2]
    assert counts / 30_000 == pytest.approx(
        [float(w / sum(weights)) for w in weights], abs=0.01
    )


@given(st.fractions(Fraction(1, 50), Fraction(49, 50)), st.integers(0, 9))
@examples(30)
def test_geometric_weights_fall_by_alpha_with_every_step(alpha, most):
    weights = geometric_weights(alpha, most)
    assert weights == weights[::-1]
    assert [Fraction(w, weights[most]) for w in weights[most:]] == [
        alpha**r for r in range(most + 1)
    ]


def test_rounding_gives_the_nearest_multiple_and_the_upper_of_two():
    database = bits(1, 1, 1, 1, 1, 1)
    by_count = {}
    queries = all_subsets(6)
    for count, answer in zip(
        exact_answers(queries, database),
        noise_law("rounding", 2.0).answers(queries, database, 0),
        strict=True,
    ):
        by_count.setdefault(int(count), set()).add(float(answer))
    assert by_count == {0: {0}, 1: {0}, 2: {4}, 3: {4}, 4: {4}, 5: {4}, 6: {8}}


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


def test_a_law_that_cannot_be_is_refused(name, bound, said):
    with pytest.raises(StudyError, match=said):
        noise_law(name, bound)


def test_a_share_of_outliers_above_one_is_refused():
    with pytest.raises(StudyError, match=r"a share of 1.5: it must be from 0 to 1"):
        GrossOutliers(noise_law("uniform", 1.0), 1.5)


@pytest.mark.parametrize(
    ("name", "bound", "reached"),
    [
        *(("uniform_integer", 2.9, 2.0), ("uniform_integer", 0.9, 0.0)),
        *(("truncated_geometric", 2.9, 2.0), ("truncated_geometric", 0.9, 0.0)),
        *(("adversarial", 1.9, 1.5), ("adversarial", 0.4, 0.0)),
        *(("rounding", 0.5, 0.0), ("rounding", 1.0, 1.0), ("rounding", 1.5, 1.0)),
        *(("rounding", 2.5, 2.0), ("rounding", 3.0, 3.0)),
    ],
)
def test_the_bound_is_what_the_noise_of_a_law_can_reach(name, bound, reached):
    alpha = ALPHA if name == "truncated_geometric" else None
    law, queries = noise_law(name, bound, alpha), all_subsets(6)
    database = np.array([1, 0, 1, 1, 0, 0], dtype=np.uint8)
    exact = np.concatenate(list(queries.counts(database)))
    off = abs(law.answers(queries, database, 3) - exact).max()
    assert law.bound == reached
    assert off == (1.0 if bound == 1.5 else reached)
