"""What each attribute brings, and the entropies of an analysis, as tables."""

from collections import Counter
from fractions import Fraction
from itertools import permutations
from math import log2

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.analysis import Collective
from microleak.attacks.collective.contributions import entropies, gains, importance
from microleak.attacks.collective.definitions.entropy import (
    expected_block_size,
    mean_block_size,
    shannon_entropy,
)
from microleak.attacks.collective.definitions.importance import shapley_values
from microleak.attacks.collective.profile import profile_analysis
from microleak.base.machine import Resources
from tests.assessing import assess

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
    for name, value in which.items():
        table = table[table[name] == value]
    return table


def test_there_is_a_row_for_each_attack_and_attribute_in_order(collective):
    found = importance(collective)
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


N_RECORDS = 49_491_319
"""Students of Nunes' Experiment 23."""


def panel(auxiliary, n_certain, n_modal, qids="SCHOOL", sensitive=""):
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


def test_a_release_that_divides_no_block_adds_exactly_nothing():
    second = gained(panel("", 5, 9), panel("2015", 5, 9)).iloc[1]
    assert second[["gain_det", "gain_prob"]].tolist() == [0.0, 0.0]


@st.composite
def games(draw):
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


EIGHT = {
    "age": ["25", "25", None, "60", None, "60", None, "60"],
    "sex": ["f", "m", "f", "f", "m", None, None, "f"],
    "ill": ["y", "n", None, "y", None, None, "y", "y"],
    "bus": ["y", "n", "n", "n", "n", "n", "n", None],
}
AGE_AND_SEX, SENSITIVE = ("age", "sex"), ("ill", "bus")


def entropies_of(folder, people=EIGHT, analysis=("all", SENSITIVE), rows_a_group=3):
    """Entropies of a table, whose file has several row groups."""
    subsets, sensitive = analysis
    demo = Collective("demo", "people", "1", AGE_AND_SEX, sensitive, subsets)
    path, profiles = folder / "people.parquet", folder / "profiles.parquet"
    pq.write_table(pa.table(people), path, row_group_size=rows_a_group)
    resources = Resources(1, 8_000, folder)
    profile_analysis([path], demo, False, resources, profiles)
    return entropies(profiles, path, demo)


def naive(*names):
    """Entropy of columns together, in bits, null being a value."""
    rows = Counter(zip(*(EIGHT[name] for name in names), strict=True))
    n = sum(rows.values())
    return -sum(count / n * log2(count / n) for count in rows.values())


def test_rows_are_the_subsets_by_size_and_then_the_sensitive_attributes(tmp_path):
    table = entropies_of(tmp_path)
    assert table[["role", "attributes", "n_attributes"]].to_numpy().tolist() == [
        ["qid", "age", 1],
        ["qid", "sex", 1],
        ["qid", "age|sex", 2],
        ["sensitive", "ill", 1],
        ["sensitive", "bus", 1],
    ]
    names = ["analysis", "table", "focal"]
    assert (table[names] == ["demo", "people", "1"]).all(axis=None)


def test_a_missing_value_is_one_value_of_its_own(tmp_path):
    table = entropies_of(tmp_path).set_index("attributes")
    assert table["n_blocks"].to_dict() == {
        **{"age": 3, "sex": 3, "age|sex": 7, "ill": 3, "bus": 3}
    }
    for attributes, entropy in table["entropy"].items():
        assert entropy == pytest.approx(naive(*attributes.split("|")), abs=1e-12)


def test_sizes_of_blocks_are_means_over_blocks_and_over_records(tmp_path):
    table = entropies_of(tmp_path).set_index("attributes")
    sizes = ["n_records", "mean_block_size", "expected_block_size"]
    # Four records are ill, one is not and of three it is missing.
    assert table.loc["ill", sizes].tolist() == [8, 8 / 3, (16 + 1 + 9) / 8]
    assert table.loc["age", sizes].tolist() == [8, 8 / 3, (4 + 9 + 9) / 8]


def test_the_order_of_records_and_their_row_groups_do_not_matter(tmp_path):
    upside_down = {name: column[::-1] for name, column in EIGHT.items()}
    turned = entropies_of(tmp_path, upside_down, rows_a_group=8)
    assert entropies_of(tmp_path).equals(turned)


def test_an_analysis_without_sensitive_attributes_has_the_wanted_subsets(tmp_path):
    table = entropies_of(tmp_path, analysis=("full", ()))
    assert table[["role", "attributes"]].to_numpy().tolist() == [["qid", "age|sex"]]
    assert table["entropy"].tolist() == [pytest.approx(naive("age", "sex"), abs=1e-12)]


values = st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=60)


def blocks(*sizes):
    """Sizes of blocks, and one block of each."""
    return np.array(sizes), np.ones(len(sizes), dtype=np.int64)


@pytest.mark.parametrize(
    ("sizes", "bits"),
    [([7], 0), ([1, 1], 1), ([3, 3, 3, 3], 2), ([4, 2, 1, 1], 1.75), ([1] * 1024, 10)],
)
def test_entropy_of_worked_tables_is_exact(sizes, bits):
    assert shannon_entropy(*blocks(*sizes)) == bits


@given(values)
def test_entropy_is_that_of_the_definition_with_missing_values_as_one(column):
    counts = Counter(column)
    shares = [count / len(column) for count in counts.values()]
    found = shannon_entropy(*blocks(*counts.values()))
    assert found == pytest.approx(-sum(p * log2(p) for p in shares), abs=1e-12)
    assert 0 <= found <= log2(len(counts)) + 1e-12


@given(values)
def test_sizes_are_means_over_blocks_and_over_records(column):
    counts = Counter(column)
    sizes = blocks(*counts.values())
    of_records = [counts[value] for value in column]
    assert mean_block_size(*sizes) == Fraction(len(column), len(counts))
    assert expected_block_size(*sizes) == Fraction(sum(of_records), len(column))
    assert mean_block_size(*sizes) <= expected_block_size(*sizes)


@given(st.lists(st.integers(1, 10**6), min_size=1, max_size=40), st.randoms())
def test_neither_order_nor_merging_of_kinds_changes_a_bit(sizes, random):
    shuffled = random.sample(sizes, len(sizes))
    merged = np.array(list(Counter(sizes).items())).T
    found = {shannon_entropy(*blocks(*order)) for order in (sizes, shuffled)}
    assert found == {shannon_entropy(*merged)}


@given(st.lists(st.tuples(st.integers(1, 2**36), st.integers(1, 9)), min_size=1))
def test_the_expected_size_of_blocks_of_more_than_32_bits_is_exact(kinds):
    squares = sum(size * size * n for size, n in kinds)
    n_records = sum(size * n for size, n in kinds)
    expected = Fraction(squares, n_records)
    assert expected_block_size(*np.array(kinds).T) == expected
