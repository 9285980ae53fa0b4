"""Gonze's equations 1 to 4 on worked tables, exactly."""

from fractions import Fraction

from microleak.records.subsets import subsets_of
from tests import naive
from tests.spec.leading_example import COLUMNS, GENDER, ILLNESS, OCCUPATION, profiles
from tests.spec.test_nunes_chapters_3_and_4 import cas

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


def test_seven_qids_have_127_non_empty_subsets():
    assert len(subsets_of(7, "all", "SIA-PA")) == 127


def test_columns_of_the_leading_example_have_ten_records():
    assert {len(column) for column in COLUMNS.values()} == {10}
