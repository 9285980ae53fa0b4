"""What each attribute brings: leave-one-out and Shapley values, as a table."""

from fractions import Fraction
from itertools import permutations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.contributions import gains, importance
from microleak.attacks.collective.definitions.importance import shapley_values
from microleak.study.tables import result_tables as specs
from tests.assessing import assess

IMPORTANCE = tuple(specs()["importance"].names)

PEOPLE = pd.DataFrame(
    {
        "age": [25, 25, None, None, 60, 60],
        "sex": ["f", "m", "f", "f", "m", None],
        "town": ["a", "a", "a", "b", "b", "b"],
        "ill": ["y", "n", "y", "y", "n", "n"],
    }
)
QIDS = ["age", "sex", "town"]


@pytest.fixture
def collective():
    which = {"analysis": "demo", "table": "people", "focal": "1", "auxiliary": ""}
    found = assess(PEOPLE, QIDS, ["ill"]).assign(**which)
    return found.assign(attack=found["sensitive"].map(lambda s: "CAS" if s else "CRS"))


def of(table, **which):
    """Rows of a table with these values."""
    for name, value in which.items():
        table = table[table[name] == value]
    return table


def test_there_is_a_row_for_each_attack_and_attribute_in_order(collective):
    found = importance(collective)
    assert list(found.columns) == [*IMPORTANCE]
    assert found[["attack", "qid"]].to_numpy().tolist() == [
        [attack, qid] for attack in ("CRS", "CAS") for qid in QIDS
    ]


@pytest.mark.parametrize("qid", QIDS)
@pytest.mark.parametrize("sensitive", ["", "ill"])
def test_without_an_attribute_there_is_the_posterior_of_the_others(
    collective, qid, sensitive
):
    others = "|".join(name for name in QIDS if name != qid)
    expected = of(collective, sensitive=sensitive, qids=others).iloc[0]
    row = of(importance(collective), sensitive=sensitive, qid=qid).iloc[0]
    assert row["posterior_det_without"] == expected["posterior_det"]
    assert row["posterior_prob_without"] == expected["posterior_prob"]
    assert row["additive_leakage_without"] == expected["additive_leakage"]


@pytest.mark.parametrize("sensitive", ["", "ill"])
@pytest.mark.parametrize("name", ["det", "prob"])
def test_shapley_values_add_up_to_posterior_less_prior(collective, sensitive, name):
    rows = of(importance(collective), sensitive=sensitive)
    full = of(collective, sensitive=sensitive, n_qids=3).iloc[0]
    brought = full[f"posterior_{name}"] - full[f"prior_{name}"]
    assert rows[f"shapley_{name}"].sum() == pytest.approx(brought)
    assert (rows[f"posterior_{name}"] == full[f"posterior_{name}"]).all()


def test_one_attribute_alone_brings_everything_and_without_it_is_the_prior(collective):
    only = of(collective, qids="sex")
    row = importance(only).iloc[1]
    assert row["posterior_prob_without"] == only["prior_prob"].iloc[1]
    assert row["shapley_prob"] == only["additive_leakage"].iloc[1]


def test_attacks_without_all_their_subsets_have_no_rows(collective):
    assert importance(collective[collective["n_qids"] > 1]).empty


GAIN = tuple(specs()["gain"].names)

N_RECORDS = 49_491_319
"""Students of Nunes' Experiment 23."""


def panel(auxiliary, n_certain, n_modal, qids="SCHOOL", sensitive=""):
    """One row of collective measures, of a subset and panel."""
    return {
        "attack": "CRL" if auxiliary else "CRS",
        **{"analysis": "linked", "table": "census", "focal": "2014"},
        **{"auxiliary": auxiliary, "qids": qids, "n_qids": 1, "sensitive": sensitive},
        **{"n_records": N_RECORDS, "n_blocks": n_modal, "n_certain": n_certain},
        **{"n_modal": n_modal, "posterior_det": n_certain / N_RECORDS},
        "posterior_prob": n_modal / N_RECORDS,
    }


def gained(*rows):
    return gains(pd.DataFrame(rows))


def test_a_gain_is_the_difference_from_one_auxiliary_release_less():
    found = gained(
        panel("", 712_675, 2_103_225),
        panel("2015", 6_374_482, 9_937_236),
        panel("2015|2016", 12_501_507, 17_008_936),
    )
    assert found["gain_det"].tolist()[1:] == [
        (6_374_482 - 712_675) / N_RECORDS,
        (12_501_507 - 6_374_482) / N_RECORDS,
    ]
    assert found["gain_prob"].tolist()[1:] == [
        (9_937_236 - 2_103_225) / N_RECORDS,
        (17_008_936 - 9_937_236) / N_RECORDS,
    ]


def test_without_auxiliary_release_there_is_no_gain():
    first = gained(panel("", 5, 9), panel("2015", 6, 10)).iloc[0]
    assert first[["gain_det", "gain_prob"]].isna().all()


def test_each_subset_and_sensitive_attribute_is_compared_with_itself():
    parts = [{}, {"qids": "STAGE"}, {"sensitive": "ILL"}]
    rows = [
        panel(auxiliary, n_certain * (turn + 1), 100, **part)
        for auxiliary, n_certain in [("", 10), ("2015", 40)]
        for turn, part in enumerate(parts)
    ]
    found = gained(*rows).iloc[3:]
    assert found["gain_det"].tolist() == [n / N_RECORDS for n in (30, 60, 90)]


def test_the_table_has_the_columns_that_say_which_attack_and_the_gains():
    found = gained(panel("", 5, 9), panel("2015", 6, 10))
    assert tuple(found.columns) == GAIN
    assert found["auxiliary"].tolist() == ["", "2015"]


@pytest.mark.parametrize("column", ["gain_det", "gain_prob"])
def test_a_release_that_divides_no_block_adds_exactly_nothing(column):
    assert gained(panel("", 5, 9), panel("2015", 5, 9))[column].iloc[1] == 0.0


@st.composite
def games(draw):
    """Successes of every subset of a few QIDs."""
    n_qids = draw(st.integers(1, 5))
    size = 1 << n_qids
    values = draw(st.lists(st.integers(0, 10**9), min_size=size, max_size=size))
    return dict(enumerate(values)), n_qids


@given(games())
def test_values_are_the_mean_gain_over_all_orders(game):
    successes, n_qids = game
    orders = list(permutations(range(n_qids)))
    gains = [Fraction(0)] * n_qids
    for order in orders:
        known = 0
        for qid in order:
            gains[qid] += successes[known | 1 << qid] - successes[known]
            known |= 1 << qid
    assert shapley_values(successes, n_qids) == [g / len(orders) for g in gains]


def test_counts_of_a_large_country_are_summed_exactly():
    n_qids, most = 12, 112_637_066
    successes = {s: most - (1 << n_qids) + s for s in range(1 << n_qids)}
    assert shapley_values(successes, n_qids) == [1 << qid for qid in range(n_qids)]
