"""Gonze's equations 1 to 4 on worked tables, exactly, and the tables of section 4."""

import csv
import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from microleak.attacks.collective.definitions.entropy import correlation, r_squared
from tests import naive
from tests.calibration import published
from tests.spec.leading_example import GENDER, ILLNESS, OCCUPATION, profiles
from tests.spec.test_nunes_chapters_3_to_5 import cas

AGES = [20, 30, 30, 30, 30, 55, 55, 55]
EDUCATION = ["Master", "High School", "High School", *["PhD"] * 2, *["Bachelor"] * 3]
INCOME = ["low", "medium", "low", "medium", "medium", "high", "high", "medium"]
PEOPLE = {"age": AGES, "education": EDUCATION, "illness": INCOME}


def test_equations_1_3_and_4_on_nunes_leading_example():
    v = cas(["gender", "occupation"])
    assert v.prior_prob == Fraction(1, 2)
    assert v.posterior_prob == Fraction(4, 5)
    assert v.additive_leakage == Fraction(3, 10)


def test_equation_2_a_tie_of_two_values_has_success_one_half():
    found = naive.success(list(zip(GENDER, OCCUPATION, strict=True)), ILLNESS)
    assert (found[4 - 1], found[3 - 1]) == (Fraction(1, 2), 1)


def test_posteriors_of_the_example_of_privattacks(qids, reidentified, inferred):
    whole, profile = profiles(PEOPLE, qids, "illness")
    assert Fraction(profile.total_blocks, 8) == Fraction(reidentified)
    assert Fraction(profile.total_modal, 8) == Fraction(inferred)
    assert Fraction(whole.total_modal, 8) == Fraction(1, 2)


GOLDEN = Path(__file__).parents[3] / "shared" / "golden"
TABLE_2, PUBLISHED = GOLDEN / "gonze_table2.csv", GOLDEN / "published.json"
ROUNDING = Fraction(3, 200)
"""Of three printed percentages, each half a hundredth."""

needs_table_2 = pytest.mark.skipif(
    not TABLE_2.exists(), reason="needs ../shared/golden/gonze_table2.csv"
)
needs_tables = pytest.mark.skipif(
    not (TABLE_2.exists() and PUBLISHED.exists()),
    reason="needs gonze_table2.csv and published.json of ../shared/golden",
)


def table_2():
    """Printed rows by state, in percent: the prior, then leakage by number of QIDs."""
    names = ["prior", *(f"q{n}" for n in range(1, 8))]
    with TABLE_2.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    return {row["uf"]: [Fraction(row[name]) for name in names] for row in rows}


def table_3():
    """Printed rows by state, in percent: all seven QIDs, then without each of them."""
    rows = json.loads(PUBLISHED.read_text("utf-8"))["003/Table 3"]["rows"]
    return {state: list(map(Fraction, row)) for state, row in rows.items()}


@needs_table_2
@pytest.mark.parametrize("n_qids", range(1, 8))
def test_a_high_prior_does_not_go_with_a_high_leakage(n_qids):
    rows = table_2().values()
    prior, leakage = [row[0] for row in rows], [row[n_qids] for row in rows]
    assert len(leakage) == 27
    assert -0.37 < correlation(prior, leakage) < -0.26
    assert r_squared([prior], leakage) < Fraction(2, 15)


@needs_table_2
def test_one_more_qid_leaks_more_in_every_state_of_table_2():
    rows = table_2()
    assert len(rows) == 27
    for state, (_, *leakage) in rows.items():
        assert all(fewer < more for fewer, more in pairwise(leakage)), state


@needs_table_2
@pytest.mark.parametrize(
    ("n_qids", "lowest"),
    [*((n, ["DF", "SE"]) for n in range(1, 7)), (7, ["SE", "DF"])],
)
def test_the_federal_district_leaks_least_until_all_seven_qids_are_known(
    n_qids, lowest
):
    # The paper says second lowest for any number of QIDs.
    rows = table_2()
    assert sorted(rows, key=lambda state: rows[state][n_qids])[:2] == lowest


@needs_tables
def test_table_3_holds_posteriors_though_it_is_headed_leakage():
    leakages, posteriors = table_2(), table_3()
    assert leakages.keys() == posteriors.keys()
    assert len(posteriors) == 27
    for state, (known, *without) in posteriors.items():
        prior, *leakage = leakages[state]
        assert abs(known - (prior + leakage[6])) <= ROUNDING, state
        assert abs(max(without) - (prior + leakage[5])) <= ROUNDING, state


@needs_tables
def test_the_twin_is_compared_with_what_the_tables_print():
    columns = json.loads(PUBLISHED.read_text("utf-8"))["003/Table 3"]["columns"][1:]
    qids = [name.removeprefix("without_").removesuffix("_pct") for name in columns]
    for table, rows, kinds in [
        ("2", table_2(), ["none", *map(str, range(1, 8))]),
        ("3", {s: without for s, (_, *without) in table_3().items()}, qids),
    ]:
        ours = published.of_states(table)
        assert set(ours.index) == set(rows)
        assert set(ours.columns) == set(kinds)
        for state, row in rows.items():
            assert ours.loc[state, kinds].tolist() == [float(value) for value in row]
