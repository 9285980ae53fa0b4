"""Independent releases: study file, files, words, part of the page and ties."""

from fractions import Fraction
from math import nan

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import microleak
from microleak.attacks.intersection.measure import (
    CandidateCells,
    _tallies,
    intersection_table,
)
from microleak.base.errors import StudyError, TableError
from microleak.base.machine import Resources
from tests.attacks.intersection.shown_rows import CROSSED, crossed, row
from tests.report.made import part_of_rows
from tests.study_file import given

GIVEN = "auxiliary: [2], qids: [age], sensitive: [ill]"


def study(folder, more, options="{person_id: id}"):
    return given.study(folder, "intersection", f"focal: 1, {more}", options)


def test_an_analysis_has_the_identifier_that_says_who_is_in_all(tmp_path):
    found = study(tmp_path, GIVEN)
    assert found.analyses["intersection"]["one"].person_id == "id"
    assert found.attributes("people", "2") == ("age", "ill")
    assert found.links == ()
    without = study(tmp_path, GIVEN, "{}").analyses["intersection"]["one"]
    assert without.person_id is None


def test_an_analysis_that_cannot_be_is_refused(tmp_path, more, said):
    with pytest.raises(StudyError, match=said) as error:
        study(tmp_path, more)
    assert "\n" not in str(error.value)


def test_a_release_without_records_is_refused(tmp_path):
    people = pa.table({"age": ["1"], "ill": ["y"]})
    analysis = study(tmp_path, GIVEN, "{}").analyses["intersection"]["one"]
    both, resources = [people, people[:0]], Resources(1, 8000, tmp_path)
    with pytest.raises(TableError, match="release 2 has no records, so nobody is in i"):
        intersection_table(both, analysis, resources)


def test_auxiliary_frames_are_given_by_name():
    people = pd.DataFrame({"age": [1], "ill": ["y"]})
    for frames in ([people], {"focal": people}):
        with pytest.raises(StudyError, match=r"intersection: auxiliary has frames by"):
            microleak.intersection(people, frames, ["age"], ["ill"])


def test_claims_fail_of_who_changed():
    """The second of two people is cured, and the first one's illness left alone."""
    here = pd.DataFrame({"id": [1, 2], "age": [30, 30], "ill": ["a", "b"]})
    there = pd.DataFrame({"id": [2, 1], "age": [30, 30], "ill": ["a", "c"]})
    last = microleak.intersection(
        here, {"there": there}, ["age"], ["ill"], person_id="id"
    ).intersection.iloc[1]
    assert (last["n_possible"], last["posterior_det"]) == (1, 1.0)
    assert (last["n_in_all"], last["claimed"]) == (2, 1.0)
    assert (last["claims_that_hold"], last["right"]) == (0.5, 0.5)


def test_the_part_says_what_is_left_believed_and_right():
    told, _ = part_of_rows("intersection", CROSSED, "en")
    assert told.heading == (
        "2 releases together leave a single value of “ILL” possible for 60.00% of the "
        "people who can be in all of them; one release alone, for 30.00%"
    )
    left, truth = told.body[0].texts
    assert "160 of 200 records can be that of a person in all releases" in left
    assert "for 60.00% of them, and 90.00% of these claims are true" in truth
    (grid,) = told.grids
    assert grid.rows[1][1:5] == ("2", "160", "30.00%", "60.00%")
    in_portuguese, _ = part_of_rows("intersection", CROSSED, "pt")
    assert in_portuguese.heading.startswith("2 divulgações juntas deixam possível")


def test_where_nobody_can_be_in_all_releases_the_part_says_so():
    told, _ = part_of_rows("intersection", crossed(row(2, 0, (nan,) * 4)), "en")
    assert told.heading == (
        "Nobody can be in all 2 releases with the same value of “ILL”"
    )
    assert not told.body[0].texts


def of_counts(number, ill, well):
    """A release of one sex, with one person who is in every release."""
    ids = ["she", *(f"{number}-{i}" for i in range(ill + well - 1))]
    values = ["yes"] * ill + ["no"] * well
    return pd.DataFrame({"id": ids, "sex": "F", "ill": values})


def test_what_is_certain_is_believed_by_one_and_no_more():
    first, *others = (
        of_counts(i, n, 0) for i, n in enumerate([3129, 5675, 4987, 4755])
    )
    found = microleak.intersection(first, dict(enumerate(others)), ["sex"], ["ill"])
    assert found.intersection["posterior_prob"].tolist() == [1.0] * 4


@pytest.mark.parametrize(
    "order", [[0, 1, 2, 3, 4, 5], [5, 3, 1, 0, 2, 4], [2, 4, 0, 5, 1, 3]]
)
def test_values_of_equal_chance_are_tied_in_any_order_of_releases(order):
    counts = [10364, 13144, 11325, 8201, 12589, 12377]
    pairs = zip(counts, [12377, 8201, 10364, 12589, 13144, 11325], strict=True)
    made = [of_counts(i, *pair) for i, pair in enumerate(pairs)]
    first, *others = (made[i] for i in order)
    rest = dict(enumerate(others))
    found = microleak.intersection(first, rest, ["sex"], ["ill"], person_id="id")
    last = found.intersection.iloc[-1]
    assert (last["right"], last["posterior_prob"]) == (0.5, 0.5)


MANY = 10**8


@pytest.mark.parametrize(
    "counts",
    [
        [[2, 3], [3, 2]],
        [[2, 3], [3, 3]],
        [[MANY, MANY + 1], [MANY, MANY - 1]],
        [[MANY + 1, MANY], [MANY - 1, MANY]],
        [[MANY, MANY], [MANY, MANY]],
        [[MANY, MANY // 2], [MANY, 2 * MANY]],
        [[MANY, MANY, 1], [MANY, MANY - 1, 1]],
        [[3 * MANY, 2 * MANY], [2 * MANY, 3 * MANY]],
        [[MANY * MANY, MANY], [MANY, MANY * MANY]],
        [[MANY * MANY, MANY * MANY], [MANY, MANY + 1]],
    ],
)
def test_products_that_differ_by_one_are_no_tie(counts):
    persons = np.arange(1, len(counts[0]) + 1)
    block = np.zeros(len(counts[0]), dtype=np.int64)
    cells = CandidateCells(block, np.array(counts), np.array([persons, persons]))
    _, both = _tallies(cells)
    ways = [int(a) * int(b) for a, b in zip(*counts, strict=True)]
    best = [
        n for n, way in zip(persons.tolist(), ways, strict=True) if way == max(ways)
    ]
    assert both.right == Fraction(sum(best), len(best))
