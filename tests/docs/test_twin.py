"""The tables of docs/twin/: whose results they have, and what is said of them."""

import csv
import re
from collections import defaultdict

import pytest

from microleak.base.paths import ROOT
from tests.calibration.published import rows
from tests.calibration.table import HEAD, lines
from tests.docs.pages import table_rows, text

CENSUSES = ["school", "higher_education"]
MEAN = {
    "school": r"for all 191, and never above (\d+\.\d+)",
    "higher_education": r"The mean distance is at most (\d+\.\d+)",
}


def table(census):
    with (ROOT / f"docs/twin/{census}.csv").open(encoding="utf-8") as file:
        head, *body = csv.reader(file)
    assert head == HEAD
    return body


@pytest.mark.parametrize("census", CENSUSES)
def test_what_is_said_of_distances_follows_from_the_table(census):
    compared = [row for row in table_rows("docs/twin.md") if len(row) == 8]
    (said,) = [row for row in compared if f"(twin/{census}.csv)" in row[2]]
    largest = [float(row[7]) for row in table(census)]
    counted = [sum(each <= points for each in largest) for points in (1, 2, 3)]
    assert said[1].startswith(f"{len(largest)} ")
    assert [int(each) for each in said[4:7]] == counted
    assert float(said[7]) == max(largest)
    (mean,) = re.findall(MEAN[census], text("docs/twin.md"))
    assert max(abs(float(row[6])) for row in table(census)) == float(mean)


@pytest.mark.parametrize("census", CENSUSES)
def test_published_results_are_those_the_twin_is_tested_with(census):
    printed = [
        cells[:5] for row in rows(census) for cells in lines(row, [defaultdict(float)])
    ]
    assert [row[:5] for row in table(census)] == printed


@pytest.mark.parametrize("census", CENSUSES)
def test_a_distance_is_that_of_the_twin_from_what_was_published(census):
    for row in table(census):
        published, twin, distance, largest = map(float, row[4:])
        assert distance == pytest.approx(twin - published, abs=0.011)
        assert largest >= abs(distance) - 0.011


def test_all_successes_of_the_school_census_are_within_a_point_on_average():
    assert "is within 1 point for all 191" in text("docs/twin.md")
    assert all(abs(float(row[6])) <= 1 for row in table("school"))
