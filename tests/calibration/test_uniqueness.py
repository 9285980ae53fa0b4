"""What estimates of uniqueness say of samples from the twins, whose truth is known.

docs/validation.md has the errors at a larger size.
"""

import numpy as np
import pytest

from tests.calibration.uniqueness import (
    HIGHER,
    LINES,
    MODELS,
    PENSE,
    SCHOOL,
    SETS,
    blocks_of,
    compared,
    least_error,
    twin,
)

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
