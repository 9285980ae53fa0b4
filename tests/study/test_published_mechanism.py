"""What of noisy counts may be published."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from microleak.columns import MECHANISM, PAIRS, SAMPLES, SIMULATED
from microleak.study.published_mechanism import (
    publish_mechanism,
    publish_pairs,
    publish_samples,
    publish_simulated,
)
from tests.figures.noisy_counts import (
    NO_COUNT,
    NO_DRAWS,
    NO_PAIRS,
    NO_SAMPLES,
    mechanism,
    samples,
    simulated,
)
from tests.figures.noisy_counts import _pair as pair_rows

EPSILONS = ("ln 1.5", "ln 3", "ln 10", "ln 1000")
MEASURED = ("posterior", "privacy_loss", "utility")
INCOME = {"sensitive": "income", "useful": "income"}
FIXED = ("predicate", "model", "epsilon", "alpha")

# Each attribute mostly follows the other: 4,000, 2,000 and 500 people.
COUNTS = [[2_500, 1_500], [300, 1_700], [0, 500]]


def measured(counts, **columns):
    """Rows of the oblivious mechanism, or of one that is said to be another."""
    return mechanism(counts, 1, EPSILONS, ("oblivious",), **columns)


def published(counts, **columns):
    return publish_mechanism(measured(counts, **columns)).set_index("epsilon")


def tables(cells):
    """Two sensitive and two useful values."""
    return st.tuples(st.tuples(cells, cells), st.tuples(cells, cells))


def both_ways(counts):
    """Rows of `measures/pairs` of two attributes, and of each with itself."""
    names = ("income", "country")
    counts = np.array(counts)
    own = [np.diag(counts.sum(axis=axis)) for axis in (1, 0)]
    of_each = {
        ("income", "income"): own[0],
        ("income", "country"): counts,
        ("country", "income"): counts.T,
        ("country", "country"): own[1],
    }
    rows = [
        row
        for (sensitive, useful), table in of_each.items()
        for row in pair_rows(table, EPSILONS, sensitive=sensitive, useful=useful)
    ]
    assert {row["sensitive"] for row in rows} == {*names}
    return pd.DataFrame(rows, columns=[*PAIRS])


def test_everything_is_made_of_rounded_counts():
    found = published([[2_497, 1_504], [303, 1_698], [1, 499]])
    row = found.loc["ln 3"]
    assert row[["n_records", "n_matching"]].tolist() == [6_500, 3_700]
    # 4,000 of 6,500 without a count; 3,700 of them match.
    assert row[["prior", "utility", "utility_floor"]].tolist() == [0.62, 0.75, 0.57]
    assert row["utility_floor_printed"] == 0.57
    assert row["privacy_loss_limit_printed"] == 1.62
    # Without noise 2,500 + 1,700 are guessed right; with ln 1000 nearly as many.
    assert row["privacy_loss_limit"] == 1.05
    assert found.loc["ln 1000", "posterior"] == 0.65
    assert row[["sensitive_from_useful", "useful_from_sensitive"]].tolist() == [
        0.08,
        0.35,
    ]
    assert row["scenario"] == "B"


@settings(max_examples=20)
@given(
    tables(st.integers(0, 30)),
    tables(st.integers(0, 1)),
    st.sampled_from(["oblivious", "local"]),
)
def test_counts_that_round_alike_are_published_alike(hundreds, more, model):
    base = 100 * np.array(hundreds)
    assume(base.any(axis=None) and base[:, 1].any())
    # No sum of cells is changed by more than four.
    first, second = (published(t, model=model) for t in (base, base + np.array(more)))
    told = [name for name in first if name not in {"n_matching", "suppressed"}]
    pd.testing.assert_frame_equal(first[told], second[told])


@settings(max_examples=20)
@given(tables(st.integers(1, 30)), tables(st.integers(0, 1)))
def test_pairs_that_round_alike_are_published_alike(hundreds, more):
    base = 100 * np.array(hundreds)
    first, second = (publish_pairs(both_ways(t)) for t in (base, base + np.array(more)))
    pd.testing.assert_frame_equal(first, second)


@settings(max_examples=20)
@given(tables(st.integers(2, 400).map(lambda tens: 10 * tens)), st.booleans())
def test_what_is_shown_of_round_counts_is_the_exact_number_rounded(counts, is_itself):
    columns = INCOME if is_itself else {}
    exact = measured(np.diag(counts[0]) if is_itself else counts, **columns)
    gain = exact["prior"] * (exact["privacy_loss_limit"] - 1) * exact["n_records"]
    assume(round(gain.iloc[0]) != 10)
    found = publish_mechanism(exact)
    n_modal = round(exact["prior"].iloc[0] * exact["n_records"].iloc[0])
    wholes = {"posterior": exact["n_records"].iloc[0], "privacy_loss": n_modal}
    for name in (*MEASURED, "privacy_loss_limit", "utility_floor", "prior"):
        whole = wholes.get("privacy_loss" if "loss" in name else "posterior")
        step = 10.0 ** -sum(whole >= 10 ** (k + 1) for k in (1, 2, 3))
        shown = found[name].dropna()
        assert ((shown - exact[name][shown.index]).abs() <= step / 2 + 1e-9).all()
    if is_itself and n_modal >= 100:  # shares of fewer have no digit
        assert found[[*MEASURED]].notna().all(axis=None)


def test_a_count_of_the_inferred_attribute_is_shown_at_every_epsilon():
    found = published(np.diag([4_000, 2_000, 500]), **INCOME)
    assert found["privacy_loss"].to_dict() == {
        "ln 1.5": 1.0,
        "ln 3": 1.12,
        "ln 10": 1.36,
        "ln 1000": 1.5,
    }


def test_the_count_of_another_attribute_is_shown_where_little_noise_decides_it():
    found = published(COUNTS)
    hidden = found.index[found["privacy_loss"].isna()]
    assert list(hidden) == ["ln 1.5", "ln 3", "ln 10"]
    assert found.loc["ln 3", "suppressed"].endswith("values|posterior|privacy_loss")


@pytest.mark.parametrize("model", ["local", "randomised_response"])
def test_mechanisms_on_records_are_shown_only_where_no_count_tells_anything(model):
    some = published(COUNTS, model=model)
    assert some[[*MEASURED]].isna().all(axis=None)
    none = published([[2_000, 2_000], [1_000, 1_000]], model=model)
    assert none["privacy_loss"].eq(1).all()
    assert none["utility"].isna().all()


def test_the_local_mechanism_is_suppressed_where_it_may_tell_what_no_count_does():
    # Without noise the count of the first value helps nobody; the others lie at
    # unlike distances from it, and go with one sensitive value each.
    counts = [[30, 585, 0], [30, 0, 571]]
    exact = mechanism(counts, 0, EPSILONS, ("local",))
    assert exact["privacy_loss_limit"].eq(1).all()
    assert exact["privacy_loss"].max() > 1
    local = publish_mechanism(exact)
    assert local[[*MEASURED]].isna().all(axis=None)
    response = publish_mechanism(exact.assign(model="randomised_response"))
    assert response["privacy_loss"].eq(1).all()


@pytest.mark.parametrize("few", range(1, 10))
def test_a_small_count_is_not_told_by_loss_or_utility(few):
    # Who matches has another value than most: without noise the count tells it.
    row = published([[2_000, 0], [500, few]]).loc["ln 3"]
    assert row["privacy_loss_limit"] == 1
    assert row["privacy_loss"] == 1
    assert row[["n_matching", "utility", "utility_floor"]].isna().all()


def test_a_gain_that_may_be_of_fewer_than_ten_records_is_not_told_from_none():
    assert published([[2_000, 0], [500, 15]])["privacy_loss_limit"].eq(1.01).all()
    assert published([[2_000, 0], [500, 14]])["privacy_loss_limit"].eq(1).all()


def test_tables_of_few_records_show_no_share():
    row = published([[20, 10], [10, 20]]).loc["ln 1000"]
    assert row[["prior", *MEASURED, "sensitive_from_useful"]].isna().all()
    assert row["scenario"] == ""


def test_samples_show_how_many_there_are_and_nothing_that_was_measured():
    whole = mechanism(COUNTS, 1)
    row = publish_samples(samples(whole).assign(n_sampled=1_234)).iloc[0]
    assert row[["n_records", "n_samples", "n_sampled"]].tolist() == [6_500, 200, 1_230]
    hidden = "mean|standard_error|mean_low|mean_high|low|median|high"
    assert row["suppressed"] == hidden


def test_simulated_guesses_have_columns_for_the_public_and_no_row():
    before = simulated(measured(COUNTS))
    found = publish_simulated(before)
    assert (len(before), len(found)) == (8, 0)
    assert list(found) == [*SIMULATED, "suppressed"]


def test_pairs_show_what_the_same_counts_show_one_by_one():
    pairs = publish_pairs(both_ways(COUNTS))
    is_it = (pairs["sensitive"] == "income") & (pairs["useful"] == "country")
    # Of two values each count tells what the other does.
    found, alone = pairs[is_it].set_index("epsilon"), published(COUNTS)
    same = ["prior", "posterior", "privacy_loss", "privacy_loss_limit", "scenario"]
    both = ["sensitive_from_useful", "useful_from_sensitive"]
    pd.testing.assert_frame_equal(found[[*same, *both]], alone[[*same, *both]])


def test_pairs_do_not_show_how_many_counts_leak():
    found = publish_pairs(both_ways(COUNTS))
    assert found["n_leaking_counts"].isna().all()
    assert found["suppressed"].str.contains("n_leaking_counts").all()


@pytest.mark.parametrize(
    ("publish", "table", "columns"),
    [
        (publish_mechanism, mechanism(COUNTS, 1), MECHANISM),
        (publish_samples, samples(mechanism(COUNTS, 1)), SAMPLES),
        (publish_pairs, both_ways(COUNTS), PAIRS),
    ],
)
def test_a_table_keeps_its_rows_columns_and_what_was_asked(publish, table, columns):
    before = table.copy(deep=True)
    found = publish(table)
    assert list(found) == [*columns, "suppressed"]
    asked = [name for name in FIXED if name in columns]
    pd.testing.assert_frame_equal(found[asked], table[asked])
    pd.testing.assert_frame_equal(table, before)


@pytest.mark.parametrize(
    ("publish", "empty"),
    [
        (publish_mechanism, NO_COUNT),
        (publish_samples, NO_SAMPLES),
        (publish_simulated, NO_DRAWS),
        (publish_pairs, NO_PAIRS),
    ],
)
def test_a_table_that_an_analysis_does_not_ask_for_stays_empty(publish, empty):
    numbers = {name: "float64" for name in empty if name.startswith(("n_", "prior"))}
    assert publish(empty.astype(numbers)).empty


def test_the_scenario_follows_from_the_published_counts():
    # 1,005 of 2,008 errors go away; as shown, 1,000 of 2,010.
    exact = [[2_009, 0], [1_003, 1_005]]
    assert measured(exact)["scenario"].eq("C").all()
    assert published(exact)["scenario"].eq("B").all()
