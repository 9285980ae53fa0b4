"""The tables of docs/twin.md: what is said of them, and of which printed results."""

import re
from collections import defaultdict

import pytest

from tests.calibration.published import rows
from tests.calibration.table import HEAD, lines
from tests.docs.pages import text

SAID = (
    r"Of (\d+) successes, (\d+) stay within 1 point in all eight seeds, (\d+) within 2 "
    r"and (\d+) within 3; .*The mean distance is never above (\d+\.\d+)\."
)


def cells(line):
    return line.strip("| ").split(" | ")


def sections():
    """The sentence on each table of successes, and the table's rows."""
    before, *tables = text("docs/twin.md").split("\n".join(HEAD))
    found = []
    for table in tables:
        printed = table.split("\n\n")[0].split("\n")[1:]
        found.append((before, [cells(line) for line in printed]))
        before = table
    return found


@pytest.mark.parametrize("place", [0, 1])
def test_what_is_said_of_distances_follows_from_the_table(place):
    before, table = sections()[place]
    n, *within, mean = re.findall(SAID, before)[-1]
    largest = [float(row[7]) for row in table]
    distances = [abs(float(row[6])) for row in table]
    assert int(n) == len(table)
    counted = [sum(each <= points for each in largest) for points in (1, 2, 3)]
    assert counted == [int(each) for each in within]
    assert max(distances) <= float(mean)


@pytest.mark.parametrize(("place", "census"), [(0, "school"), (1, "higher_education")])
def test_published_results_are_those_the_twin_is_tested_with(place, census):
    printed = [
        cells(line)[:5]
        for row in rows(census)
        for line in lines(row, [defaultdict(float)])
    ]
    assert [row[:5] for row in sections()[place][1]] == printed


@pytest.mark.parametrize("place", [0, 1])
def test_a_distance_is_that_of_the_twin_from_what_was_published(place):
    for row in sections()[place][1]:
        published, twin, distance, largest = map(float, row[4:])
        assert distance == pytest.approx(twin - published, abs=0.011)
        assert largest >= abs(distance) - 0.011


def test_what_is_said_of_those_that_are_off_follows_from_the_table():
    (off,) = re.search(
        r"The (\d+) successes that leave the band of 1 point in some seed at 1/100 are "
        r"within it on average",
        text("docs/twin.md"),
    ).groups()
    rows = [row for row in sections()[0][1] if float(row[7]) > 1]
    assert int(off) == len(rows)
    assert all(abs(float(row[6])) <= 1 for row in rows)
