"""What estimates of uniqueness say of samples from the twins, whose truth is known.

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
    MODELS,
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
    return mean["poisson_gamma"] / mean["n_both"]


def test_records_alone_in_both_are_counted_and_estimated():
    """Of four blocks of 1 to 4 a sample of half has one record of three, two of one."""
    blocks = np.array([0, 1, 1, 2, 2, 2, 3, 3, 3, 3])
    is_sampled = np.array([1, 1, 0, 1, 0, 0, 1, 1, 0, 0], dtype=bool)
    found = estimators.compared(blocks, is_sampled)
    assert (found.n_alone, found.n_unique_both) == (3, 1)
    # More pairs than rates that differ would give: exp(-log(5/3)) of the three.
    assert found.estimated == pytest.approx(3 * 3 / 5)
    one_each = is_sampled & (blocks < 3)
    assert np.isnan(estimators.compared(blocks, one_each).estimated)


@pytest.mark.parametrize("name", ["students", "with race"])
@pytest.mark.parametrize(("share", "most"), [(0.5, 0.05), (0.1, 0.35)])
def test_of_students_sizes_of_blocks_tell_the_uniques(populations, name, share, most):
    assert over_truth(populations[name], share) == pytest.approx(1, abs=most)


def test_of_a_hundredth_of_them_the_estimate_is_within_a_half(populations):
    assert 0.5 < over_truth(populations["with race"], 0.01) < 1.5


def test_of_lines_in_large_blocks_uniques_are_said_to_be_too_many(populations):
    assert 1 < over_truth(populations["lines"], 0.1) < 3


pytestmark = pytest.mark.long

SMALL = {SCHOOL: 400, HIGHER: 200, PENSE: 20_000, LINES: 60_000}
STUDENTS = [(n, q) for n in (SCHOOL, HIGHER, PENSE) for q in range(len(SETS[n]))]


@pytest.fixture(scope="module")
def twins():
    return {name: twin(name, size) for name, size in SMALL.items()}


@pytest.mark.parametrize(("name", "number"), STUDENTS)
@pytest.mark.parametrize(("share", "least", "most"), [(0.1, 0.8, 1.8), (0.01, 0.5, 2)])
def test_uniques_of_students_are_within_bounds(twins, name, number, share, least, most):
    mean = compared(twins[name], SETS[name][number], share).mean()
    if mean["n_both"] >= 20:
        found = mean[MODELS].dropna() / mean["n_both"]
        assert found.between(least, most).all()


def test_of_lines_of_procedure_there_are_several_times_as_many_as_are_true(twins):
    """A patient has several lines, so that blocks of one are rarer than models have."""
    mean = compared(twins[LINES], SETS[LINES][1], 0.1).mean()
    assert mean["log_linear"] > 10 * mean["n_both"]
    assert mean["n_both"] < mean["poisson_gamma"] < 10 * mean["n_both"]


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


def test_a_study_says_what_the_log_linear_model_says(twins):
    whole = twins[PENSE]
    sample = whole.sample(frac=0.1, random_state=SEED)
    qids = SETS[PENSE][0]
    made = microleak.anonymity(sample, qids, n_population=len(whole), subsets="full")
    (found,) = made.uniqueness["n_unique_both"]
    size = whole.groupby(qids, dropna=False)[qids[0]].transform("size")
    truth = (size[sample.index] == 1).sum()
    assert found == pytest.approx(truth, rel=0.25)
