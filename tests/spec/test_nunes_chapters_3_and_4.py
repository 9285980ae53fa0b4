"""The worked numbers of Nunes' chapters 3 and 4 and appendix D.1, exactly."""

from fractions import Fraction

import pytest

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import marginal_distribution, partition
from tests.spec.leading_example import AGE, COLUMNS, GENDER, ILLNESS, codes, profiles

ORDER_OF_VALUES = [("F", "no"), ("F", "yes"), ("M", "no"), ("M", "yes")]


def crs(qids, columns=COLUMNS):
    return reidentification(profiles(columns, qids, "illness")[1])


def cas(qids, columns=COLUMNS):
    return attribute_inference(*profiles(columns, qids, "illness"))


def test_example_12_gender_and_illness_split_the_table_into_four_blocks():
    block = partition([codes(GENDER), codes(ILLNESS)])
    members = {
        values: [i + 1 for i in range(10) if block[i] == b]
        for b, values in enumerate(ORDER_OF_VALUES)
    }
    assert members == {
        ("M", "yes"): [4],
        ("M", "no"): [5, 9, 10],
        ("F", "yes"): [2, 3, 6, 7],
        ("F", "no"): [1, 8],
    }


def test_example_15_marginal_distribution_of_gender_and_illness():
    found = marginal_distribution([codes(GENDER), codes(ILLNESS)])
    assert dict(zip(ORDER_OF_VALUES, found, strict=True)) == {
        ("F", "yes"): Fraction(4, 10),
        ("F", "no"): Fraction(2, 10),
        ("M", "yes"): Fraction(1, 10),
        ("M", "no"): Fraction(3, 10),
    }


@pytest.mark.parametrize(
    ("example", "qids", "det", "prob", "ratio"),
    [
        ("48", ["age"], (0, "1/10", "1/10"), ("1/10", "3/10"), 3),
        (
            "52, footnotes 1 and 2",
            ["gender", "occupation"],
            (0, "1/10", "1/10"),
            ("1/10", "5/10"),
            5,
        ),
    ],
)
def test_reidentification_gives_the_numbers_of_example(example, qids, det, prob, ratio):
    v = crs(qids)
    found = (v.prior_det, v.posterior_det, v.degradation_det)
    assert found == tuple(map(Fraction, det)), example
    assert (v.prior_prob, v.posterior_prob) == tuple(map(Fraction, prob)), example
    assert v.degradation_prob == ratio, example


@pytest.mark.parametrize(
    ("example", "qids", "det", "prob", "ratio"),
    [
        ("50", ["age"], (0, "1/10", "1/10"), ("1/2", "3/5"), "6/5"),
        (
            "54, footnotes 3 and 4",
            ["gender", "occupation"],
            (0, "3/5", "3/5"),
            ("1/2", "4/5"),
            "8/5",
        ),
    ],
)
def test_attribute_inference_gives_the_numbers_of_example(
    example, qids, det, prob, ratio
):
    v = cas(qids)
    found = (v.prior_det, v.posterior_det, v.degradation_det)
    assert found == tuple(map(Fraction, det)), example
    assert (v.prior_prob, v.posterior_prob) == tuple(map(Fraction, prob)), example
    assert v.degradation_prob == Fraction(ratio), example


def test_equation_4_1_a_single_record_is_known_before_any_attack():
    only = {name: column[:1] for name, column in COLUMNS.items()}
    v = crs(["age"], only)
    assert (v.prior_det, v.posterior_det, v.degradation_det) == (1, 1, 0)
    assert (v.prior_prob, v.posterior_prob, v.degradation_prob) == (1, 1, 1)


def test_equation_4_7_a_constant_sensitive_attribute_is_known_before_any_attack():
    ill = [i for i in range(10) if ILLNESS[i] == "yes"]
    v = cas(
        ["age"], {name: [column[i] for i in ill] for name, column in COLUMNS.items()}
    )
    assert (v.prior_det, v.posterior_det, v.degradation_det) == (1, 1, 0)
    assert (v.prior_prob, v.posterior_prob, v.degradation_prob) == (1, 1, 1)


def test_equations_4_5_and_4_12_without_qids_the_posterior_is_the_prior():
    nothing = profiles(COLUMNS, ["age"], "illness")[0]
    assert reidentification(nothing).posterior_prob == Fraction(1, 10)
    assert reidentification(nothing).degradation_prob == 1
    assert attribute_inference(nothing, nothing).posterior_prob == Fraction(1, 2)
    assert attribute_inference(nothing, nothing).degradation_prob == 1


def test_ages_of_the_leading_example_are_five_four_and_one():
    assert sorted(AGE.count(age) for age in set(AGE)) == [1, 4, 5]
