"""A gain function's file, and an analysis of guesses, as the study file gives them."""

from fractions import Fraction

import pytest

from microleak.attacks.g_leakage.section import MOST_CLASSES, read_gains
from microleak.base.errors import StudyError
from microleak.study.load import load_study

GAINS = "guess,none,HIV,,*\nill,-1/2,1,0.5,.25\nwell,0,0,0,0\n"
STUDY = """\
study: guesses
seed: 1
tables:
  people:
    source: delimited
    options: {{domains: {{illness: "none|HIV"}}}}
    releases: {{"1": {{archive: people.csv}}}}
analyses:
  g_leakage:
    - name: worth
      table: people
      focal: 1
      qids: [age]
      sensitive: {sensitive}
{more}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text("age,illness\n25,none\n", encoding="utf-8")
    return tmp_path


def gains(folder, text=GAINS):
    path = folder / "gains.csv"
    path.write_text(text, encoding="utf-8")
    return path


def study(folder, more="      gains: gains.csv", sensitive="illness"):
    path = folder / "study.yaml"
    path.write_text(STUDY.format(more=more, sensitive=sensitive), encoding="utf-8")
    return load_study(path).analyses["g_leakage"]["worth"]


def test_gains_are_fractions_by_guess_and_value_and_of_all_others_last(folder):
    function = read_gains(gains(folder), "one")
    assert function.known == ["none", "HIV", None]
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    assert function.exact == [[-half, 1, half, quarter], [0, 0, 0, 0]]
    assert (function.denominator, function.has_costs) == (4, True)
    assert function.whole == [[-2, 4, 2, 1], [0, 0, 0, 0]]


def test_values_that_no_guess_tells_apart_are_of_one_class(folder):
    path = gains(folder, "guess,a,b,c\nx,1,1,0\ny,0,0,2\n")
    class_of, by_class = read_gains(path, "one").classes
    a, b, c, others = class_of
    assert a == b
    assert len({a, c, others}) == 3
    assert by_class.shape == (2, 3)


def test_an_analysis_has_the_gains_of_its_file(folder):
    gains(folder)
    assert study(folder).function.values == ("none", "HIV", "", "*")
    assert study(folder, "      tries: 2").function is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("guess\nill\n", "line 1 must have a heading for names and the values"),
        ("guess,a\n", "line 1 must have a heading for names and the values"),
        ("guess,a,a\nill,1,1\n", "line 1 has a value twice"),
        ("guess,a,b\nill,1\n", "line 2 has 2 cells, 3 expected"),
        ("guess,a\nill,1\nill,0\n", "line 3 has the name of an earlier one"),
        (
            "guess,a\nill,secret\n",
            "line 2, cell 2: a number as 1, -0.5 or 1/3 is expected",
        ),
        ("guess,a\nill,\n", "line 2, cell 2: a number"),
        ("guess,a\nill,1/0\n", "line 2, cell 2: a number"),
        ("guess,a\nill,1e9\n", "line 2, cell 2: a number"),
        ("guess,a\nill," + "1" * 5000 + "\n", "line 2, cell 2: a number"),
        ('guess,"a\nb"\nill,x\n', "line 3, cell 2: a number"),
        ("guess,a\n\nill,1\n", "line 2 is blank"),
        ("guess,a\nill,3000000000\n", "larger than 2,147,483,647"),
        ('"a\n', "line 1 has a quotation mark inside a cell, or one that is not"),
        ("", "it is empty"),
    ],
)
def test_a_faulty_file_is_refused_by_its_line_without_its_content(folder, text, said):
    path = gains(folder, text)
    with pytest.raises(StudyError) as error:
        read_gains(path, "one")
    assert said in str(error.value)
    assert "gains.csv" in str(error.value)
    assert "secret" not in str(error.value)


def test_no_more_values_are_told_apart_than_a_key_has_room_for(folder):
    names = [f"v{i}" for i in range(MOST_CLASSES)]
    header = ",".join(["guess", *names])
    row = ",".join(["ill", *(str(i + 1) for i in range(MOST_CLASSES))])
    path = gains(folder, f"{header}\n{row}\n")
    with pytest.raises(
        StudyError, match=r"tells 1,025 values apart, more than the 1,0"
    ):
        read_gains(path, "one")


def test_no_more_guesses_are_compared_than_is_said(folder):
    rows = "".join(f"g{i},{i}\n" for i in range(1_001))
    with pytest.raises(StudyError, match=r"1,001 guesses, more than the 1,000"):
        read_gains(gains(folder, f"guess,a\n{rows}"), "one")


def test_an_analysis_that_cannot_be_is_refused(folder, more, sensitive, said):
    gains(folder)
    with pytest.raises(StudyError, match=said):
        study(folder, more, sensitive)


def test_a_value_that_no_record_can_have_is_refused_by_its_place(folder):
    gains(folder, "guess,none,cold\nill,0,1\n")
    with pytest.raises(StudyError) as error:
        study(folder)
    assert "line 1, cell 3 of gains.csv is not" in str(error.value)
    assert "cold" not in str(error.value)
