"""Definitions of appendix C at their edges; the worked numbers are in tests/spec."""

from fractions import Fraction

import numpy as np
import pytest

from microleak.definitions.target import (
    Narrowing,
    ValueSpread,
    attribute_inference,
    narrowing,
    reidentification,
)

NOBODY = ValueSpread(0, 0, 0)


def test_no_match_is_an_outcome_and_leaves_the_priors():
    of_value = attribute_inference(ValueSpread(10, 5, 1), NOBODY)
    for found in (reidentification(10, 0), of_value):
        assert found.outcome == "no match"
        assert (found.posterior_det, found.posterior_prob) == (None, None)
        assert (found.degradation_det, found.degradation_prob) == (None, None)
    assert reidentification(10, 0).prior_prob == Fraction(1, 10)
    assert (of_value.prior_det, of_value.prior_prob) == (True, Fraction(1, 2))


@pytest.mark.parametrize(
    "found",
    [
        reidentification(1, 1),
        attribute_inference(ValueSpread(5, 5, 1), ValueSpread(2, 2, 1)),
    ],
)
def test_a_single_record_or_constant_value_is_known_before_any_attack(found):
    """Equations C.1 and C.7."""
    assert (found.prior_det, found.posterior_det) == (True, True)
    assert found.degradation_det is False
    assert found.degradation_prob == 1


def test_what_is_known_may_mislead_and_of_values_that_all_differ_reidentifies():
    as_inference = attribute_inference(ValueSpread(7, 1, 7), ValueSpread(3, 1, 3))
    assert reidentification(7, 3) == as_inference
    found = attribute_inference(ValueSpread(5, 3, 2), ValueSpread(2, 1, 2))
    assert found.degradation_prob == Fraction(5, 6)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ([3], (3, 1, Fraction(1, 3), Fraction(0), Fraction(3))),
        ([1, 1, 1], (3, 3, Fraction(1), Fraction(1), Fraction(1))),
        ([4, 1, 1], (6, 3, Fraction(1, 2), Fraction(1, 3), Fraction(3))),
        ([], (0, 0, None, None, None)),
    ],
)
def test_narrowing_is_the_mean_over_the_records_of_the_block(counts, expected):
    assert narrowing(np.array(counts, dtype=np.int64)) == Narrowing(*expected)
    national = narrowing(np.array([48_000_000, 1]))
    assert national.expected_block_size == Fraction(48_000_000**2 + 1, 48_000_001)
