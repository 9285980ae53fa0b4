"""The twin's School Censuses give away what the released ones gave away.

published.csv holds facts of Nunes 2021: the posterior successes, in percent, of
tables 4.4, 4.7, 4.8 (2018), E.3, E.6, E.7 (2019) and 5.5, 5.8 (2014 to 2017).
Without QIDs it is the prior. One success is left out, a slip of table 4.8: the
deterministic one of birth municipality and school, which is below that of the
school alone.
"""

import csv
from pathlib import Path

import pytest

ROWS = list(csv.DictReader(Path(__file__).with_name("published.csv").open()))
POINTS, POINTS_OF_PRIOR = 3.0, 1.0

STUDENTS = {"2014": 49_491_319, "2018": 48_176_423, "2019": 47_640_822}
RECORDS = {"2014": 56_064_675, "2018": 51_829_413, "2019": 51_166_723}


def name(row):
    return "-".join(row[key] for key in ("table", "releases", "qids"))


def measured(twin, row):
    qids = tuple(row["qids"].split("|")) if row["qids"] else ("CO_ENTIDADE",)
    measures = twin.measures(tuple(row["releases"].split("|")), qids)
    return 100 * measures.loc[row["sensitive"]].filter(regex="_(det|prob)$")


@pytest.mark.parametrize("row", [row for row in ROWS if row["qids"]], ids=name)
def test_a_posterior_success_is_within_three_points_of_the_published(twin, row):
    found = measured(twin, row)
    assert found["posterior_prob"] == pytest.approx(float(row["prob_pct"]), abs=POINTS)
    if row["det_pct"]:
        published = float(row["det_pct"])
        assert found["posterior_det"] == pytest.approx(published, abs=POINTS)


@pytest.mark.parametrize("row", [row for row in ROWS if not row["qids"]], ids=name)
def test_a_prior_success_is_within_one_point_of_the_published(twin, row):
    published = float(row["prob_pct"])
    found = measured(twin, row)["prior_prob"]
    assert found == pytest.approx(published, abs=POINTS_OF_PRIOR)


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
