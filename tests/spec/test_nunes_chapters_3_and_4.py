"""The worked numbers of Nunes' chapters 3 and 4 and appendix D.1, exactly."""

from fractions import Fraction

import pytest

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import marginal_distribution, partition
from tests.spec.leading_example import COLUMNS, GENDER, ILLNESS, codes, profiles

# In the order of the values: ("F", "no"), ("F", "yes"), ("M", "no"), ("M", "yes")


def crs(qids, columns=COLUMNS):
    return reidentification(profiles(columns, qids, "illness")[1])


def cas(qids, columns=COLUMNS):
    return attribute_inference(*profiles(columns, qids, "illness"))


def test_example_12_gender_and_illness_split_the_table_into_four_blocks():
    block = partition([codes(GENDER), codes(ILLNESS)])
    members = [[i + 1 for i in range(10) if block[i] == b] for b in range(4)]
    assert members == [[1, 8], [2, 3, 6, 7], [5, 9, 10], [4]]


def test_example_15_marginal_distribution_of_gender_and_illness():
    found = marginal_distribution([codes(GENDER), codes(ILLNESS)])
    assert [*found] == [Fraction(n, 10) for n in (2, 4, 3, 1)]


@pytest.mark.parametrize(
    ("attack", "qids", "det", "prob", "ratio"),
    [
        (crs, ["age"], "1/10", ("1/10", "3/10"), 3),
        (crs, ["gender", "occupation"], "1/10", ("1/10", "5/10"), 5),
        (cas, ["age"], "1/10", ("1/2", "3/5"), "6/5"),
        (cas, ["gender", "occupation"], "3/5", ("1/2", "4/5"), "8/5"),
    ],
    ids=["48", "52, footnotes 1 and 2", "50", "54, footnotes 3 and 4"],
)
def test_an_attack_has_the_numbers_of_example(attack, qids, det, prob, ratio):
    v = attack(qids)
    assert (v.prior_det, v.posterior_det) == (0, Fraction(det))
    assert v.degradation_det == Fraction(det)
    assert (v.prior_prob, v.posterior_prob) == tuple(map(Fraction, prob))
    assert v.degradation_prob == Fraction(ratio)


@pytest.mark.parametrize(
    ("attack", "records"),
    [(crs, [0]), (cas, [i for i in range(10) if ILLNESS[i] == "yes"])],
    ids=["4.1, a single record", "4.7, a constant sensitive attribute"],
)
def test_what_is_alone_is_known_before_any_attack_by_equation(attack, records):
    some = {name: [column[i] for i in records] for name, column in COLUMNS.items()}
    v = attack(["age"], some)
    assert (v.prior_det, v.posterior_det, v.degradation_det) == (1, 1, 0)
    assert (v.prior_prob, v.posterior_prob, v.degradation_prob) == (1, 1, 1)


def test_equations_4_5_and_4_12_without_qids_the_posterior_is_the_prior():
    nothing = profiles(COLUMNS, ["age"], "illness")[0]
    assert reidentification(nothing).posterior_prob == Fraction(1, 10)
    assert reidentification(nothing).degradation_prob == 1
    assert attribute_inference(nothing, nothing).posterior_prob == Fraction(1, 2)
    assert attribute_inference(nothing, nothing).degradation_prob == 1
