import pandas as pd
import pytest

from microleak.errors import StudyError
from microleak.study.disclosure import publish


def measures(n_records, n_blocks, n_certain, n_modal, prior_count=1, sensitive=""):
    """One row of collective measures, from exact counts."""
    prior, modal = prior_count / n_records, n_modal / n_records
    return {
        "attack": "CAS" if sensitive else "CRS",
        "analysis": "pupils",
        "table": "census",
        "focal": "2018",
        "auxiliary": "",
        "qids": "AGE|SCHOOL",
        "n_qids": 2,
        "sensitive": sensitive,
        "n_records": n_records,
        "n_blocks": n_blocks,
        "n_certain": n_certain,
        "n_modal": n_modal,
        "prior_det": 0.0,
        "posterior_det": n_certain / n_records,
        "degradation_det": n_certain / n_records,
        "prior_prob": prior,
        "posterior_prob": modal,
        "degradation_prob": n_modal / prior_count,
        "additive_leakage": modal - prior,
    }


def published(*rows):
    return publish(pd.DataFrame(rows), "public")


def test_an_internal_table_stays_as_it_was_computed():
    table = pd.DataFrame([measures(1_234, 37, 3, 37)])
    pd.testing.assert_frame_equal(publish(table, "internal"), table)


def test_publishing_does_not_change_the_callers_table():
    table = pd.DataFrame([measures(1_234, 37, 3, 37)])
    before = table.copy()
    publish(table, "public")
    pd.testing.assert_frame_equal(table, before)


def test_an_unknown_audience_is_refused():
    with pytest.raises(StudyError, match=r"Audience press .*internal or public"):
        publish(pd.DataFrame([measures(100, 5, 0, 5)]), "press")


def test_a_column_without_a_rule_is_refused_by_its_name():
    table = pd.DataFrame([measures(100, 5, 0, 5)]).assign(rarest_value="x")
    with pytest.raises(StudyError, match=r"no rule for column rarest_value"):
        publish(table, "public")


def test_a_lost_column_is_refused_by_its_name():
    table = pd.DataFrame([measures(100, 5, 0, 5)]).drop(columns="n_modal")
    with pytest.raises(StudyError, match=r"lacks column n_modal"):
        publish(table, "public")


@pytest.mark.parametrize("count", [1, 9])
def test_a_count_below_ten_is_suppressed_with_its_shares_and_named(count):
    row = published(measures(20_000, 500, count, 500)).iloc[0]
    assert row[["n_certain", "posterior_det", "degradation_det"]].isna().all()
    assert row["suppressed"] == "n_certain|posterior_det|degradation_det"


def test_a_count_of_zero_is_shown_as_zero():
    row = published(measures(20_000, 500, 0, 500)).iloc[0]
    assert (row["n_certain"], row["posterior_det"], row["suppressed"]) == (0, 0.0, "")


@pytest.mark.parametrize(
    ("count", "shown"),
    [(10, 10), (14, 10), (15, 20), (16, 20), (25, 20), (35, 40), (994, 990)],
)
def test_other_counts_are_rounded_to_the_nearest_ten_half_to_even(count, shown):
    assert published(measures(20_000, 500, count, 500))["n_certain"].iloc[0] == shown


def test_a_share_is_made_from_the_counts_that_are_shown():
    # 15 / 10,006 is 0.15 %; of the counts shown it is 20 / 10,010, which is 0.2 %.
    row = published(measures(10_006, 500, 15, 500)).iloc[0]
    assert (row["n_certain"], row["n_records"]) == (20, 10_010)
    assert row["posterior_det"] == 0.002


MEASURES = ["n_records", "n_blocks", "n_certain", "n_modal"]


@pytest.mark.parametrize("n_records", [95, 995, 9_995])
def test_shares_and_ratios_say_nothing_that_the_shown_counts_do_not(n_records):
    rows = [
        measures(n, modal - 10, certain, modal, prior, sensitive="ILL")
        for n in range(n_records, n_records + 11)
        for prior in (40, 44)
        for modal in range(46, 55)
        for certain in (10, 14)
    ]
    public = published(*rows).drop(columns="suppressed")
    by_counts = public.groupby(MEASURES)
    assert len(by_counts) == 1
    assert by_counts.nunique(dropna=False).max(axis=None) == 1


def test_a_share_half_way_is_rounded_to_the_even_step():
    rows = published(measures(20_000, 500, 110, 500), measures(20_000, 500, 130, 500))
    assert rows["posterior_det"].tolist() == [0.006, 0.006]


@pytest.mark.parametrize(
    ("n_records", "share"),
    [(30_000, 0.333), (9_000, 0.33), (900, 0.3)],
)
def test_a_share_says_no_more_than_ten_records_would(n_records, share):
    row = published(measures(n_records, 50, n_records // 3, 50)).iloc[0]
    assert row["posterior_det"] == share


def test_a_table_that_is_shown_as_fewer_than_100_records_has_no_shares_or_ratios():
    row = published(measures(94, 40, 30, 50, 40, sensitive="ILL")).iloc[0]
    assert row[["posterior_det", "prior_prob", "degradation_prob"]].isna().all()
    assert row[["n_records", "n_blocks", "n_certain"]].tolist() == [90, 40, 30]


def test_a_ratio_keeps_three_significant_digits():
    row = published(measures(40_000, 900, 500, 38_765, 31_234, sensitive="ILL")).iloc[0]
    assert row["degradation_prob"] == 1.24


def test_a_ratio_is_made_from_rounded_counts():
    # 94 / 36 is 2.61; shown are 90, and a prior as if of 40.
    row = published(measures(40_000, 900, 50, 94, 36, sensitive="ILL")).iloc[0]
    assert row["degradation_prob"] == 2.25


def test_the_ratio_of_reidentification_is_rounded_as_the_count_it_is():
    rows = published(
        measures(40_000, 437, 50, 437), measures(40_000, 12_345, 50, 12_345)
    )
    assert rows["degradation_prob"].tolist() == [440, 12_300]


def test_few_blocks_are_suppressed_with_what_is_made_of_them():
    row = published(measures(40_000, 2, 0, 2)).iloc[0]
    assert row["suppressed"] == (
        "n_blocks|n_modal|posterior_prob|degradation_prob|additive_leakage"
    )


def test_the_prior_of_reidentification_is_rounded_and_not_suppressed():
    assert published(measures(40_000, 500, 20, 500))["prior_prob"].iloc[0] == 0


def test_a_rare_most_frequent_value_hides_prior_ratio_and_leakage():
    row = published(measures(40_000, 900, 50, 500, 9, sensitive="NAME")).iloc[0]
    assert row["suppressed"] == "prior_prob|degradation_prob|additive_leakage"


def test_missing_sensitive_text_means_reidentification_too():
    table = pd.DataFrame([measures(40_000, 437, 50, 437)]).assign(sensitive=None)
    assert publish(table, "public")["degradation_prob"].iloc[0] == 440


def test_worst_subsets_follow_the_same_rules_and_keep_their_criterion():
    table = pd.DataFrame([measures(20_000, 500, 3, 500)])
    worst = publish(table.assign(criterion="deterministic"), "public")
    assert worst["criterion"].tolist() == ["deterministic"]
    assert worst["n_certain"].isna().all()


def test_ingest_counts_are_rounded_and_small_ones_suppressed():
    table = pd.DataFrame(
        {
            "table": ["census"],
            "release": ["2018"],
            "n_read": [1_234],
            "n_refused": [4],
            "n_kept": [1_230],
            "n_dropped": [25],
            "n_records": [1_205],
            "synthetic": ["false"],
            "sha256": ["00ff"],
        }
    )
    row = publish(table, "public").iloc[0]
    assert row[["n_read", "n_kept", "n_dropped", "n_records"]].tolist() == [
        1_230,
        1_230,
        20,
        1_200,
    ]
    assert (row["suppressed"], row["sha256"]) == ("n_refused", "00ff")


def gain(n_records, before, after):
    """Rows of gains, of re-identification with and without a linked release.

    `before` and `after` are the counts of records found with certainty and of
    blocks.
    """
    which = {
        "analysis": "pupils",
        "table": "census",
        "focal": "2014",
        "qids": "SCHOOL",
        "n_qids": 1,
        "sensitive": "",
        "n_records": n_records,
    }
    alone, linked = (
        {"posterior_det": det / n_records, "posterior_prob": prob / n_records}
        for det, prob in (before, after)
    )
    more = {
        "gain_det": (after[0] - before[0]) / n_records,
        "gain_prob": (after[1] - before[1]) / n_records,
    }
    none = {"gain_det": float("nan"), "gain_prob": float("nan")}
    return pd.DataFrame(
        [
            {"attack": "CRS", "auxiliary": ""} | which | alone | none,
            {"attack": "CRL", "auxiliary": "2015"} | which | linked | more,
        ]
    )


def test_a_gain_is_the_difference_of_the_two_shares_that_are_shown():
    # Shares of 0.15 % and 0.24 % are 0.2 % (half to even) and 0.2 %.
    public = publish(gain(20_000, (30, 500), (48, 520)), "public")
    assert public["posterior_det"].tolist() == [0.002, 0.002]
    assert public["gain_det"].iloc[1] == 0.0
    assert public["n_records"].tolist() == [20_000, 20_000]


def test_a_gain_is_the_decimal_that_the_shown_shares_differ_by():
    public = publish(gain(20_000, (2_000, 500), (6_000, 520)), "public")
    assert 0.3 - 0.1 != 0.2
    assert public["gain_det"].iloc[1] == 0.2


def test_the_gain_of_each_attack_is_over_its_own_panel_with_one_release_less():
    rows = gain(20_000, (2_000, 500), (6_000, 520))
    other = gain(20_000, (4_000, 500), (5_000, 520)).assign(sensitive="ILL")
    both = pd.concat([rows, other]).sort_values("auxiliary", kind="stable")
    assert publish(both, "public")["gain_det"].tolist()[2:] == [0.2, 0.05]


PAIRS_OF_COUNTS = [(a, b) for a in range(10, 90, 3) for b in range(a, 90, 3)]
"""Counts and higher ones, of which a share of 20,238 records tells least."""


def assert_adds_nothing(public, shares, difference):
    """Of equal published shares all published differences are equal."""
    assert public[difference].notna().all()
    assert public.groupby(shares)[difference].nunique().max() == 1


def test_a_published_gain_says_nothing_that_the_published_shares_do_not():
    tables = [
        gain(20_238, (a, 500), (b, 500)).assign(qids=f"{a} {b}")
        for a, b in PAIRS_OF_COUNTS
    ]
    public = publish(pd.concat(tables), "public")
    linked = public.iloc[1::2].assign(alone=public["posterior_det"].shift(1))
    assert_adds_nothing(linked, ["alone", "posterior_det"], "gain_det")


def test_a_published_difference_of_releases_says_nothing_that_the_shares_do_not():
    tables = [
        comparison((20_238, a, 9_000), (20_238, b, 90)) for a, b in PAIRS_OF_COUNTS
    ]
    shares = ["posterior_det_earlier", "posterior_det_later"]
    assert_adds_nothing(publish(pd.concat(tables), "public"), shares, "difference_det")


def test_a_published_leakage_says_nothing_that_prior_and_posterior_do_not():
    public = published(
        *(measures(20_238, 500, 50, b, a, sensitive="ILL") for a, b in PAIRS_OF_COUNTS)
    )
    assert_adds_nothing(public, ["prior_prob", "posterior_prob"], "additive_leakage")


def linked(n_focal, n_linked):
    """How many persons of a focal release an auxiliary one has."""
    shares = {"n_linked": n_linked, "share_linked": n_linked / n_focal}
    return pd.DataFrame([{"auxiliary": "2015", "n_focal": n_focal} | shares])


@pytest.mark.parametrize(
    ("n_focal", "n_linked", "n_shown", "share", "suppressed"),
    [
        (20_238, 15_555, 15_560, 0.769, ""),
        (20_238, 0, 0, 0.0, ""),
        (20_238, 9, None, None, "n_linked|share_linked"),
        (94, 50, 50, None, "share_linked"),
    ],
)
def test_linked_persons_follow_the_rules_of_counts_and_shares(
    n_focal, n_linked, n_shown, share, suppressed
):
    row = publish(linked(n_focal, n_linked), "public").iloc[0]
    shown = row[["n_linked", "share_linked"]].astype(object)
    assert shown.where(shown.notna(), None).tolist() == [n_shown, share]
    assert (row["n_focal"] % 10, row["suppressed"]) == (0, suppressed)


def test_without_a_linked_release_a_gain_is_empty_and_not_suppressed():
    row = publish(gain(20_000, (30, 500), (60, 900)), "public").iloc[0]
    assert row[["gain_det", "gain_prob"]].isna().all()
    assert row["suppressed"] == ""


@pytest.mark.parametrize(
    ("before", "suppressed"),
    [
        ((9, 500), ["posterior_det", "gain_det"]),
        ((30, 2), ["posterior_prob", "gain_prob"]),
        ((0, 500), ["", ""]),
    ],
)
def test_a_gain_over_a_small_count_is_suppressed_as_the_count_is(before, suppressed):
    public = publish(gain(20_000, before, (60, 900)), "public")
    assert public["suppressed"].tolist() == suppressed


def test_a_gain_in_a_table_shown_as_fewer_than_100_records_is_suppressed():
    row = publish(gain(94, (20, 30), (40, 50)), "public").iloc[1]
    assert row["suppressed"] == "posterior_det|gain_det|posterior_prob|gain_prob"


def comparison(earlier, later):
    """One comparison; a release is its records, certain records and modal count."""
    row = {
        "table": "census",
        "earlier": "2018",
        "later": "2019",
        "qids": "SCHOOL",
        "n_qids": 1,
        "sensitive": "",
        "attack": "CRS",
    }
    for name, (n_records, n_certain, n_modal) in [
        ("earlier", earlier),
        ("later", later),
    ]:
        row[f"n_records_{name}"] = n_records
        row[f"posterior_det_{name}"] = n_certain / n_records
        row[f"posterior_prob_{name}"] = n_modal / n_records
    for kind in ("det", "prob"):
        row[f"difference_{kind}"] = (
            row[f"posterior_{kind}_later"] - row[f"posterior_{kind}_earlier"]
        )
    return pd.DataFrame([row])


def test_releases_are_compared_by_rounded_shares_and_their_difference():
    # 0.15 % and 0.24 % are both 0.2 % (half to even).
    row = publish(comparison((20_000, 30, 600), (20_000, 48, 500)), "public").iloc[0]
    assert (row["posterior_det_earlier"], row["posterior_det_later"]) == (0.002, 0.002)
    assert (row["difference_det"], row["difference_prob"]) == (0.0, -0.005)
    assert row["suppressed"] == ""


def test_a_difference_of_a_small_release_is_that_of_the_shares_shown():
    row = publish(comparison((900, 300, 400), (90_000, 30_300, 400)), "public").iloc[0]
    assert (row["posterior_det_earlier"], row["posterior_det_later"]) == (0.3, 0.337)
    assert row["difference_det"] == 0.037


@pytest.mark.parametrize(
    ("earlier", "later", "small"),
    [
        ((20_000, 9, 600), (20_000, 48, 500), "earlier"),
        ((20_000, 30, 600), (20_000, 1, 500), "later"),
    ],
)
def test_a_difference_is_suppressed_with_the_small_count_of_either_release(
    earlier, later, small
):
    row = publish(comparison(earlier, later), "public").iloc[0]
    assert row["suppressed"] == f"posterior_det_{small}|difference_det"


def test_the_difference_of_two_releases_larger_than_any_is_still_exact():
    n = 4_000_000_000
    row = publish(comparison((n, n // 2, 10), (n - 1, n // 2, 10)), "public").iloc[0]
    assert (row["posterior_det_later"], row["difference_det"]) == (0.5, 0.0)


def test_a_comparison_of_nothing_is_published_as_its_header():
    empty = comparison((100, 50, 50), (100, 50, 50)).iloc[:0]
    public = publish(empty, "public")
    assert list(public.columns) == [*empty.columns, "suppressed"]
    assert public.empty


def test_an_empty_table_stays_empty():
    assert published(measures(100, 10, 10, 10)).iloc[:0].shape[0] == 0
    assert (
        len(publish(pd.DataFrame([measures(100, 10, 10, 10)]).iloc[:0], "public")) == 0
    )


def test_no_published_count_below_ten_or_off_the_grid_survives():
    rows = [measures(23_456, n, n // 3, n) for n in range(1, 2_000, 7)]
    public = published(*rows)
    counts = public[["n_records", "n_blocks", "n_certain", "n_modal"]].stack()
    assert set(counts.dropna() % 10) == {0}
    assert not ((counts > 0) & (counts < 10)).any()
    shares = public["posterior_det"].dropna()
    assert (shares == shares.round(3)).all()
