from dataclasses import replace

import numpy as np
import pytest

from papers.twins.engine.draws import LEVELS
from papers.twins.engine.persons import municipalities
from papers.twins.school.schools import parameters, rates_of, schools_of
from papers.twins.school.students import (
    World,
    has_needs_in,
    new_students,
    school_age,
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


def odds(found):
    share = found.mean()
    return share / (1 - share)


def test_every_rate_is_a_share():
    for kind in KINDS:
        for name, found in rates(kind, 100).items():
            assert ((found >= 0) & (found <= 1)).all(), (kind, name)


def test_a_rate_has_the_mean_of_its_kind():
    kind = parameters().kinds[KINDS["municipal primary"]]
    found = rates(kind.kind)["undeclared"]
    assert found.mean() == pytest.approx(kind.undeclared, abs=0.01)


def test_a_rate_has_the_quantiles_of_a_beta_law():
    settings = parameters()
    mean = settings.kinds[KINDS["municipal primary"]].undeclared
    shape = settings["clustering"]["undeclared"]
    rng = np.random.default_rng(4)
    drawn = np.sort(rng.beta(shape, shape * (1 / mean - 1), 40_000))[5::10]
    found = np.sort(rates("municipal primary")["undeclared"])
    assert found == pytest.approx(drawn, abs=0.02)


def test_rates_are_those_of_kind_and_size_whatever_the_seed(world):
    def ranked(schools):
        order = np.lexsort((-schools.seats.sum(axis=1), schools.kind))
        return schools.undeclared[order], schools.transport[order]

    rng = np.random.default_rng(9)
    others = schools_of(200, world.settings, world.places, rng)
    for own, other in zip(ranked(world.schools), ranked(others), strict=True):
        np.testing.assert_array_equal(own, other)


def test_as_many_schools_lack_transport_as_their_kind_says():
    kind = parameters().kinds[KINDS["municipal primary"]]
    none = (rates(kind.kind)["transport"] == 0).all(axis=1)
    assert none.mean() == pytest.approx(kind.no_transport, abs=0.01)


def test_large_schools_lack_transport_as_often_as_small_ones():
    none = (rates("municipal primary")["transport"] == 0).all(axis=1)
    assert none[:2000].mean() == pytest.approx(none[2000:].mean(), abs=0.01)


def test_few_use_transport_at_as_many_schools_as_their_kind_says():
    kind = parameters().kinds[KINDS["private complete"]]
    found = rates(kind.kind)["transport"]
    low = ((found > 0) & (found < 0.2)).any(axis=1)
    assert low.mean() == pytest.approx(kind.few_transport, abs=0.01)
    assert found[low].mean() < 0.05


def test_schools_without_transport_have_their_share_of_students():
    kind = parameters().kinds[KINDS["municipal primary"]]
    kinds = np.full(100, KINDS[kind.kind])
    for seed in range(10):
        drawn = np.random.default_rng(seed).pareto(1.5, len(kinds))
        sizes = drawn.astype(np.int64) + 1
        found = rates_of(kinds, sizes, parameters())
        none = (found["transport"] == 0).all(axis=1)
        share = sizes[none].sum() / sizes.sum()
        assert share == pytest.approx(kind.no_transport, abs=1 / sizes.sum())


def test_nearly_all_students_of_special_schools_have_special_needs():
    assert rates("special", 50)["needs"].mean() > 0.9


def test_who_has_special_needs_has_them_in_every_later_year(world, students):
    first, last = (has_needs_in(year, students, world) for year in (2014, 2017))
    assert not (first & ~last).any()
    assert last.sum() > first.sum()


def test_who_is_behind_their_stage_has_special_needs_more_often(world, students):
    stages = world.settings.stages
    regular = np.array([stage.age for stage in stages])[students.stage]
    group = world.settings.groups.index("early")
    is_early = np.array([stage.group == group for stage in stages])[students.stage]
    is_late = school_age(students.born_on, 2014) >= regular + 2
    needs = has_needs_in(2014, students, world)
    late, timely = needs[is_early & is_late].mean(), needs[is_early & ~is_late].mean()
    factor = world.settings["needs_of_late"]["early"]
    assert 0.6 * factor < late / timely < 1.4 * factor


def test_those_born_elsewhere_have_special_needs_at_odds_of_their_own(world, students):
    regular = np.array([stage.age for stage in world.settings.stages])
    timely = school_age(students.born_on, 2014) < regular[students.stage] + 2
    elsewhere = students.born_in != world.schools.municipality[students.school]
    level = np.full_like(world.schools.needs, LEVELS // 20)
    same = replace(world, schools=replace(world.schools, needs=level))
    needs = has_needs_in(2014, students, same)
    ratio = odds(needs[timely & elsewhere]) / odds(needs[timely & ~elsewhere])
    assert ratio == pytest.approx(world.settings["needs_of_born_elsewhere"], rel=0.15)


def test_nobody_uses_transport_at_a_school_without_it(world, students):
    used = uses_transport_in(2018, students, world)
    none = world.schools.transport[students.school, students.stage] == 0
    assert none.any()
    assert not (used & none).any()


def test_those_who_live_elsewhere_use_transport_at_odds_of_their_own(world, students):
    settings = world.settings
    elsewhere = students.home != world.schools.municipality[students.school]
    level = np.full_like(world.schools.transport, LEVELS // 20)
    same = replace(world, schools=replace(world.schools, transport=level))
    used = uses_transport_in(2018, students, same)
    ratio = odds(used[elsewhere]) / odds(used[~elsewhere])
    assert ratio == pytest.approx(settings["transport_of_away"], rel=0.15)


def test_who_lives_elsewhere_comes_of_few_municipalities(world, students):
    elsewhere = students.home != world.schools.municipality[students.school]
    origins = world.schools.origins[students.school[elsewhere]]
    is_origin = (origins == students.home[elsewhere][:, None]).any(axis=1)
    assert is_origin.mean() > 0.9
