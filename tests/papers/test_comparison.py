"""Printed numbers are found in the results, and compared as a reader would."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from papers.comparison import (
    Compared,
    NotMeasuredError,
    compare,
    read_comparison,
    write_comparison,
)
from papers.facts import Fact

FACT = Fact("Table 1", "kind/name", "qids=age|sex", "share", "50.0 %", "twin", "")
ROWS = ["sex|age,1,0.5", "age,1,0.25", "age,2,0.75", "sex|age,2,0.5"]


def compared(printed, measured, data="paper", note=""):
    return Compared("", "", "", "", printed, data, note, measured)


@pytest.fixture
def results(tmp_path):
    (tmp_path / "measures/kind").mkdir(parents=True)
    (tmp_path / "confidential/kind").mkdir(parents=True)
    table = "\n".join(["qids,size,share", *ROWS, ""])
    (tmp_path / "measures/kind/name.csv").write_text(table)
    (tmp_path / "confidential/kind/name.csv").write_text("share\n0.1\n")
    return tmp_path


def found(fact, results):
    return [each.measured for each in compare([fact], results)]


def test_the_order_of_joined_names_says_nothing(results):
    assert found(FACT, results) == ["0.5"]


def test_a_row_may_be_told_by_several_columns(results):
    assert found(replace(FACT, row="qids=age;size=2"), results) == ["0.75"]


@pytest.mark.parametrize(
    ("word", "value"), [("min", "0.25"), ("max", "0.75"), ("mean", "0.5")]
)
def test_several_rows_are_reduced(word, value, results):
    fact = replace(FACT, row="qids=age", column=f"{word} share")
    assert found(fact, results) == [value]


def test_confidential_tables_lie_beside_the_measures(results):
    fact = replace(FACT, file="confidential/kind/name", row="")
    assert found(fact, results) == ["0.1"]


@pytest.mark.parametrize(
    ("row", "column"),
    [("qids=age", "share"), ("qids=income", "share"), ("qids=income", "min share")],
)
def test_no_row_or_several_are_refused(row, column, results):
    with pytest.raises(NotMeasuredError, match="Table 1: kind/name has"):
        compare([replace(FACT, row=row, column=column)], results)


def test_results_that_are_not_there_say_what_to_run(results):
    with pytest.raises(NotMeasuredError, match=r"Run microleak run config/papers/"):
        compare([replace(FACT, file="kind/other")], results)


@given(st.integers(0, 10**6), st.integers(0, 6))
def test_a_number_agrees_with_itself_rounded_and_with_no_other(n, digits):
    exact = Fraction(n, 10**6)
    rounded = Fraction(round(exact * 10**digits), 10**digits)
    step = Fraction(1, 10**digits)
    assert compared(f"{float(rounded):.{digits}f}", str(float(exact))).agrees
    other = compared(f"{float(rounded + step):.{digits}f}", str(float(exact)))
    assert other.agrees == (abs(rounded + step - exact) <= step / 2)


@pytest.mark.parametrize(
    ("measured", "note", "is_explained"),
    [
        ("0.5", "", True),
        ("0.6", "", False),
        ("0.6", "why", True),
        ("0.5", "why", False),
    ],
)
def test_a_note_stands_where_the_papers_own_data_give_another_number(
    measured, note, is_explained
):
    assert compared("0.5", measured, "paper", note).is_explained == is_explained
    assert compared("0.5", measured, "twin", note).is_explained


@pytest.mark.parametrize(
    ("printed", "measured", "off"),
    [
        ("5.88 %", "0.0651", Fraction(63, 100)),
        ("1/4", "0.5", 25),
        ("2", "1.9", 5),
        ("0", "0.5", 50),
        ("true", "false", 100),
    ],
)
def test_distances_are_points_of_a_share_and_percent_of_another_number(
    printed, measured, off
):
    assert compared(printed, measured).off == off


def test_a_comparison_is_read_as_it_was_written(tmp_path):
    many = [compared("5 %", "0.05"), compared("true", "false", "twin", 'a, "b"')]
    write_comparison(tmp_path / "a.csv", many)
    assert read_comparison(tmp_path / "a.csv") == many
