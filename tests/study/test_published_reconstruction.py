"""What of rebuilt databases may be published."""

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from microleak.study.published_reconstruction import (
    publish_bad_points,
    publish_reconstruction,
)
from tests.figures.reconstruction_rows import (
    GRID,
    PERSONS,
    attempt,
    counted,
    points,
    results,
)

ENTRIES = ["n_ones", "n_claimed", "n_right"]


def of_persons(n_right, n_entries=100, **columns):
    """One database of persons, as it is published."""
    sizes = {"n_entries": n_entries, "n_claimed": n_entries} | columns
    row = attempt(8, 1, n_right, database=PERSONS, **sizes)
    return publish_reconstruction(results(row)).iloc[0]


def test_random_databases_are_shown_as_they_are():
    table = results(*GRID)
    expected = table.assign(suppressed="")
    pd.testing.assert_frame_equal(publish_reconstruction(table), expected)


def test_points_are_shown_as_they_are():
    table = points(counted(5, 990, 40, 7))
    expected = table.assign(suppressed="")
    pd.testing.assert_frame_equal(publish_bad_points(table), expected)


@settings(max_examples=20, deadline=None)
@given(st.integers(10, 300), st.data())
def test_of_persons_a_count_is_rounded_and_a_few_of_either_kind_are_suppressed(n, data):
    counts = {name: data.draw(st.integers(0, n)) for name in ENTRIES}
    shown = of_persons(**counts, n_entries=n)
    for name, count in counts.items():
        if min(count, n - count) in range(1, 10):
            assert pd.isna(shown[name])
            assert name in shown["suppressed"].split("|")
        else:
            assert abs(shown[name] - count) <= 5
            assert shown[name] == 0 or (n - shown[name]) % 10 == 0


@settings(max_examples=20, deadline=None)
@given(st.integers(10, 300), st.data())
def test_one_person_more_or_less_is_seen_only_where_a_rounded_count_changes(n, data):
    right = data.draw(st.integers(0, n - 1))
    fewer, more = of_persons(right, n), of_persons(right + 1, n)
    if fewer[ENTRIES].equals(more[ENTRIES]) and fewer["is_exact"] == more["is_exact"]:
        pd.testing.assert_series_equal(fewer, more)


def test_shares_are_of_published_counts_and_have_as_many_digits():
    assert of_persons(784, 1_000, n_ones=444)[["share_right", "prior"]].tolist() == [
        0.78,
        0.56,
    ]
    hidden = of_persons(64, 64)
    assert pd.isna(hidden["share_right"])
    assert hidden["n_right"] == 64


def test_numbers_that_depend_on_every_bit_are_shown_only_where_claims_say_them():
    several = {"is_consistent": False, "n_violated": 7, "n_candidates": 3}
    hidden = of_persons(50, diameter=2, **several)
    assert hidden[["n_violated", "n_candidates", "diameter"]].isna().all()
    assert hidden["suppressed"] == "n_violated|n_candidates|diameter"
    one = {"is_consistent": True, "n_violated": 0, "n_candidates": 1}
    proven = of_persons(100, diameter=0, is_proven=True, **one)
    assert proven[["n_violated", "n_candidates", "diameter"]].tolist() == [0, 1, 0]
    assert proven["suppressed"] == ""


@pytest.mark.parametrize("name", ["n_candidates", "diameter"])
def test_what_an_attack_does_not_count_is_not_called_suppressed(name):
    assert name not in of_persons(50)["suppressed"]


def test_the_table_that_is_published_is_not_changed():
    table = results(attempt(8, 1, 3, database=PERSONS))
    before = table.copy()
    publish_reconstruction(table)
    pd.testing.assert_frame_equal(table, before)
