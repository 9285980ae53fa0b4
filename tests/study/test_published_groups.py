"""What of groups of values may be published."""

import pandas as pd
import pytest

from microleak.columns import GROUPS
from microleak.study.disclosure import publish


def group(n_members=12_345, n_certain=1_111, belief=0.23456, **columns):
    """One row of groups, from exact counts and the mean belief."""
    n_records = columns.pop("n_records", 200_000)
    is_some = n_members > 0
    prior = n_members / n_records
    row = {
        "analysis": "lines",
        "table": "sia_pa",
        "focal": "RR-2023",
        "auxiliary": "",
        "qids": "AGE",
        "n_qids": 1,
        "group": "severe",
        "n_records": n_records,
        "n_blocks": 4_321,
        "n_members": n_members,
        "n_certain": n_certain,
        "n_likely": 2_222,
        "n_above_90": 1_333,
        "prior_prob": prior,
        "posterior_det": n_certain / n_members if is_some else None,
        "posterior_prob": belief if is_some else None,
        "additive_leakage": belief - prior if is_some else None,
        "multiplicative_leakage": belief / prior if is_some else None,
    }
    return pd.DataFrame([row | columns], columns=[*GROUPS])


def published(**columns):
    return publish(group(**columns), "public").iloc[0]


def test_a_group_is_published_with_rounded_counts_shares_and_beliefs():
    row = published()
    counts = ["n_records", "n_blocks", "n_members", "n_certain", "n_likely"]
    assert row[counts].tolist() == [200_000, 4_320, 12_340, 1_110, 2_220]
    shares = ["prior_prob", "posterior_det", "share_likely", "share_above_90"]
    assert row[shares].tolist() == [0.062, 0.09, 0.18, 0.108]
    # A belief of 0.23456 is 0.235; less the prior of 0.062 that is shown, and over
    # 12,340 of 200,000.
    assert row[["posterior_prob", "additive_leakage"]].tolist() == [0.235, 0.173]
    assert (row["multiplicative_leakage"], row["suppressed"]) == (3.81, "")


@pytest.mark.parametrize(
    ("n_members", "belief"),
    [(9_995, 0.235), (9_994, 0.23), (994, 0.2), (95, 0.2)],
)
def test_a_belief_has_as_many_digits_as_a_share_of_the_members(n_members, belief):
    few = {"n_certain": 50, "n_likely": 60, "n_above_90": 55}
    assert published(n_members=n_members, **few)["posterior_prob"] == belief


def test_a_leakage_has_no_more_digits_than_the_belief_that_it_is_made_from():
    few = {"n_certain": 50, "n_likely": 60, "n_above_90": 55}
    row = published(n_members=300, belief=0.342, **few)
    assert (row["prior_prob"], row["posterior_prob"]) == (0.002, 0.3)
    assert row["additive_leakage"] == 0.3


def test_a_group_shown_as_fewer_than_100_members_has_counts_only():
    few = {"n_certain": 50, "n_likely": 60, "n_above_90": 55}
    row = published(n_members=94, **few)
    assert row[["n_members", "n_certain"]].tolist() == [90, 50]
    assert row["suppressed"] == (
        "posterior_det|posterior_prob|additive_leakage|multiplicative_leakage"
        "|share_likely|share_above_90"
    )


def test_fewer_than_ten_members_are_suppressed_with_all_that_is_made_of_them():
    row = published(n_members=9, n_certain=0, n_likely=0, n_above_90=0)
    assert row["suppressed"] == (
        "n_members|prior_prob|posterior_det|posterior_prob|additive_leakage"
        "|multiplicative_leakage|share_likely|share_above_90"
    )


@pytest.mark.parametrize(
    ("count", "share"),
    [
        ("n_certain", "posterior_det"),
        ("n_likely", "share_likely"),
        ("n_above_90", "share_above_90"),
    ],
)
def test_fewer_than_ten_of_the_members_are_suppressed_with_their_share(count, share):
    assert published(**{count: 9})["suppressed"] == f"{count}|{share}"
    row = published(**{count: 0})
    assert (row[count], row["suppressed"]) == (0, "")


def test_of_a_group_without_members_nothing_is_said_to_be_suppressed():
    nobody = {"n_certain": 0, "n_likely": 0, "n_above_90": 0}
    row = published(n_members=0, **nobody)
    assert row[["n_members", "prior_prob", "n_certain"]].tolist() == [0, 0, 0]
    assert row[["posterior_det", "posterior_prob"]].isna().all()
    assert row["suppressed"] == ""


def test_the_published_leakage_of_a_group_says_nothing_that_the_shares_do_not():
    rows = [group(belief=0.2 + step / 10_000) for step in range(100)]
    public = publish(pd.concat(rows), "public")
    by_shares = public.groupby(["prior_prob", "posterior_prob"])
    assert by_shares["additive_leakage"].nunique().max() == 1


def test_the_shares_and_ratio_of_a_group_say_nothing_that_its_shown_counts_do_not():
    rows = [
        group(n_members=members, n_certain=certain, n_records=records)
        for members in range(995, 1_005)
        for certain in range(115, 125, 3)
        for records in range(9_995, 10_005)
    ]
    public = publish(pd.concat(rows), "public")
    assert len(public.groupby(["n_records", "n_members", "n_certain"])) == 1
    assert public.nunique(dropna=False).max() == 1


def test_the_ratio_of_a_group_agrees_with_the_belief_and_prior_beside_it():
    few = {"n_certain": 50, "n_likely": 60, "n_above_90": 55, "n_records": 1_600}
    row = published(n_members=104, belief=0.0951, **few)
    # 0.0951 / 0.065 is 1.46, of one digit 1; shown are 10 % and 100 of 1,600.
    assert row[["prior_prob", "posterior_prob"]].tolist() == [0.06, 0.1]
    assert row["multiplicative_leakage"] == 2.0
