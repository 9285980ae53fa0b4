"""The twins' censuses give away what the released ones gave away.

At a hundredth of the schools and a twentieth of the courses. Absolute numbers (blocks,
municipalities) shrink with them and are not compared.
"""

import pytest

from tests.calibration.published import assert_is_near, measured, name, rows

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
