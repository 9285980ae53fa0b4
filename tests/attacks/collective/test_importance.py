"""What each attribute brings: leave-one-out and Shapley values, as a table."""

import pandas as pd
import pytest

from microleak.attacks.collective.contributions import importance
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
