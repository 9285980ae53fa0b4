"""Rebuilt databases, from the settings of an analysis to tables."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.reconstruction.attempts import claim
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    PointGrid,
    Trials,
    bad_points,
)
from microleak.attacks.reconstruction.definitions.least_squares_reconstruction import (
    least_squares_reconstruction,
)
from microleak.attacks.reconstruction.definitions.noise import noise_law, public_answers
from microleak.attacks.reconstruction.definitions.subset_queries import (
    RandomSubsets,
    Stream,
    stream,
)
from microleak.attacks.reconstruction.measure import Persons, reconstruction_tables
from microleak.attacks.reconstruction.section import (
    DrawnDatabase,
    Noise,
    Points,
    Reconstruction,
    SettingsGrid,
)
from microleak.base.errors import StudyError, TableError
from microleak.study.tables import result_tables as specs
from microleak.tables.files import write_table
from tests.compared import person_file
from tests.examples import examples
from tests.reconstructing import consistent, setting

BAD_POINTS = tuple(specs()["bad_points"].names)
RECONSTRUCTION = tuple(specs()["reconstruction"].names)

SMALL = SettingsGrid((16,), ("n*log2(n)**2",), ("1",))
ENOUGH_MB = 4000
PERSONS = {"table": "people", "release": "2018", "attribute": "ill"}
ILL = DrawnDatabase(**PERSONS, equals="yes")
RECORDS = [("yes",), ("no",), (None,), ("no",), ("yes",), (None,)]


def asked_of(chosen, name="demo", **more):
    laws = [
        {noise.law: noise.epsilon} if noise.epsilon else noise.law
        for noise in chosen.noises
    ]
    return Reconstruction(name=name, **{**vars(chosen), "noises": laws}, **more)


def rebuilt(chosen, attacks, seed=7, people=None, **more):
    analysis = asked_of(chosen, attacks=tuple(attacks), **more)
    return reconstruction_tables(analysis, people, seed, ENOUGH_MB)["reconstruction"]


def counted(chosen, points, seed=7):
    analysis = asked_of(chosen, points=points)
    return reconstruction_tables(analysis, None, seed, ENOUGH_MB)["bad_points"]


def only(table):
    assert len(table) == 1
    row = table.iloc[0].to_dict()
    return {name: None if pd.isna(value) else value for name, value in row.items()}


def test_a_row_says_what_was_asked_and_what_came_of_it():
    row = only(rebuilt(SMALL, ["least_squares"]))
    assert (*row,) == RECONSTRUCTION
    assert row.pop("seed") is not None
    n_ones = row["n_ones"]
    assert row == {
        **{"analysis": "demo", "attack": "least_squares", "database": "random"},
        **{"density": 0.5, "n_entries": 16, "n_ones": n_ones},
        **dict.fromkeys(("table", "release", "attribute", "value")),
        **{"prior": max(n_ones, 16 - n_ones) / 16, "repeat": 1},
        **{"queries": "n*log2(n)**2", "n_queries": 256},
        **{"error": "1", "error_bound": 1.0, "noise": "uniform", "epsilon": ""},
        **{"outliers": 0.0, "assumed_bound": 1.0, "limit_s": 600, "status": "solved"},
        **{"n_claimed": 16, "n_right": 16, "share_right": 1.0},
        **{"is_exact": "true", "is_consistent": "true", "n_violated": 0},
        **{"is_proven": "false", "n_candidates": None, "diameter": None},
    }


def test_a_row_can_be_made_again_from_its_own_columns():
    chosen = SettingsGrid((40,), ("2*n",), ("sqrt(n)",), repeats=2)
    for _, row in rebuilt(
        chosen, ["least_squares"], database={"random": {"density": "0.3"}}
    ).iterrows():
        n, seed = row["n_entries"], row["seed"]
        database = (stream(seed, Stream.DATABASE).random(n) < 0.3).astype(np.uint8)
        queries = RandomSubsets(n, row["n_queries"], seed)
        law = noise_law(row["noise"], row["error_bound"])
        public = public_answers(queries, database, law, seed)
        found = least_squares_reconstruction(public)
        assert row["n_ones"] == database.sum()
        assert row["n_right"] == np.count_nonzero(found.candidate == database)
        assert row["n_violated"] == found.certificate.n_violated


def test_other_settings_and_attacks_beside_a_row_do_not_change_it():
    chosen = SettingsGrid((12,), ("3*n",), ("sqrt(n)",), repeats=2)
    wider = SettingsGrid(
        (9, 12), ("4*n", "3*n"), ("sqrt(n)",), outliers=("0", "0.2"), repeats=3
    )
    few = rebuilt(chosen, ["linear"])
    many = rebuilt(wider, ["least_squares", "linear"])
    merged = few.merge(many, on=list(RECONSTRUCTION))
    assert len(merged) == len(few) == 2
    assert len(many) == len(many.drop_duplicates(["attack", "seed"])) == 48


def test_attacks_of_one_setting_face_the_same_answers_in_whichever_analysis():
    """But not with another seed of the study."""
    table = rebuilt(SMALL, ["linear", "determined", "exponential"], limit_s=90)
    assert table["limit_s"].tolist() == [90] * 3
    assert table["seed"].nunique() == table["n_ones"].nunique() == 1
    other = asked_of(SMALL, "other", attacks=("l1",))
    row = only(reconstruction_tables(other, None, 7, ENOUGH_MB)["reconstruction"])
    assert row["seed"] == table["seed"][0]
    assert only(rebuilt(SMALL, ["l1"], seed=8))["seed"] != row["seed"]


def test_seeds_are_numbers_that_a_spreadsheet_shows_in_full():
    table = rebuilt(SettingsGrid((2,), ("1",), ("0",), repeats=50), ["least_squares"])
    assert table["seed"].between(0, 10**15 - 1).all()
    assert table["seed"].nunique() == 50


def test_rows_are_in_the_order_of_the_study_file_the_attacks_of_a_database_together():
    chosen = SettingsGrid((6, 4), ("8", "all"), ("1",), repeats=2)
    table = rebuilt(chosen, ["l1", "exponential"])
    assert tuple(table.columns) == RECONSTRUCTION
    assert table[["n_entries", "queries", "repeat", "attack"]].to_numpy().tolist() == [
        [n, queries, repeat, attack]
        for n in (6, 4)
        for queries in ("8", "all")
        for repeat in (1, 2)
        for attack in ("l1", "exponential")
    ]


answers = st.tuples(
    st.integers(2, 7),
    st.integers(1, 20),
    st.sampled_from(["uniform", "adversarial", "rounding"]),
    st.sampled_from([0.5, 1.0, 1.5]),
    st.integers(0, 2**32),
)


@given(answers)
@examples(60)
def test_what_is_proven_is_right_and_a_whole_claim_is_checked(given_):
    """The exponential attack claims what every consistent database has."""
    database, public = setting(*given_)
    possible = consistent(public)
    for attack in ("exponential", "linear", "determined", "least_squares", "l1"):
        found = claim(attack, public, 60)
        if attack in {"exponential", "determined"}:
            assert (found.candidate == database)[found.is_claimed].all()
            assert found.is_proven == found.is_claimed.all()
        if found.is_claimed.all():
            is_possible = tuple(found.candidate.tolist()) in possible
            assert found.is_consistent is is_possible
        else:
            assert found.is_consistent is None
    every, found = np.array(sorted(possible)), claim("exponential", public, 1)
    assert (found.status, found.n_candidates) == ("solved", len(every))
    is_same = np.all(every == every[0], axis=0)
    assert found.is_claimed.tolist() == is_same.tolist()
    assert found.candidate[is_same].tolist() == every[0][is_same].tolist()
    assert found.diameter == max((a != b).sum() for a in every for b in every)
    assert found.is_proven == (len(every) == 1)


@pytest.mark.parametrize(
    "attack", ["exponential", "linear", "determined", "least_squares", "l1"]
)
def test_an_attack_without_time_claims_nothing(attack):
    _, public = setting(20, 600, "uniform", 3.0, seed=1)
    found = claim(attack, public, 0.0)
    assert (found.status, found.is_claimed.any()) == ("not solved", False)
    assert (found.is_consistent, found.is_proven) == (None, False)


def test_what_cannot_be_is_refused_before_any_draw(n, queries, error, attack, words):
    laws = (Noise("rounding"),)
    chosen = SettingsGrid((n,), (queries,), (error,), laws)
    analysis = asked_of(chosen, database=ILL, attacks=(attack,))
    with pytest.raises(StudyError, match=f"^analysis 'demo': .*{words}"):
        reconstruction_tables(analysis, Path("nowhere.parquet"), 7, 500)


def test_points_before_more_answers_than_memory_holds_are_refused():
    chosen = SettingsGrid((5,), ("10**9",), ("1",))
    with pytest.raises(StudyError, match="'demo': The points attack on n = 5 with 100"):
        counted(chosen, Points(steps=2, distance="0", number=1))


def persons(folder, rows=RECORDS, value="yes"):
    people = person_file(folder / "people.parquet", ("ill",), rows)
    database = DrawnDatabase(**PERSONS, equals=value)
    chosen = SettingsGrid((len(RECORDS),), ("20*n",), ("1",), repeats=2)
    return rebuilt(chosen, ["linear"], people=people, database=database)


def test_a_database_of_all_persons_has_a_1_for_each_with_the_value(tmp_path):
    """A missing value is one that persons may have."""
    names = ["database", "table", "release", "attribute", "value"]
    for value, said in (("yes", "yes"), (None, "(missing)")):
        table = persons(tmp_path, value=value)
        assert table["n_ones"].tolist() == [2, 2]
        assert table["prior"].tolist() == [4 / 6, 4 / 6]
        assert table[names].iloc[0].tolist() == ["drawn", *PERSONS.values(), said]
        assert table["density"].isna().all()


def test_the_order_of_persons_does_not_change_what_is_written(tmp_path):
    written = set()
    for rows in (RECORDS, RECORDS[::-1]):
        write_table(
            tmp_path / "table.csv", persons(tmp_path, rows), specs()["reconstruction"]
        )
        written.add((tmp_path / "table.csv").read_bytes())
    assert len(written) == 1


@given(st.integers(1, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 99))
def test_persons_are_drawn_without_replacement(n_records, n_ones, n, seed):
    n_ones, n = min(n_ones, n_records), min(n, n_records)
    drawn = int(Persons(n_records, n_ones).database(n, seed).sum())
    assert max(0, n - (n_records - n_ones)) <= drawn <= min(n, n_ones)


def test_every_place_of_a_database_is_as_likely_to_be_a_1():
    """Of 5 persons 2 are ones; 4 standard errors of 2000 draws are 0.044."""
    draws = [Persons(5, 2).database(3, seed) for seed in range(2000)]
    assert np.mean(draws, axis=0) == pytest.approx([0.4] * 3, abs=0.044)


def test_a_value_that_nobody_has_is_refused_unseen(tmp_path):
    with pytest.raises(TableError, match="people 2018 has no record with the") as error:
        persons(tmp_path, value="canary")
    assert "canary" not in str(error.value)


def test_more_entries_than_persons_are_refused(tmp_path):
    people = person_file(tmp_path / "people.parquet", ("ill",), RECORDS)
    chosen = SettingsGrid((7,), ("9",), ("1",))
    with pytest.raises(TableError, match="has 6 persons, and entries has 7"):
        rebuilt(chosen, ["l1"], people=people, database=ILL)


def test_points_before_each_database_are_counted_in_a_row():
    chosen = SettingsGrid((4, 5), ("n*log2(n)**2",), ("sqrt(n)",), repeats=2)
    table = counted(chosen, Points(steps=10, distance="0.2", number=3000))
    assert tuple(table.columns) == BAD_POINTS
    assert table["n_entries"].tolist() == [4, 4, 5, 5]
    for _, row in table.iterrows():
        grid, law = PointGrid(row["n_entries"], 10, Fraction(1, 5)), row["error_bound"]
        trials = Trials(1, row["n_queries"], 3000, row["seed"])
        found = bad_points(grid, noise_law("uniform", law), trials)
        assert (row["n_bad"], row["n_feasible"]) == (found.n_bad, found.n_feasible)
        assert row["n_bad_feasible"] == found.n_bad_and_feasible
        assert row["share_bad_feasible"] == found.n_bad_and_feasible / 3000
        assert row["share_bad"] == pytest.approx(row["share_bad_grid"], abs=0.03)
    points = Points(steps=4, distance="0.1", number=10)
    row = only(counted(SettingsGrid((3,), ("1",), ("0",)), points))
    assert row["share_bad_grid"] == 117 / 125


@pytest.mark.parametrize(
    ("more", "sizes"),
    [
        ({"attacks": ("l1",)}, (1, 0)),
        ({"points": Points(steps=2, distance="0", number=5)}, (0, 1)),
    ],
)
def test_an_analysis_leaves_the_other_table_empty(more, sizes):
    analysis = asked_of(SettingsGrid((4,), ("5",), ("1",)), **more)
    found = reconstruction_tables(analysis, None, 7, ENOUGH_MB)
    both = found["reconstruction"], found["bad_points"]
    assert (*map(len, both),) == sizes
    assert (*map(tuple, both),) == (RECONSTRUCTION, BAD_POINTS)
