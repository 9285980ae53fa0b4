"""Hierarchies of values: levels from files and built in, and their faults."""

import csv
from datetime import datetime

import pandas as pd
import pytest

import microleak
from microleak.base.errors import StudyError, TableError
from microleak.records.hierarchy import MUNICIPALITIES, levels_of, read_hierarchy
from microleak.study_file.call import analysis_of
from microleak.study_file.hierarchies import HierarchySection

VALUES = ("1", "7", None, "12")


def hierarchy(**given):
    return analysis_of(HierarchySection, "hierarchy", given)


DAYS = ("31/12/1999", None, "01/01/2000")
# Sao Paulo and Campinas, the second without its check digit, and Rio Branco.
PLACES = ("3550308", "350950", None, "1200401")


@pytest.mark.parametrize(
    ("given", "values", "levels"),
    [
        (
            {"widths": [5, 10]},
            VALUES,
            [("0-4", "5-9", None, "10-14"), ("0-9", "0-9", None, "10-19")],
        ),
        ({"top": 10}, VALUES, [("1", "7", None, ">=10")]),
        ({"bottom": 5, "top": 10}, VALUES, [("<=5", "7", None, ">=10")]),
        ({"widths": [5], "bottom": 3}, VALUES, [("<=3", "5-9", None, "10-14")]),
        ({"prefixes": [1]}, VALUES, [("1", "7", None, "1")]),
        ({}, VALUES, []),
        (
            {"date": "%d/%m/%Y"},
            DAYS,
            [
                ("1999-12", None, "2000-01"),
                ("1999", None, "2000"),
                ("1995-1999", None, "2000-2004"),
                ("1990-1999", None, "2000-2009"),
            ],
        ),
        (
            {"divisions": ["micro_region", "state", "region"]},
            PLACES,
            [
                ("35061", "35032", None, "12004"),
                ("35", "35", None, "12"),
                ("3", "3", None, "1"),
            ],
        ),
        ({"divisions": ["state"]}, PLACES, [("35", "35", None, "12")]),
    ],
)
def test_levels_are_those_of_the_rule_and_the_last_joins_all(given, values, levels):
    found = levels_of(hierarchy(**given), values, "it")
    assert found == [values, *levels, ("*",) * len(values)]


def test_the_list_of_municipalities_is_whole_and_each_is_in_the_state_of_its_code():
    with MUNICIPALITIES.open(encoding="utf-8") as file:
        rows = [*csv.DictReader(file)]
    codes = [row["municipality"] for row in rows]
    assert len(codes) == len({code[:6] for code in codes}) == 5570
    assert len({row["micro_region"] for row in rows}) == 558
    assert all(row["micro_region"][:2] == row["municipality"][:2] for row in rows)
    assert codes == sorted(codes)


@pytest.mark.parametrize("form", ["%d%m%y", "%Y-%m", "%d %b %Y %H:%M", "%Y.%j"])
def test_dates_in_other_forms_have_the_same_months(form):
    days = [datetime(1999, 12, 31), datetime(2000, 1, 1)]
    texts = tuple(day.strftime(form) for day in days)
    assert levels_of(hierarchy(date=form), texts, "born")[1] == ("1999-12", "2000-01")


@pytest.mark.parametrize(
    ("text", "label"), [("a;x;*\nb;x;*\n;none;*\n", "none"), ("a,x\nb,x\n", None)]
)
def test_a_file_says_what_values_are_on_each_level(tmp_path, text, label):
    path = tmp_path / "race.csv"
    path.write_text(text, encoding="utf-8")
    found = levels_of(hierarchy(file=str(path)), ("b", None), "race")
    assert found == [("b", None), ("x", label), ("*", "*")]


def test_a_faulty_file_is_refused_by_its_line_without_its_content(tmp_path, text, said):
    path = tmp_path / "faulty.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(StudyError, match=f"^race: its hierarchy, .*{said}") as error:
        read_hierarchy(path, "race")
    assert "secret" not in str(error.value)


LACKING = (
    "^race has 2 values that are not in its hierarchy, .*race.csv. Compare the values "
    "of this column of the data with the first column of that file, and add a line for "
    "each that it lacks, or correct file under hierarchies. Values are compared as "
    "text, so that 1.0 is not 1.$"
)


def test_values_that_a_hierarchy_lacks_are_counted_and_not_told(tmp_path):
    path = tmp_path / "race.csv"
    path.write_text("a;x\n", encoding="utf-8")
    for given, values, said in (
        ({"file": str(path)}, ("a", "secret", "other"), LACKING),
        ({"widths": [5]}, ("secret",), "no whole numbers"),
        ({"divisions": ["state"]}, ("3550308", "secret"), "no code of a municipality"),
        ({"date": "%Y-%m"}, ("secret",), "no dates of the form %Y-%m"),
    ):
        with pytest.raises(TableError, match=said) as error:
            levels_of(hierarchy(**given), values, "race")
        assert "secret" not in str(error.value)


def test_a_hierarchy_that_cannot_be_is_refused(given, said):
    with pytest.raises(StudyError, match=said):
        hierarchy(**given)


def test_an_empty_label_is_refused_by_its_line(tmp_path, text, line, level):
    """It would be a third kind of value, beside labels and missing values."""
    path = tmp_path / "race.csv"
    path.write_text(text, encoding="utf-8")
    said = f"line {line} has an empty label on level {level}. Write a label there"
    with pytest.raises(StudyError, match=said):
        read_hierarchy(path, "race")
    frame = pd.DataFrame({"race": ["a", "b", None]})
    hierarchies = {"race": {"file": str(path)}}
    with pytest.raises(StudyError, match=said):
        microleak.protect(frame, [{"generalise": {"race": 1}}], hierarchies=hierarchies)


@pytest.mark.parametrize(
    "text", ["a;x;*\nb;y;*\n", "a;x;*\n;;*\nb;y;*\n", ";;\na;x;*\nb;y;*\n"]
)
@pytest.mark.parametrize("kind", ["frame", "csv", "parquet"])
def test_a_missing_value_without_a_label_stays_missing(tmp_path, text, kind):
    path = tmp_path / "race.csv"
    path.write_text(text, encoding="utf-8")
    frame = pd.DataFrame({"race": ["a", None, "b", None]})
    found = microleak.protect(
        frame, [{"generalise": {"race": 1}}], hierarchies={"race": {"file": str(path)}}
    ).records
    if kind == "csv":
        found.to_csv(tmp_path / "out.csv", index=False)
        found = pd.read_csv(tmp_path / "out.csv", skip_blank_lines=False)
    if kind == "parquet":
        found.to_parquet(tmp_path / "out.parquet")
        found = pd.read_parquet(tmp_path / "out.parquet")
    assert found["race"].isna().tolist() == [False, True, False, True]
    assert found["race"].dropna().tolist() == ["x", "y"]
