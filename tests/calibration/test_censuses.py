"""The twins' censuses give away what the released ones gave away.

At a hundredth of the schools and a twentieth of the courses. Absolute numbers (blocks,
municipalities) shrink with them and are not compared.
"""

from functools import cache

import pytest

from tests.calibration import outpatient
from tests.calibration.conftest import SEEDS
from tests.calibration.outpatient import reduced
from tests.calibration.published import (
    POINTS,
    POINTS_OF_PRIOR,
    assert_is_near,
    measured,
    name,
    of_states,
    rows,
)

pytestmark = pytest.mark.long

TWINS = [("school", 2021), ("school", 7), ("higher_education", 2021)]
ROWS = [
    pytest.param(twin, row, id=f"{twin[0]}-{twin[1]}-{name(row)}")
    for twin in TWINS
    for row in rows(twin[0])
]
COUNTS = {
    ("school", "2014"): (49_491_319, 56_064_675),
    ("school", "2018"): (48_176_423, 51_829_413),
    ("school", "2019"): (47_640_822, 51_166_723),
    ("higher_education", "2014"): (9_773_350, 10_793_936),
    ("higher_education", "2018"): (10_811_601, 12_043_994),
    ("higher_education", "2019"): (11_038_074, 12_350_832),
}
"""Students and records of the country."""

ONE_IN = {"school": 100, "higher_education": 20}
YEARS = [(twin, year) for twin in TWINS for census, year in COUNTS if census == twin[0]]


@pytest.mark.parametrize(("twin", "row"), ROWS, indirect=["twin"])
def test_a_success_is_within_three_points_of_the_published_or_one_of_a_prior(twin, row):
    assert_is_near(measured(twin, row), row)


@pytest.mark.parametrize(("twin", "year"), YEARS, indirect=["twin"], ids=str)
def test_a_share_of_the_units_has_that_share_of_students_and_of_dropped_records(
    twin, year, request
):
    census = request.node.callspec.params["twin"][0]
    students, records = COUNTS[census, year]
    counts = twin.counts(year)
    assert counts["n_records"] == pytest.approx(students / ONE_IN[census], rel=0.01)
    dropped = counts["n_dropped"] / counts["n_read"]
    assert dropped == pytest.approx(1 - students / records, abs=0.005)


LEAKAGES, POSTERIORS = of_states("2"), of_states("3")

STATES = ["RR", "AC", "SE", "DF", "RJ"]

tables = cache(lambda state, seed: outpatient.measured(state, reduced(state), seed))

each_state = pytest.mark.parametrize("state", STATES)
each_seed = pytest.mark.parametrize("seed", SEEDS)


@each_seed
@pytest.mark.parametrize("n_qids", ["none", *map(str, range(1, 8))])
@each_state
def test_prior_and_leakage_of_the_best_qids_are_within_points_of_the_published(
    state, n_qids, seed
):
    points = POINTS_OF_PRIOR if n_qids == "none" else POINTS
    found, _ = tables(state, seed)
    assert found[n_qids] == pytest.approx(LEAKAGES.loc[state, n_qids], abs=points)


@each_seed
@each_state
def test_without_one_of_the_patients_qids_the_posterior_is_within_three_points(
    state, seed
):
    _, without = tables(state, seed)
    # No QID weighs as much as the unit.
    assert min(without, key=without.get) == "PA_CODUNI"
    for qid in set(POSTERIORS) - {"PA_CODUNI"}:
        assert without[qid] == pytest.approx(POSTERIORS.loc[state, qid], abs=POINTS)
