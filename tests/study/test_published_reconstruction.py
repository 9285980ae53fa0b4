"""What of rebuilt databases may be published."""

import pandas as pd

from microleak.columns import RECONSTRUCTION
from microleak.study.published_reconstruction import (
    HIDDEN,
    publish_bad_points,
    publish_reconstruction,
)
from microleak.study.reconstruction import reconstruction_tables
from microleak.study.reconstruction_model import Drawn, Reconstruction, Settings
from tests.compared import person_file
from tests.figures.reconstruction_rows import (
    GRID,
    PERSONS,
    attempt,
    counted,
    points,
    results,
)

ATTACKS = ("exponential", "linear", "least_squares", "l1", "determined", "hadamard")


def test_random_databases_are_shown_as_they_are():
    table = results(*GRID)
    expected = table.assign(suppressed="")
    pd.testing.assert_frame_equal(publish_reconstruction(table), expected)


def test_points_are_shown_as_they_are():
    table = points(counted(5, 990, 40, 7))
    expected = table.assign(suppressed="")
    pd.testing.assert_frame_equal(publish_bad_points(table), expected)


def of_persons(folder, n_ones, n_records=30):
    """Databases of persons of whom so many are ill, as published, and as they are."""
    records = [("yes" if number < n_ones else "no",) for number in range(n_records)]
    analysis = Reconstruction(
        "demo",
        Settings((9,), ("n",), ("0", "sqrt(n)"), repeats=2),
        Drawn("people", "2018", "ill", "yes"),
        ("exponential", "least_squares"),
    )
    people = person_file(folder / f"{n_ones}-{n_records}.parquet", ("ill",), records)
    exact = reconstruction_tables(analysis, people, 7, 2000).reconstruction
    return publish_reconstruction(exact), exact


def test_what_is_published_is_the_same_whoever_has_the_value(tmp_path):
    public, exact = of_persons(tmp_path, 20)
    assert not exact["n_ones"].eq(0).all()
    for n_ones, n_records in ((1, 30), (9, 30), (30, 30), (20, 31)):
        other, others = of_persons(tmp_path, n_ones, n_records)
        assert not others.equals(exact)
        pd.testing.assert_frame_equal(public, other)


def test_of_persons_only_what_was_asked_is_shown():
    rows = [row | {"database": PERSONS} for row in GRID]
    table = results(*rows)
    public = publish_reconstruction(table)
    asked = [name for name in RECONSTRUCTION if name not in HIDDEN]
    assert asked == [
        *("analysis", "attack", "database", "n_entries", "queries", "n_queries"),
        *("error", "error_bound", "noise", "epsilon", "repeat", "outliers"),
        *("assumed_bound", "limit_s"),
    ]
    pd.testing.assert_frame_equal(public[asked], table[asked])
    assert public[[*HIDDEN]].isna().all(axis=None)
    assert set(public["suppressed"]) == {"|".join(HIDDEN)}


def test_what_is_suppressed_does_not_depend_on_what_an_attack_counts():
    rows = [attempt(8, 1, 3, database=PERSONS, attack=name) for name in ATTACKS]
    rows[0] |= {"n_candidates": 3, "diameter": 2}
    assert publish_reconstruction(results(*rows))["suppressed"].nunique() == 1


def test_the_table_that_is_published_is_not_changed():
    table = results(attempt(8, 1, 3, database=PERSONS))
    before = table.copy()
    publish_reconstruction(table)
    pd.testing.assert_frame_equal(table, before)
