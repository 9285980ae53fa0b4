"""What models of uniqueness say of samples from twins, whose uniques are known.

docs/validation.md has the errors at a larger size.
"""

import numpy as np
import pytest

from tests.calibration.estimators import (
    OUTPATIENT,
    SEED,
    blocks_of,
    compared,
    draws,
    outpatient,
)
from tests.calibration.surveyed import QIDS, WITHOUT_RACE, surveyed

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def populations():
    """Blocks of 30,000 students with and without race, and of 60,000 lines."""
    students = surveyed(120, SEED).population
    return {
        "students": blocks_of(students, WITHOUT_RACE),
        "with race": blocks_of(students, QIDS),
        "lines": blocks_of(outpatient(60_000, SEED), OUTPATIENT),
    }


def over_truth(blocks, share):
    """Mean estimates of some samples over the mean number that is true."""
    mean = draws(blocks, share, SEED).mean()
    return mean / mean["n_both"]


def test_records_alone_in_both_are_counted_and_estimated():
    """Of blocks of 1, 2 and 3 a sample of half has one record of each."""
    blocks = np.array([0, 1, 1, 2, 2, 2])
    found = compared(blocks, np.array([1, 1, 0, 1, 0, 0], dtype=bool))
    assert (found.n_alone, found.n_unique_both) == (3, 1)
    negative_binomial, poisson, zayatz, poisson_gamma = found.estimated
    assert negative_binomial == pytest.approx(1.5)
    assert poisson == pytest.approx(3 * np.exp(-1))
    assert zayatz == 3
    assert np.isnan(poisson_gamma)


@pytest.mark.parametrize("name", ["students", "with race"])
def test_of_students_all_models_are_near_with_half_of_them_sampled(populations, name):
    found = over_truth(populations[name], 0.5)
    assert found["zayatz"] == pytest.approx(1, abs=0.2)
    assert found["poisson_gamma"] == pytest.approx(1, abs=0.05)
    assert 0.5 < found["poisson"] < found["negative_binomial"] < 1.1


@pytest.mark.parametrize("name", ["students", "with race"])
def test_of_a_tenth_of_them_the_poisson_gamma_model_alone_is_near(populations, name):
    found = over_truth(populations[name], 0.1)
    assert found["poisson"] < 0.001
    assert found["negative_binomial"] < 0.8
    assert found["poisson_gamma"] == pytest.approx(1, abs=0.35)
    assert 1.5 < found["zayatz"] < 5


def test_of_a_hundredth_of_them_three_models_are_not_within_a_half(populations):
    found = over_truth(populations["with race"], 0.01)
    assert found["poisson"] < 0.001
    assert found["negative_binomial"] < 0.1
    assert 0.5 < found["poisson_gamma"] < 1.5
    assert found["zayatz"] > 3


def test_of_lines_in_large_blocks_uniques_are_said_to_be_too_many(populations):
    found = over_truth(populations["lines"], 0.1)
    assert found["negative_binomial"] > 10
    assert found["zayatz"] > 10
    assert found["poisson_gamma"] < 3
