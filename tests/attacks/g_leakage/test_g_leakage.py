"""What guesses gain, from a table to its measures, part of the page and figure."""

import re

import pandas as pd
import pytest

import microleak
from microleak.base.errors import StudyError, TableError
from microleak.report.parts import Grid
from tests.report.made import part_with_figure
from tests.study_file.given import loaded

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


@pytest.mark.parametrize("domain", ["", ', domains: {ill: "[A-Z]+"}'])
def test_a_value_of_a_domain_may_be_absent(tmp_path, domain):
    (tmp_path / "gains.csv").write_text("guess,HIV\nclaim,1\n", encoding="utf-8")
    text = f"""\
study: demo
seed: 1
tables:
  people:
    source: delimited
    options: {{person_id: id{domain}}}
    releases: {{1: {{archive: people.csv}}}}
analyses:
  g_leakage:
    - {{name: one, table: people, focal: 1, qids: [age], sensitive: ill, gains: GAINS}}
"""
    study = loaded(tmp_path, text.replace("GAINS", str(tmp_path / "gains.csv")))
    assert study.analyses["g_leakage"]["one"].has_domain == bool(domain)


def part_of(rows, language):
    """The part of the page of some rows, and its figure."""
    which = {"analysis": "worth", "table": "people", "focal": "1"}
    tables = {"g_leakage": {"worth": rows.assign(**which)}}
    return part_with_figure("g_leakage", tables, ("people", "1"), language)


def test_the_part_says_what_is_gained_with_and_without_facts(tries):
    told, svg = part_of(tries, "en")
    assert told.heading == (
        "With two facts (age and sex), “ill” is among the 2 values that the best guess "
        "names for 100% of the records; without any facts, for 75.00%"
    )
    (grid,) = (each for each in told.body if isinstance(each, Grid))
    assert len(grid.headings) == 7
    assert [row[2] for row in grid.rows] == ["87.50%", "100%"]
    assert re.search("Worst combination of 2 attributes: 100% after", svg)


def test_the_part_tells_no_ratio_where_a_guess_may_cost(claims):
    told, _ = part_of(claims, "pt")
    assert told.heading.startswith("O melhor palpite sobre “ill” com")
    (grid,) = (each for each in told.body if isinstance(each, Grid))
    assert len(grid.headings) == 4
    assert "comparam só pela diferença" in told.body[0].texts[0]
