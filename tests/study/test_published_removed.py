"""What of removed records may be published."""

import pandas as pd

from microleak.study.published_removed import publish_removed
from microleak.study.removed import REMOVED


def published(n_read, *counts):
    """What is shown of one release of which so many rows were removed."""
    rows = [("sia", "RR-2023", "AGE", f"{n}", n, n / n_read) for n in counts]
    return publish_removed(pd.DataFrame(rows, columns=[*REMOVED]))


def test_counts_are_rounded_and_shares_are_of_what_is_shown():
    # 1,234 of 20,003 are shown as 1,230 of 20,000.
    shown = published(20_003, 1_234, 4_996)
    assert shown["n_rows"].tolist() == [1_230, 5_000]
    assert shown["share_of_read"].tolist() == [0.062, 0.25]
    assert shown["suppressed"].tolist() == ["", ""]


def test_a_small_count_is_suppressed_with_its_share_and_none_is_shown():
    shown = published(20_000, 9, 0, 10)
    assert shown["n_rows"].isna().tolist() == [True, False, False]
    assert shown["share_of_read"].isna().tolist() == [True, False, False]
    assert shown["suppressed"].tolist() == ["n_rows|share_of_read", "", ""]


def test_of_a_release_with_nothing_removed_the_shares_are_zero():
    assert published(20_000, 0, 0)["share_of_read"].tolist() == [0, 0]


def test_of_few_rows_only_no_share_is_shown():
    shown = published(94, 40, 0)
    assert shown["n_rows"].tolist() == [40, 0]
    assert shown["suppressed"].tolist() == ["share_of_read", ""]


def test_numbers_that_are_rounded_alike_are_published_alike():
    pd.testing.assert_frame_equal(
        published(20_003, 1_234).drop(columns="reason"),
        published(19_998, 1_226).drop(columns="reason"),
    )


def test_each_release_has_the_rows_that_were_read_of_it():
    rows = [
        ("sia", "RR-2023", "AGE", "missing", 50, 50 / 1_000),
        ("sia", "RR-2023", "", "any", 50, 50 / 1_000),
        ("sia", "SE-2023", "", "any", 50, 50 / 10_000),
    ]
    shown = publish_removed(pd.DataFrame(rows, columns=[*REMOVED]))
    assert shown["share_of_read"].tolist() == [0.05, 0.05, 0.005]
