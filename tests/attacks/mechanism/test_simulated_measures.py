"""Guesses played out on the records of a count, from records to a table."""

import pandas as pd
import pytest

from microleak.attacks.mechanism.section import Samples, Simulated
from microleak.study.tables import result_tables as specs
from tests.attacks.mechanism.test_measure import LN_3, MEDIUM, changed, of, only, tables

SIMULATED = tuple(specs()["simulated"].names)

PLAYED = changed(MEDIUM, models=("local", "oblivious"), simulated=Simulated(draws=1000))
DRAWN = ["measure", "simulated"]


def played(folder, count=PLAYED, epsilons=LN_3, seed=7, **more):
    return tables(folder, of(count, epsilons, **more), seed=seed).simulated


def test_each_epsilon_of_the_oblivious_mechanism_has_two_rows(tmp_path):
    found = played(tmp_path, epsilons=("2", "ln 3"))
    assert tuple(found.columns) == SIMULATED
    assert found[["model", "epsilon", "measure"]].to_numpy().tolist() == [
        ["oblivious", "2", "posterior"],
        ["oblivious", "2", "utility"],
        ["oblivious", "ln 3", "posterior"],
        ["oblivious", "ln 3", "utility"],
    ]


def test_a_row_says_what_is_guessed_and_how_often_it_was_right(tmp_path):
    row = only(played(tmp_path), measure="posterior").to_dict()
    share = row.pop("simulated")
    assert row.pop("bound") == pytest.approx(0.1035, abs=5e-5)
    assert row == {
        **{"analysis": "demo", "table": "people", "focal": "1"},
        **{"sensitive": "country", "useful": "income"},
        **{"predicate": "equals", "predicate_values": "medium"},
        **{"model": "oblivious", "epsilon": "ln 3", "n_draws": 1000},
        **{"measure": "posterior", "exact": 0.75},
    }
    assert share in {n_right / 1000 for n_right in range(1001)}
    assert 0.6465 < share < 0.8535


def test_exact_chances_are_those_of_the_mechanism_s_table(tmp_path):
    found = tables(tmp_path, of(PLAYED, ("ln 3", "0.5")))
    for _, row in found.simulated.iterrows():
        which = {"model": "oblivious", "epsilon": row["epsilon"]}
        assert row["exact"] == only(found.mechanism, **which)[row["measure"]]


def test_further_epsilons_models_and_samples_change_no_draw(tmp_path):
    alone = played(tmp_path)
    wider = changed(PLAYED, models=("oblivious",), samples=Samples(number=2, size=3))
    beside = played(tmp_path, wider, ("0.5", "ln 3"))
    same = beside[beside["epsilon"] == "ln 3"].reset_index(drop=True)
    pd.testing.assert_frame_equal(same, alone)


def test_an_epsilon_draws_the_same_however_it_is_written(tmp_path):
    one, other = (played(tmp_path, epsilons=(text,)) for text in ("ln 3", "ln 6/2"))
    pd.testing.assert_frame_equal(one[DRAWN], other[DRAWN])


@pytest.mark.parametrize(
    "more",
    [
        {"seed": 8},
        {"epsilons": ("ln 3.1",)},
        {"filter": {"gender": ("F", "M")}},
        {"count": changed(PLAYED, sensitive="income")},
    ],
    ids=lambda more: next(iter(more)),
)
def test_another_seed_epsilon_filter_or_count_has_other_draws(tmp_path, more):
    """The filter keeps all records: only the stream of draws differs."""
    one, other = played(tmp_path), played(tmp_path, **more)
    assert one["simulated"].tolist() != other["simulated"].tolist()
