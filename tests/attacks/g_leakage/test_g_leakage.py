"""What guesses gain: study file, measures, part of the page and figure."""

import re
from fractions import Fraction

import pandas as pd
import pytest

import microleak
from microleak.attacks.g_leakage.section import MOST_CLASSES, read_gains
from microleak.base.errors import StudyError, TableError
from tests.report.made import part_of_rows
from tests.study_file import given

PEOPLE = pd.DataFrame(
    {
        "age": [25, 25, 25, 25, 49, 49, 60, None],
        "sex": ["F", "F", "M", "M", "F", "M", "F", "F"],
        "ill": ["HIV", "none", "none", None, "HIV", "HIV", "flu", "none"],
    }
)
CLAIMS = {"severe": {"HIV": 2, "flu": -1, "*": -1}, "nothing": {}}


@pytest.fixture(scope="module")
def claims():
    return microleak.g_leakage(PEOPLE, ["age", "sex"], "ill", gains=CLAIMS).g_leakage


@pytest.fixture(scope="module")
def tries():
    return microleak.g_leakage(PEOPLE, ["age", "sex"], "ill", tries=2).g_leakage


def test_costs_of_a_wrong_claim_leave_a_difference_alone(claims):
    # Before, 3 of 8 gain 2 and 5 lose 1; at 25 the claim loses, at 49 it gains twice 2.
    assert claims["prior_vulnerability"].tolist() == [1 / 8] * 3
    by = claims.set_index("qids")["posterior_vulnerability"]
    assert by["age"] == 4 / 8
    assert by["sex"] == 1 / 8
    assert claims["additive_g_leakage"].tolist()[0] == 3 / 8
    for column in ("multiplicative_g_leakage", "g_leakage", "capacity"):
        assert claims[column].isna().all()


def test_one_try_is_attribute_inference():
    one = microleak.g_leakage(PEOPLE, ["age", "sex"], "ill", tries=1).g_leakage
    same = {value: {value: 1} for value in PEOPLE["ill"].unique()}
    same = {str(name): gains for name, gains in same.items()}
    by_guess = microleak.g_leakage(PEOPLE, ["age", "sex"], "ill", gains=same).g_leakage
    found = microleak.assess(PEOPLE, ["age", "sex"], sensitive=["ill"]).collective
    inferred = found[found["sensitive"] == "ill"]
    for rows in (one, by_guess):
        assert [*rows["posterior_vulnerability"]] == [*inferred["posterior_prob"]]
        assert [*rows["prior_vulnerability"]] == [*inferred["prior_prob"]]
        bits = pytest.approx([*inferred["min_entropy_leakage"]])
        assert [*rows["g_leakage"]] == bits


def test_what_cannot_be_is_refused_in_words(arguments, said):
    with pytest.raises(StudyError, match=said):
        microleak.g_leakage(PEOPLE, ["age"], "ill", **arguments)


def test_gains_by_a_value_that_no_record_has_are_refused_unless_it_is_possible():
    claims = {"claim": {"HIV": 1, "HVI": 1, None: 2}}
    with pytest.raises(TableError) as error:
        microleak.g_leakage(PEOPLE, ["age"], "ill", gains=claims)
    assert str(error.value) == (
        "g_leakage: gains has 'HVI', which no record has in ill. Correct it there, or "
        "leave it out; a value that may be absent needs a domain of ill (domains, "
        "under options)."
    )


WHICH = {"analysis": "worth", "table": "people", "focal": "1"}


def test_the_part_says_what_is_gained_with_and_without_facts(tries):
    told, svg = part_of_rows("g_leakage", tries.assign(**WHICH), "en")
    assert told.heading == (
        "With two facts (age and sex), “ill” is among the 2 values that the best guess "
        "names for 100% of the records; without any facts, for 75.00%"
    )
    (grid,) = told.grids
    assert len(grid.headings) == 7
    assert [row[2] for row in grid.rows] == ["87.50%", "100%"]
    assert re.search("Worst combination of 2 attributes: 100% after", svg)


def test_the_part_tells_no_ratio_where_a_guess_may_cost(claims):
    told, _ = part_of_rows("g_leakage", claims.assign(**WHICH), "pt")
    assert told.heading.startswith("O melhor palpite sobre “ill” com")
    (grid,) = told.grids
    assert len(grid.headings) == 4
    assert "comparam só pela diferença" in told.body[0].texts[0]


GAINS = "guess,none,HIV,,*\nill,-1/2,1,0.5,.25\nwell,0,0,0,0\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gains(folder, text=GAINS):
    path = folder / "gains.csv"
    path.write_text(text, encoding="utf-8")
    return path


def study(folder, more="gains: gains.csv", sensitive="illness"):
    more = f"focal: 1, qids: [age], sensitive: {sensitive}, {more}"
    options = '{domains: {illness: "none|HIV"}}'
    found = given.study(folder, "g_leakage", more, options)
    return found.analyses["g_leakage"]["one"]


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
    assert study(folder, "tries: 2").function is None


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
    """All values without a column are one of those that are told apart."""

    def of(n_named):
        header = ",".join(["guess", *(f"v{i}" for i in range(n_named))])
        row = ",".join(["ill", *(str(i + 1) for i in range(n_named))])
        return read_gains(gains(folder, f"{header}\n{row}\n"), "one")

    assert len(of(MOST_CLASSES - 1).values) == MOST_CLASSES - 1
    with pytest.raises(StudyError, match="tells 1,025 values apart, more than the 1,0"):
        of(MOST_CLASSES)


def test_no_more_guesses_are_compared_than_is_said(folder):
    rows = "".join(f"g{i},{i}\n" for i in range(1_001))
    with pytest.raises(StudyError, match=r"1,001 guesses, more than the 1,000"):
        read_gains(gains(folder, f"guess,a\n{rows}"), "one")


def test_an_analysis_that_cannot_be_is_refused(folder, more, sensitive, said):
    gains(folder)
    with pytest.raises(StudyError, match=said):
        study(folder, more, sensitive)


@pytest.mark.parametrize("domain", ["", ', domains: {ill: "[A-Z]+"}'])
def test_a_value_of_a_domain_may_be_absent(folder, domain):
    path = gains(folder, "guess,HIV\nclaim,1\n")
    more = f"focal: 1, qids: [age], sensitive: ill, gains: {path}"
    study = given.study(folder, "g_leakage", more, f"{{person_id: id{domain}}}")
    assert study.analyses["g_leakage"]["one"].has_domain == bool(domain)


def test_a_value_that_no_record_can_have_is_refused_by_its_place(folder):
    gains(folder, "guess,none,cold\nill,0,1\n")
    with pytest.raises(StudyError) as error:
        study(folder)
    assert "line 1, cell 3 of gains.csv is not" in str(error.value)
    assert "cold" not in str(error.value)
