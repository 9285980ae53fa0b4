"""A population and a sample that cannot be compared, and bytes that stay the same."""

import random

import pytest

from microleak.base.errors import TableError
from tests.compared import CODED, PENSE, compared, files, overlaps, profiled

NAMES = ("town", "age")
POPULATION = [("A", "1"), ("A", "1"), ("B", "2"), ("B", None), ("C", "1")]
SAMPLE = [("A", "1"), ("B", "secret"), ("B", None), (None, "1")]


def refused(folder, analysis, words, population=POPULATION, sample=SAMPLE):
    both = files(folder, population, sample, NAMES)
    with pytest.raises(TableError, match=words) as error:
        profiled(folder, both, analysis)
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)
    assert not (folder / "overlap.parquet").exists()


def test_persons_who_are_not_found_are_counted_unless_they_are_refused(tmp_path):
    words = (
        r"analysis 'c': the sample survey 2 has values, of all QIDs together, that no "
        r"record of the population people 1 has, in 2 of its records\. .* not_found: c"
    )
    refused(tmp_path, compared(NAMES, not_found="refuse"), words)


@pytest.mark.parametrize("sizes", [[1], [1, 2]])
def test_who_is_not_found_by_all_qids_is_refused_whatever_subsets_are_wanted(
    tmp_path, sizes
):
    analysis = compared(NAMES, wanted={"sizes": sizes}, not_found="refuse")
    refused(tmp_path, analysis, "in 2 of its records")


def test_a_sample_that_is_found_is_not_refused_and_has_only_the_wanted_subsets(
    tmp_path,
):
    analysis = compared(NAMES, wanted={"sizes": [1]}, not_found="refuse")
    both = files(tmp_path, POPULATION, [("A", "1"), ("B", None)], NAMES)
    assert set(overlaps(profiled(tmp_path, both, analysis))) == {0, 1, 2}


@pytest.mark.parametrize(
    ("keep", "words"),
    [
        (
            {"town": ("C",)},
            r"the sample survey 2 has no record with the values of filter \(town\)",
        ),
        (
            {"town": ("D",), "age": ("1",)},
            r"the population people 1 has no .* of filter \(town, age\)\. Correct filt",
        ),
    ],
)
def test_a_filter_that_leaves_nobody_is_refused(tmp_path, keep, words):
    refused(tmp_path, compared(NAMES, keep=keep), words)


@pytest.mark.parametrize(
    ("towns", "place"), [(("A", "canary"), "2nd"), (("canary", None, "A"), "1st")]
)
def test_a_filter_s_value_of_neither_table_is_refused_by_its_place(
    tmp_path, towns, place
):
    words = (
        f"analysis 'c': the {place} value of filter of town is that of no record of "
        r"survey 2, nor of people 1\. Correct filter in the study file\."
    )
    refused(tmp_path, compared(NAMES, keep={"town": towns}), words)


def test_a_table_without_records_is_refused(tmp_path):
    words = r"the sample survey 2 has no records\. Correct sample in the study file"
    refused(tmp_path, compared(NAMES), words, sample=[])


def test_a_sample_larger_than_its_population_is_refused(tmp_path):
    words = (
        r"analysis 'c': of records the sample survey 2 has 6, more than the 5 of the "
        r"population people 1, .* Correct population, sample or filter in the study"
    )
    refused(tmp_path, compared(NAMES), words, sample=[("A", "1")] * 6)


def test_a_sample_that_a_filter_leaves_larger_is_refused(tmp_path):
    words = r"with the values of filter the sample survey 2 has 2, more than the 1 of"
    refused(
        tmp_path,
        compared(NAMES, keep={"town": ("C",)}),
        words,
        sample=[("C", "1"), ("C", "2")],
    )


def test_a_code_that_the_crosswalk_does_not_have_is_refused_unseen(tmp_path):
    students, asked = [("1", "1", "A")], [("1", "secret", "A")]
    both = files(tmp_path, students, asked, [*PENSE], PENSE.values())
    words = r"VB01002 of the sample has .* 1 in number, .* has no code of TP_COR_RACA"
    with pytest.raises(TableError, match=words) as error:
        profiled(tmp_path, both, compared(PENSE, crosswalk=CODED))
    assert "secret" not in str(error.value)


def test_the_order_of_records_does_not_change_a_byte(tmp_path):
    """Values are few enough for many blocks, and many enough for many sizes."""
    fixed = random.Random(7)
    rows = [(fixed.choice("ABC"), fixed.choice(["1", None])) for _ in range(40)]
    ways = []
    for _ in range(3):
        both = files(tmp_path, rows[:30], rows[30:], NAMES)
        ways.append(profiled(tmp_path, both, compared(NAMES)).read_bytes())
        rows = fixed.sample(rows[:30], 30) + fixed.sample(rows[30:], 10)
    assert ways[0] == ways[1] == ways[2]
