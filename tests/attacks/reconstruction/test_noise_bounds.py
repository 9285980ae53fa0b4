"""The bound that the noise of each law can reach."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.definitions.noise import (
    LAWS,
    distinct_bound,
    noise_law,
    on_grid,
    reached_bound,
)
from microleak.base.errors import StudyError

ALPHA = Fraction(1, 3)


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


@pytest.mark.parametrize(
    ("name", "bound", "alpha", "said"),
    [
        ("uniform", -1.0, None, "uniform cannot have E = -1.0"),
        ("uniform", 1e300, None, "E = 1e[+]300.* Correct errors of the reconstruction"),
        ("truncated_geometric", 2.0, None, "Correct noises of the reconstruction ana"),
        ("uniform", float("nan"), None, "uniform cannot have E = nan"),
        ("uniform", 2.0**40, None, "from 0 to 2147483648"),
        ("rounding", 0.0, None, "a base of 0: it must be a whole number from 1 up"),
        ("rounding", 1.3, None, "a base of 2.6: it must be a whole number"),
        ("truncated_geometric", 2.0, None, "alpha = None: it must be between 0 and 1"),
        ("truncated_geometric", 2.0, Fraction(1), "alpha = 1"),
        ("truncated_geometric", 2000.0, ALPHA, "E = 2000.0: it must be from 0 to 1000"),
    ],
)
def test_a_bound_that_noise_cannot_have_is_refused(name, bound, alpha, said):
    with pytest.raises(StudyError, match=said):
        reached_bound(name, bound, alpha)
