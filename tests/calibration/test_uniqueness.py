"""What models of uniqueness say of samples from the twins, whose uniques are known.

docs/validation.md has the errors at a larger size.
"""

import numpy as np
import pytest

import microleak
from tests.calibration import estimators
from tests.calibration.estimators import (
    OUTPATIENT,
    SEED,
    blocks_of,
    draws,
    outpatient,
)
from tests.calibration.surveyed import QIDS, WITHOUT_RACE, surveyed
from tests.calibration.uniqueness import (
    HIGHER,
    LINES,
    PENSE,
    SCHOOL,
    SETS,
    compared,
    least_error,
    twin,
)


@pytest.fixture(scope="module")
def populations():
    students = surveyed(120, SEED).population
    return {
        "students": blocks_of(students, WITHOUT_RACE),
        "with race": blocks_of(students, QIDS),
        "lines": blocks_of(outpatient(60_000, SEED), OUTPATIENT),
    }


def over_truth(blocks, share):
    mean = draws(blocks, share, SEED).mean()
    return mean / mean["n_both"]


def test_records_alone_in_both_are_counted_and_estimated():
    """Of blocks of 1, 2 and 3 a sample of half has one record of each."""
    blocks = np.array([0, 1, 1, 2, 2, 2])
    found = estimators.compared(blocks, np.array([1, 1, 0, 1, 0, 0], dtype=bool))
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


pytestmark = pytest.mark.long

SMALL = {SCHOOL: 400, HIGHER: 200, PENSE: 20_000, LINES: 60_000}
STUDENTS = [(n, q) for n in (SCHOOL, HIGHER, PENSE) for q in range(len(SETS[n]))]


@pytest.fixture(scope="module")
def twins():
    return {name: twin(name, size) for name, size in SMALL.items()}


@pytest.mark.parametrize(("name", "number"), STUDENTS)
@pytest.mark.parametrize(("share", "most"), [(0.1, 0.2), (0.01, 0.5)])
def test_uniques_of_students_are_within_the_bounds(twins, name, number, share, most):
    mean = compared(twins[name], SETS[name][number], share).mean()
    if mean["n_both"] >= 20:
        assert mean["dispersed"] == pytest.approx(mean["n_both"], rel=most)


def test_of_lines_of_procedure_there_are_several_times_as_many_as_are_true(twins):
    """A patient has several lines, so that blocks of one are rarer than any model."""
    mean = compared(twins[LINES], SETS[LINES][1], 0.1).mean()
    assert mean["log_linear"] > 10 * mean["n_both"]
    assert mean["n_both"] < mean["dispersed"] < 10 * mean["n_both"]


def test_no_estimate_from_sizes_can_tell_lines_of_procedure_that_are_alone(twins):
    """Chance alone moves the sizes in a sample by more than there are such lines."""
    blocks = blocks_of(twins[LINES], SETS[LINES][1])
    n_both = 0.1 * (np.bincount(blocks) == 1).sum()
    assert least_error(blocks, 0.1) > n_both
    students = blocks_of(twins[SCHOOL], SETS[SCHOOL][0])
    assert least_error(students, 0.1) < 0.1 * (np.bincount(students) == 1).sum() / 5


def test_the_least_error_is_that_of_the_only_estimate_where_all_blocks_are_alone():
    """Of 400 blocks of one record, a sample counts those that it has."""
    assert least_error(np.arange(400), 0.1) == pytest.approx(np.sqrt(400 * 0.1 * 0.9))


def test_the_study_says_what_the_models_say(twins):
    whole = twins[PENSE]
    sample = whole.sample(frac=0.1, random_state=SEED)
    qids = SETS[PENSE][0]
    rows = microleak.anonymity(sample, qids, n_population=len(whole), subsets="full")
    found = rows.uniqueness.set_index("model")["n_unique_both"]
    size = whole.groupby(qids, dropna=False)[qids[0]].transform("size")
    truth = (size[sample.index] == 1).sum()
    assert found["dispersed"] == pytest.approx(truth, rel=0.25)
