"""Draws of the School Census twin: shares, places, schools and their rates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from papers.twins.engine.draws import (
    LEVELS,
    apportioned,
    cumulatively_rounded,
    dealt_out,
    table_of,
)
from papers.twins.engine.persons import municipalities
from papers.twins.engine.writing import digits, lines, table
from papers.twins.school.schools import parameters, rates_of, schools_of
from papers.twins.school.students import (
    World,
    has_needs_in,
    new_students,
    uses_transport_in,
)

shares = st.lists(st.floats(0.01, 100.0), min_size=1, max_size=12)


@given(st.integers(0, 10_000), shares)
def test_apportioned_numbers_sum_to_the_total_and_are_within_one(total, weights):
    numbers = apportioned(total, weights)
    exact = np.array(weights) / sum(weights) * total
    assert numbers.sum() == total
    assert (np.abs(numbers - exact) < 1 + 1e-6).all()


@given(shares)
def test_cumulative_rounding_keeps_the_sum_within_a_half(exact):
    rounded = cumulatively_rounded(np.array(exact))
    assert abs(rounded.sum() - sum(exact)) <= 0.5 + 1e-9


@given(st.lists(st.tuples(st.floats(0.0, 1.0), st.integers(1, 1000)), min_size=1))
def test_the_weight_dealt_out_is_within_half_of_the_heaviest(things):
    parts, weights = map(np.array, zip(*things, strict=True))
    chosen = weights[dealt_out(parts, weights)].sum()
    assert abs(chosen - (parts * weights).sum()) <= weights.max() / 2 + 1e-6


def test_a_table_holds_each_value_in_its_share():
    law = table_of(np.array([3, 8], dtype=np.int16), [1, 3])
    assert len(law) == LEVELS
    assert (law == 8).sum() == LEVELS * 3 // 4


def test_the_country_has_as_many_municipalities_as_brazil_with_codes_of_their_own():
    places = municipalities(parameters())
    assert len(places.code) == 5570
    assert len(set(places.code)) == 5570
    assert (places.code // 100_000 == places.state).all()


def test_a_municipality_drawn_around_one_is_another_of_the_same_surroundings():
    places = municipalities(parameters())
    around = np.repeat(np.flatnonzero(places.state == 35), 20)
    drawn = places.drawn(around, "microregion", np.random.default_rng(1))
    assert (drawn != around).all()
    assert (places.centre[drawn] == places.centre[around]).all()


@pytest.mark.parametrize("number", [1, 10, 190, 2000])
def test_any_number_of_schools_has_the_mean_size(number):
    settings = parameters()
    places = municipalities(settings)
    schools = schools_of(number, settings, places, np.random.default_rng(1))
    assert schools.seats.sum() / number == pytest.approx(262.25, rel=0.01)
    assert len(set(schools.code)) == number


def test_the_parameters_are_shares_that_sum_to_one():
    settings = parameters()
    assert sum(kind.schools for kind in settings.kinds) == pytest.approx(1)
    for kind in settings.kinds:
        assert sum(kind.mix.values()) == pytest.approx(1), kind.kind
    for name, group in settings["groups"].items():
        assert sum(share for _, _, share in group["ages"]) == pytest.approx(1), name
    for name in ("home", "birth"):
        assert sum(settings[name].values()) == pytest.approx(1), name


def test_digits_keep_leading_zeros_at_any_width():
    numbers = np.array([0, 42, 9_876_543_210])
    assert digits(numbers, 10).tolist() == [b"0000000000", b"0000000042", b"9876543210"]


def test_a_missing_value_is_an_empty_field():
    columns = [table([10, 20])[[0, -1]], table([7])[[-1, 0]]]
    assert lines(columns, b"|") == b"10|\n|7\n"


KINDS = parameters().kinds


@pytest.fixture(scope="module")
def municipal():
    """A kind of schools, and the rates of 4,000 of them."""
    (at,) = (i for i, k in enumerate(KINDS) if k.kind == "municipal primary")
    return KINDS[at], rates_of(np.full(4000, at), np.arange(1, 4001), parameters())


@pytest.fixture(scope="module")
def world():
    settings = parameters()
    places = municipalities(settings)
    schools = schools_of(200, settings, places, np.random.default_rng(1))
    return World(settings, places, schools)


@pytest.fixture(scope="module")
def students(world):
    seats = world.schools.seats
    cell = np.repeat(np.arange(seats.size), seats.ravel())
    where = cell // seats.shape[1], cell % seats.shape[1]
    return new_students(where, 0, 2014, world, np.random.default_rng(2))


def test_a_rate_has_the_mean_of_its_kind_and_as_many_schools_lack_transport(municipal):
    kind, rates = municipal
    assert rates["undeclared"].mean() == pytest.approx(kind.undeclared, abs=0.01)
    none = (rates["transport"] == 0).all(axis=1)
    assert none.mean() == pytest.approx(kind.no_transport, abs=0.01)


def test_who_has_special_needs_has_them_in_every_later_year(world, students):
    first, last = (has_needs_in(year, students, world) for year in (2014, 2017))
    assert not (first & ~last).any()
    assert last.sum() > first.sum()


def test_nobody_uses_transport_at_a_school_without_it(world, students):
    used = uses_transport_in(2018, students, world)
    none = world.schools.transport[students.school, students.stage] == 0
    assert none.any()
    assert not (used & none).any()
