"""The twin's School Censuses give away what the released ones gave away."""

import pytest

from tests.calibration.published import (
    assert_posterior_is_near,
    assert_prior_is_near,
    measured,
    name,
    rows,
)

pytestmark = pytest.mark.long

ROWS = rows("school")

STUDENTS = {"2014": 49_491_319, "2018": 48_176_423, "2019": 47_640_822}
RECORDS = {"2014": 56_064_675, "2018": 51_829_413, "2019": 51_166_723}


@pytest.mark.parametrize("row", [row for row in ROWS if row["qids"]], ids=name)
def test_a_posterior_success_is_within_three_points_of_the_published(twin, row):
    assert_posterior_is_near(measured(twin, row, "CO_ENTIDADE"), row)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["qids"]], ids=name)
def test_a_prior_success_is_within_one_point_of_the_published(twin, row):
    assert_prior_is_near(measured(twin, row, "CO_ENTIDADE"), row)


@pytest.mark.parametrize("year", STUDENTS)
def test_a_hundredth_of_the_schools_has_a_hundredth_of_the_students(twin, year):
    assert twin.counts(year)["n_records"] == pytest.approx(
        STUDENTS[year] / 100, rel=0.01
    )


@pytest.mark.parametrize("year", STUDENTS)
def test_the_share_of_dropped_records_is_within_half_a_point(twin, year):
    counts = twin.counts(year)
    published = 1 - STUDENTS[year] / RECORDS[year]
    assert counts["n_dropped"] / counts["n_read"] == pytest.approx(published, abs=0.005)
