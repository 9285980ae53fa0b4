"""Noisy counts at their edges, and what is refused."""

from fractions import Fraction

import numpy as np
import pytest

from microleak.attacks.mechanism.definitions.attack_context import AttackContext
from microleak.attacks.mechanism.definitions.channels import (
    Channel,
    randomised_response,
    truncated_geometric,
)
from microleak.attacks.mechanism.definitions.dependence import count_leakage, dependence
from microleak.attacks.mechanism.definitions.local_mechanism import (
    bounded_local,
    exact_local,
    of_reports,
    reports,
)
from microleak.attacks.mechanism.definitions.oblivious_mechanism import oblivious
from microleak.base.errors import StudyError
from microleak.definitions.epsilon import Epsilon
from tests.naive_channels import posteriors

HALF = Fraction(1, 2)
ILL = np.array([[30, 1], [10, 9]])
"""Records that are well or ill, by whether they were counted."""

COUNTED = np.array([False, True])


def local(attack, mechanism):
    return of_reports(attack, reports(mechanism, attack.is_counted))


@pytest.mark.parametrize("measure", [dependence, lambda c: count_leakage(c, HALF)])
def test_a_table_without_records_is_refused(measure):
    with pytest.raises(StudyError, match=r"no record .* Correct the filter"):
        measure(np.zeros((2, 2), dtype=np.int64))


def test_a_context_without_records_is_refused():
    for shape in ((2, 2), (0, 2), (2, 0)):
        with pytest.raises(StudyError, match=r"no record .* Correct the filter"):
            AttackContext(np.zeros(shape, np.int64), np.ones(shape[1], dtype=bool))


def test_a_channel_whose_row_is_not_one_is_a_mistake_of_ours():
    with pytest.raises(AssertionError, match="a row is not 1"):
        Channel(((1, 1), (1, 0)), 2)


def test_an_output_that_never_occurs_has_no_posterior():
    both = ((Fraction(1, 2), Fraction(0)), (Fraction(1, 2), Fraction(0)))
    assert posteriors(both) == ((Fraction(1, 2), Fraction(1, 2)), None)


def test_a_useful_attribute_of_one_value_is_always_reported():
    assert truncated_geometric(HALF, 0).fractions() == ((1,),)
    assert randomised_response(HALF, 1).fractions() == ((1,),)
    one = AttackContext(np.array([[3], [5]]), np.array([True]))
    for found in (oblivious(one, HALF), local(one, truncated_geometric(HALF, 0))):
        assert (found.privacy_loss, found.utility) == (1, 1)


def test_half_of_the_errors_gone_is_not_yet_inferable():
    country_and_income = dependence(np.array([[0, 4, 0], [2, 0, 2]]))
    assert country_and_income.useful.normalised_leakage == HALF
    assert country_and_income.scenario() == "C"
    assert country_and_income.scenario(inferable=Fraction(49, 100)) == "A"
    assert country_and_income.scenario(inferable=Fraction(99, 100)) == "C"


def test_small_tables_are_exact_and_large_ones_say_how_far_off_they_are():
    mechanism = randomised_response(Fraction(1, 100), 2)
    small = local(AttackContext(ILL, COUNTED), mechanism)
    large = local(AttackContext(ILL * 10**4, COUNTED), mechanism)
    assert small.error == 0
    assert 0 < large.error < 1e-11


def test_a_local_count_that_helps_nobody_gives_exactly_the_prior():
    attack = AttackContext(np.array([[30, 20], [10, 9]]) * 1000, COUNTED)
    response = randomised_response(Fraction(1, 10), 2)
    found = bounded_local(attack, reports(response, COUNTED))
    assert found.posterior == found.prior


def test_a_decimal_epsilon_is_as_near_to_the_exact_local_measures_as_it_says():
    """Its chances have hundreds of digits, of which a distribution takes 90."""
    alpha = Epsilon.parse("0.5").alpha
    counts = np.array([[3, 1, 0, 2], [0, 4, 2, 1]])
    attack = AttackContext(counts, np.array([False, True, False, True]))
    for mechanism in (truncated_geometric(alpha, 3), randomised_response(alpha, 4)):
        told = reports(mechanism, attack.is_counted)
        exact, found = exact_local(attack, told), bounded_local(attack, told)
        assert exact.error == 0 < found.error < 1e-11
        assert abs(found.posterior - exact.posterior) <= found.error
        assert abs(found.utility - exact.utility) <= found.error


def test_many_records_make_the_local_count_hide_what_the_oblivious_shows():
    alpha = Fraction(1, 10)
    mechanism = randomised_response(alpha, 2)
    for factor in (1, 100, 10_000):
        attack = AttackContext(np.array([[30, 1], [2, 9]]) * factor, COUNTED)
        found = local(attack, mechanism)
        assert found.posterior + found.error < oblivious(attack, alpha).posterior


def test_a_noise_that_spares_the_float_s_range_is_still_measured():
    """Chances of 1e-304 and 1 - 1e-304 are neither lost nor divided by."""
    alpha = Epsilon.parse("700").alpha
    attack = AttackContext(ILL * 100, COUNTED)
    found = bounded_local(attack, reports(truncated_geometric(alpha, 1), COUNTED))
    assert abs(found.utility - 1) <= found.error < 1e-12
