import numpy as np
import pytest

from papers.twins.engine.persons import municipalities
from papers.twins.school.schools import parameters, rates_of, schools_of
from papers.twins.school.students import (
    World,
    has_needs_in,
    new_students,
    uses_transport_in,
)

KINDS = {kind.kind: at for at, kind in enumerate(parameters().kinds)}


def rates(kind, number=4000):
    kinds = np.full(number, KINDS[kind])
    sizes = np.arange(1, number + 1)
    return rates_of(kinds, sizes, parameters())


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


def test_a_rate_has_the_mean_of_its_kind():
    kind = parameters().kinds[KINDS["municipal primary"]]
    found = rates(kind.kind)["undeclared"]
    assert found.mean() == pytest.approx(kind.undeclared, abs=0.01)


def test_as_many_schools_lack_transport_as_their_kind_says():
    kind = parameters().kinds[KINDS["municipal primary"]]
    none = (rates(kind.kind)["transport"] == 0).all(axis=1)
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
