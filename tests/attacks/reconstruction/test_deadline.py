"""What bounds an analysis: formulas of n, memory, and time for claims."""

import itertools

import numpy as np
import pytest

from microleak.attacks.reconstruction.definitions import limits
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    exponential_reconstruction,
)
from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    HadamardQueries,
    hadamard_reconstruction,
    least_squares_reconstruction,
)
from microleak.attacks.reconstruction.definitions.limits import Formula
from microleak.attacks.reconstruction.definitions.linear_reconstruction import (
    determined_entries,
    l1_reconstruction,
    linear_reconstruction,
)
from microleak.attacks.reconstruction.definitions.noise import noise_law, public_answers
from microleak.attacks.reconstruction.definitions.subset_queries import random_database
from microleak.base.errors import StudyError
from tests.reconstructing import setting

BEFORE, LATE = 0.0, 1e9


@pytest.fixture
def late_from(monkeypatch):
    """Make the clock jump beyond any limit when it is looked at so often."""

    def jumping(n_looks):
        looks = itertools.count()
        monkeypatch.setattr(
            limits, "monotonic", lambda: BEFORE if next(looks) < n_looks else LATE
        )
        return looks

    return jumping


def answers(attack):
    if attack is not hadamard_reconstruction:
        return setting(12, 300, "uniform", 1.0, seed=3)
    database, queries = random_database(12, 3), HadamardQueries(12, 30, 3)
    law = noise_law("uniform", 1.0)
    return database, public_answers(queries, database, law, 3)


@pytest.mark.parametrize(
    "attack",
    [
        exponential_reconstruction,
        least_squares_reconstruction,
        l1_reconstruction,
        hadamard_reconstruction,
    ],
)
def test_an_attack_ends_at_the_first_look_at_the_clock_that_is_late(late_from, attack):
    database, public = answers(attack)
    in_time = late_from(10**9)
    assert np.array_equal(attack(public, 60.0).candidate, database)
    n_looks = next(in_time)
    assert n_looks > 2
    for n_before in (1, 2, n_looks // 2, n_looks - 1):
        looks = late_from(n_before)
        with pytest.raises(limits.OutOfTimeError, match=r"in 60 s.* limit_s in"):
            attack(public, 60.0)
        assert next(looks) == n_before + 1


def test_linear_programs_that_are_late_at_any_look_say_so_and_claim_nothing(late_from):
    database, public = answers(linear_reconstruction)
    in_time = late_from(10**9)
    assert np.array_equal(linear_reconstruction(public, 60.0).candidate, database)
    for n_before in range(1, next(in_time)):
        late_from(n_before)
        found = linear_reconstruction(public, 60.0)
        assert found.status == "not solved"
        assert found.candidates is found.certificate is None


def test_proving_entries_late_keeps_what_was_proven_in_time(late_from):
    database, public = answers(determined_entries)
    in_time = late_from(10**9)
    assert determined_entries(public, 60.0).is_proven
    proven = []
    for n_before in range(1, next(in_time)):
        late_from(n_before)
        found = determined_entries(public, 60.0)
        assert found.status == "not solved"
        is_right = found.candidate == database
        assert is_right[found.is_determined].all()
        proven.append(found.n_determined)
    assert proven == sorted(proven)
    assert {0, 11} <= {*proven}


def test_the_first_guess_of_linear_programs_counts_towards_their_limit(late_from):
    """The clock is looked at when it is set, and is late in the first pass."""
    _, public = setting(40, 1200, "uniform", 3.0, seed=1)
    looks = late_from(1)
    assert linear_reconstruction(public, 60.0).status == "not solved"
    assert next(looks) == 2


def test_queries_until_a_deadline_are_those_asked():
    _, public = setting(70, 500, "uniform", 3.0, seed=1)
    given = limits.timed(public, limits.Deadline.after(60.0)).queries
    assert np.array_equal(given.words(), public.queries.words())
    assert (given.n, given.n_queries) == (70, 500)


def test_a_deadline_that_is_over_leaves_no_seconds():
    assert limits.Deadline.after(-5.0).left_s == 0.0
    assert 50.0 < limits.Deadline.after(60.0).left_s <= 60.0


def test_memory_is_that_which_an_attack_holds_at_once(attack, n, n_queries, expected):
    at_rest = limits.LIBRARIES + limits.BLOCKS
    assert limits.n_bytes(attack, n, n_queries) - at_rest == expected


def test_a_formula_has_its_value(text, n, value):
    assert Formula(text, "noise").value(n) == pytest.approx(value)


def test_what_is_no_formula_is_refused_by_its_setting(text, said):
    with pytest.raises(StudyError, match=said) as refused:
        Formula(text, "noise").value(10)
    assert "in noise of the study file" in str(refused.value)


def test_a_formula_has_200_characters_at_most():
    assert Formula("+" * 199 + "n", "noise").value(10) == 10
    with pytest.raises(StudyError, match="longer than 200"):
        Formula("+" * 200 + "n", "noise").value(10)


@pytest.mark.parametrize("text", ["0", "log2(n)", "2**41"])
def test_no_query_and_far_too_many_are_refused(text):
    with pytest.raises(StudyError, match=r"queries for n = 1; at least 1 and at most"):
        limits.n_queries(Formula(text, "queries"), 1)


def test_queries_are_rounded_up():
    assert limits.n_queries(Formula("n/4", "queries"), 9) == 3
