"""The twin's Higher Education Censuses give away what the released ones gave away.

At a twentieth of the courses. Absolute numbers (blocks, municipalities) shrink with
the courses and are not compared.
"""

import pytest

from tests.calibration.published import (
    assert_posterior_is_near,
    assert_prior_is_near,
    measured,
    name,
    rows,
)

pytestmark = pytest.mark.long

ROWS = rows("higher_education")

STUDENTS = {"2014": 9_773_350, "2018": 10_811_601, "2019": 11_038_074}
RECORDS = {"2014": 10_793_936, "2018": 12_043_994, "2019": 12_350_832}


@pytest.mark.parametrize("row", [row for row in ROWS if row["qids"]], ids=name)
def test_a_posterior_success_is_within_three_points_of_the_published(
    higher_education, row
):
    assert_posterior_is_near(measured(higher_education, row, "CO_CURSO"), row)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["qids"]], ids=name)
def test_a_prior_success_is_within_one_point_of_the_published(higher_education, row):
    assert_prior_is_near(measured(higher_education, row, "CO_CURSO"), row)


@pytest.mark.parametrize("year", STUDENTS)
def test_a_twentieth_of_the_courses_has_a_twentieth_of_the_students(
    higher_education, year
):
    assert higher_education.counts(year)["n_records"] == pytest.approx(
        STUDENTS[year] / 20, rel=0.01
    )


@pytest.mark.parametrize("year", STUDENTS)
def test_the_share_of_dropped_records_is_within_half_a_point(higher_education, year):
    counts = higher_education.counts(year)
    published = 1 - STUDENTS[year] / RECORDS[year]
    assert counts["n_dropped"] / counts["n_read"] == pytest.approx(published, abs=0.005)
