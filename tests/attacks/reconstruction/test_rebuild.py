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
from microleak.attacks.reconstruction.definitions.noise import (
    noise_law,
    on_grid,
    public_answers,
)
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
from tests.watched import steps_watched

BAD_POINTS = tuple(specs()["bad_points"].names)
RECONSTRUCTION = tuple(specs()["reconstruction"].names)

SMALL = SettingsGrid((16,), ("n*log2(n)**2",), ("1",))
ENOUGH_MB = 4000
PERSONS = {"table": "people", "release": "2018", "attribute": "ill"}
ILL = DrawnDatabase(**PERSONS, equals="yes")
RECORDS = [("yes",), ("no",), (None,), ("no",), ("yes",), (None,)]


def asked_of(chosen, name="demo", **more):
    """An analysis of some settings."""
    laws = [
        {noise.law: noise.epsilon} if noise.epsilon else noise.law
        for noise in chosen.noises
    ]
    return Reconstruction(name=name, **{**vars(chosen), "noises": laws}, **more)


def rebuilt(chosen, attacks, seed=7, people=None, **more):
    """The table of an analysis with attacks."""
    analysis = asked_of(chosen, attacks=tuple(attacks), **more)
    return reconstruction_tables(analysis, people, seed, ENOUGH_MB)["reconstruction"]


def counted(chosen, points, seed=7):
    """The table of an analysis that counts points."""
    analysis = asked_of(chosen, points=points)
    return reconstruction_tables(analysis, None, seed, ENOUGH_MB)["bad_points"]


def only(table):
    assert len(table) == 1
    row = table.iloc[0].to_dict()
    return {name: None if pd.isna(value) else value for name, value in row.items()}


def test_a_row_says_what_was_asked_and_what_came_of_it():
    row = only(rebuilt(SMALL, ["least_squares"]))
    assert {name: row[name] for name in RECONSTRUCTION[:19] if name != "seed"} == {
        **{"analysis": "demo", "attack": "least_squares", "database": "random"},
        "density": 0.5,
        **dict.fromkeys(("table", "release", "attribute", "value")),
        **{"n_entries": 16, "n_ones": row["n_ones"]},
        "prior": max(row["n_ones"], 16 - row["n_ones"]) / 16,
        **{"queries": "n*log2(n)**2", "n_queries": 256},
        **{"error": "1", "error_bound": 1.0, "noise": "uniform", "epsilon": ""},
        "repeat": 1,
    }
    assert {name: row[name] for name in RECONSTRUCTION[19:]} == {
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
        found = least_squares_reconstruction(
            public_answers(queries, database, law, seed)
        )
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
    table = rebuilt(SMALL, ["linear", "determined", "exponential"])
    assert table["seed"].nunique() == table["n_ones"].nunique() == 1
    other = asked_of(SMALL, "other", attacks=("l1",))
    row = only(reconstruction_tables(other, None, 7, ENOUGH_MB)["reconstruction"])
    assert row["seed"] == table["seed"][0]


def test_another_seed_of_the_study_gives_other_databases():
    assert (
        only(rebuilt(SMALL, ["l1"]))["seed"]
        != only(rebuilt(SMALL, ["l1"], seed=8))["seed"]
    )


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
@examples(40)
def test_the_exponential_attack_claims_what_every_consistent_database_has(given_):
    n, n_queries, law, bound, seed = given_
    _, public = setting(n, n_queries, law, bound, seed)
    every = np.array(sorted(consistent(public)))
    found = claim("exponential", public, 1)
    assert (found.status, found.n_candidates) == ("solved", len(every))
    assert found.is_claimed.tolist() == np.all(every == every[0], axis=0).tolist()
    assert found.candidate[found.is_claimed].tolist() == (
        every[0][found.is_claimed].tolist()
    )
    assert found.diameter == max((a != b).sum() for a in every for b in every)
    assert found.is_proven == (len(every) == 1)


@given(answers)
@examples(40)
def test_what_is_proven_is_right(given_):
    database, public = setting(*given_)
    for attack in ("exponential", "determined"):
        found = claim(attack, public, 60)
        assert (found.candidate == database)[found.is_claimed].all()
        assert found.is_proven == found.is_claimed.all()


@given(answers)
@examples(40)
def test_a_whole_claim_is_checked_against_every_answer_and_no_other_is(given_):
    _, public = setting(*given_)
    possible = consistent(public)
    for attack in ("exponential", "linear", "determined", "least_squares", "l1"):
        found = claim(attack, public, 60)
        if found.is_claimed.all():
            is_possible = tuple(found.candidate.tolist()) in possible
            assert found.is_consistent is is_possible
        else:
            assert found.is_consistent is None


@pytest.mark.parametrize(
    "attack", ["exponential", "linear", "determined", "least_squares", "l1"]
)
def test_an_attack_without_time_claims_nothing(attack):
    _, public = setting(20, 600, "uniform", 3.0, seed=1)
    found = claim(attack, public, 0.0)
    assert (found.status, found.is_claimed.any()) == ("not solved", False)
    assert (found.is_consistent, found.is_proven) == (None, False)


@pytest.mark.parametrize("attack", ["linear", "determined", "exponential"])
def test_outliers_beyond_the_bound_are_said_to_be_infeasible(attack):
    chosen = SettingsGrid((10,), ("20*n",), ("1",), outliers=("0.5",))
    row = only(rebuilt(chosen, [attack]))
    assert (row["status"], row["outliers"]) == ("infeasible", 0.5)
    assert (row["n_claimed"], row["n_right"], row["is_exact"]) == (0, 0, "false")
    assert (row["is_consistent"], row["is_proven"]) == ("", "false")


@pytest.mark.parametrize("attack", ["linear", "determined", "exponential"])
def test_a_bound_that_is_assumed_too_small_is_said_to_be_infeasible(attack):
    chosen = SettingsGrid((12,), ("20*n",), ("0.5*sqrt(n)",))
    row = only(rebuilt(chosen, [attack], assumed_error="0.1*sqrt(n)"))
    assert row["error_bound"] == on_grid(0.5 * 12**0.5)
    assert row["assumed_bound"] == on_grid(0.1 * 12**0.5)
    assert (row["status"], row["n_claimed"]) == ("infeasible", 0)


def test_a_bound_assumed_as_the_noise_has_it_changes_nothing():
    plain, assumed = (
        rebuilt(SMALL, ["exponential", "l1"], assumed_error=text)
        for text in (None, "n/16")
    )
    pd.testing.assert_frame_equal(plain, assumed)


def test_every_attack_has_the_limit_of_its_analysis():
    table = rebuilt(SMALL, ["exponential", "hadamard"], limit_s=9)
    assert table["limit_s"].tolist() == [9, 9]


def test_bases_of_rounding_that_reach_one_bound_are_different_settings():
    chosen = SettingsGrid((12,), ("60",), ("1", "1.5"), (Noise("rounding"),))
    table = rebuilt(chosen, ["least_squares"])
    assert table["error_bound"].tolist() == [1.0, 1.0]
    assert table["seed"].nunique() == 2


def test_a_watcher_hears_of_databases_and_that_one_is_still_at_work():
    with steps_watched() as steps:
        rebuilt(SMALL, ["least_squares", "linear"])
    ((step, total, advances),) = steps
    assert (step, total) == ("rebuilding databases", 2)
    assert advances.count(1) == 2
    assert advances[0] == 0


def test_structured_queries_are_asked_in_whole_rounds():
    """Of 20 entries a round has 32 queries."""
    chosen = SettingsGrid((20,), ("1", "32", "33"), ("0",))
    table = rebuilt(chosen, ["hadamard"])
    assert table["n_queries"].tolist() == [32, 32, 64]
    assert table["is_exact"].tolist() == ["true"] * 3


def test_the_bound_of_a_row_is_the_one_that_was_used():
    row = only(rebuilt(SettingsGrid((5,), ("9",), ("0.1",)), ["l1"]))
    assert (row["error"], row["error_bound"]) == ("0.1", 104857 / 2**20)


def test_noise_with_an_epsilon_has_it_in_its_row():
    noises = (Noise("truncated_geometric", "ln 3"), Noise("uniform_integer"))
    table = rebuilt(SettingsGrid((9,), ("9*n",), ("2",), noises), ["least_squares"])
    assert table[["noise", "epsilon"]].to_numpy().tolist() == [
        ["truncated_geometric", "ln 3"],
        ["uniform_integer", ""],
    ]


@pytest.mark.parametrize(
    ("chosen", "attack", "words"),
    [
        (
            SettingsGrid((2000,), ("n**2",), ("1",)),
            "linear",
            "The linear attack on n = 20",
        ),
        (
            SettingsGrid((30,), ("9",), ("1",)),
            "exponential",
            "Lower n or the form",
        ),
        (
            SettingsGrid((9,), ("9",), ("0.3",), (Noise("rounding"),)),
            "l1",
            "rounding cannot have a base of 0.6",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_drawn(chosen, attack, words):
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
    table = persons(tmp_path)
    assert table["n_ones"].tolist() == [2, 2]
    assert table["prior"].tolist() == [4 / 6, 4 / 6]
    names = ["database", "table", "release", "attribute", "value"]
    assert table[names].iloc[0].tolist() == ["drawn", "people", "2018", "ill", "yes"]
    assert table["density"].isna().all()


def test_a_missing_value_is_a_value_that_persons_may_have(tmp_path):
    table = persons(tmp_path, value=None)
    assert table["n_ones"].tolist() == [2, 2]
    assert table["value"][0] == "(missing)"


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
        assert (row["n_bad"], row["n_feasible"], row["n_bad_feasible"]) == (
            *(found.n_bad, found.n_feasible, found.n_bad_and_feasible),
        )
        assert row["share_bad_feasible"] == found.n_bad_and_feasible / 3000
        assert row["share_bad"] == pytest.approx(row["share_bad_grid"], abs=0.03)


def test_the_share_of_bad_points_of_a_grid_is_exact():
    row = only(
        counted(
            SettingsGrid((3,), ("1",), ("0",)),
            Points(steps=4, distance="0.1", number=10),
        )
    )
    assert row["share_bad_grid"] == 117 / 125


@pytest.mark.parametrize("of", ["attacks", "points"])
def test_an_analysis_leaves_the_other_table_empty(of):
    more = (
        {"attacks": ("l1",)}
        if of == "attacks"
        else {"points": Points(steps=2, distance="0", number=5)}
    )
    analysis = asked_of(SettingsGrid((4,), ("5",), ("1",)), **more)
    found = reconstruction_tables(analysis, None, 7, ENOUGH_MB)
    sizes = len(found["reconstruction"]), len(found["bad_points"])
    assert sizes == ((1, 0) if of == "attacks" else (0, 1))
    assert (tuple(found["reconstruction"]), tuple(found["bad_points"])) == (
        *(RECONSTRUCTION, BAD_POINTS),
    )
