import numpy as np
import pytest

from papers.twins.engine.persons import municipalities
from papers.twins.higher_education.courses import (
    PRIVATE,
    Places,
    courses_of,
    higher_education,
    rates_of,
)

LAW = {
    "mean": {2014: 0.05, 2015: 0.1},
    "shape": 0.5,
    "none": 0.3,
    "of_institution": 0.5,
    "among": "all",
}


def places(number=900):
    at = np.arange(number)
    return Places(institution=at // 10, is_private=at % 3 > 0, seats=1 + at % 97)


def rates(year=2014, seed=1, **changes):
    rng = np.random.default_rng(seed)
    return rates_of(places(), year, {"silent": LAW | changes}, rng)["silent"]


@pytest.fixture(scope="module")
def world():
    settings = higher_education()
    return settings, municipalities(settings)


def test_the_mean_over_students_is_that_of_the_law_and_year():
    seats = places().seats
    assert np.average(rates(2014), weights=seats) == pytest.approx(0.05)
    assert np.average(rates(2015), weights=seats) == pytest.approx(0.1)


def test_as_many_students_as_the_law_says_are_in_courses_at_zero():
    without = places().seats[rates() == 0].sum() / places().seats.sum()
    assert without == pytest.approx(0.3, abs=0.01)


def test_courses_keep_their_order_over_the_years():
    order = np.argsort(rates(2014), kind="stable")
    assert (np.diff(rates(2015)[order]) >= 0).all()


def test_only_private_courses_have_a_rate_among_those():
    found = rates(among="private")
    assert (found[~places().is_private] == 0).all()
    assert (found[places().is_private] > 0).any()


@pytest.mark.parametrize("number", [1, 7, 60, 2000])
def test_any_number_of_courses_has_the_mean_size_of_the_year(world, number):
    courses = courses_of(number, 2018, *world, np.random.default_rng(1))
    assert len(courses) == number
    assert courses.seats.sum() / number == pytest.approx(283.57, rel=0.01)
    assert courses.seats.min() >= 1


def test_the_country_has_the_institutions_and_public_courses_of_2018(world):
    courses = courses_of(38_127, 2018, *world, np.random.default_rng(1))
    is_public = courses.category < PRIVATE
    assert len(np.unique(courses.institution)) == pytest.approx(2537, rel=0.1)
    assert is_public.mean() == pytest.approx(0.276, abs=0.01)
    assert courses.is_distance.sum() == pytest.approx(3177, rel=0.15)


def test_the_parameters_are_shares_that_sum_to_one(world):
    settings, _ = world
    assert settings.of_institutions("courses").sum() == pytest.approx(1)
    for kind, law in settings["courses"].items():
        assert sum(share for _, _, share in law["ages"]) == pytest.approx(1), kind
        assert sum(law["birth"].values()) == pytest.approx(1), kind
    for name in ("degrees", "turns"):
        for law in settings[name].values():
            assert sum(law) == pytest.approx(1), name
