"""What each attribute brings, from published shares."""

import pandas as pd
import pytest

from microleak.columns import COLLECTIVE, IMPORTANCE
from microleak.errors import StudyError
from microleak.study.disclosure import publish
from microleak.study.importance import importance
from microleak.study.published_importance import published_importance

PRIOR = 5_023
COUNTS = {"AGE": (1_017, 9_016), "SEX": (24, 6_018), "AGE|SEX": (4_033, 12_047)}
"""Records given away with certainty, and expected hits, of 20,000."""


def collective(more=0, counts=COUNTS, n_records=20_000, prior=PRIOR):
    """Measures of one inference; `more` is added to every count."""
    size, before = n_records + more, prior + more
    which = {
        "attack": "CAS",
        "analysis": "lines",
        "table": "sia_pa",
        "focal": "RR-2023",
        "auxiliary": "",
        "sensitive": "PROC",
    }
    rows = [
        {
            **which,
            "qids": qids,
            "n_qids": qids.count("|") + 1,
            "n_records": size,
            "n_blocks": 500,
            "n_certain": certain + more,
            "n_modal": modal + more,
            "prior_det": 0.0,
            "posterior_det": (certain + more) / size,
            "degradation_det": (certain + more) / size,
            "prior_prob": before / size,
            "posterior_prob": (modal + more) / size,
            "degradation_prob": (modal + more) / before,
            "additive_leakage": (modal - prior) / size,
        }
        for qids, (certain, modal) in counts.items()
    ]
    return pd.DataFrame(rows, columns=[*COLLECTIVE])


def published(*args, **columns):
    return published_importance(publish(collective(*args, **columns), "public"))


def test_it_is_computed_from_the_shares_that_are_published():
    # Published: 25.1 % before, 45.1 with AGE, 30.1 with SEX, 60.2 with both.
    public = published()
    assert list(public.columns) == [*IMPORTANCE, "suppressed"]
    shown = public.set_index("qid")
    assert shown["posterior_prob_without"].to_dict() == {"AGE": 0.301, "SEX": 0.451}
    assert shown["additive_leakage_without"].to_dict() == {"AGE": 0.05, "SEX": 0.2}
    # AGE adds 20.0 first and 30.1 last, SEX 5.0 first and 15.1 last.
    assert shown["shapley_prob"].tolist() == [0.25, 0.1]
    assert shown["n_records"].tolist() == [20_000, 20_000]


def test_measures_that_are_published_alike_bring_the_same():
    pd.testing.assert_frame_equal(published(), published(more=1))
    assert not importance(collective()).equals(importance(collective(more=1)))


@pytest.mark.parametrize(
    ("counts", "suppressed"),
    [
        (
            {"AGE": (9, 9_000)},
            ["shapley_det", "posterior_det_without|shapley_det"],
        ),
        (
            {"AGE|SEX": (9, 12_000)},
            ["posterior_det|shapley_det", "posterior_det|shapley_det"],
        ),
        (
            {"AGE": (1_000, 9)},
            [
                "shapley_prob",
                "posterior_prob_without|additive_leakage_without|shapley_prob",
            ],
        ),
    ],
)
def test_a_value_is_suppressed_where_a_share_that_it_needs_is(counts, suppressed):
    assert published(counts=COUNTS | counts)["suppressed"].tolist() == suppressed


def test_a_suppressed_prior_hides_leakages_and_shapley_values():
    public = published(prior=9)
    assert set(public["suppressed"]) == {"additive_leakage_without|shapley_prob"}


def test_without_the_only_attribute_there_is_the_prior():
    row = published(counts={"AGE": COUNTS["AGE"]}).iloc[0]
    assert row[["posterior_prob_without", "additive_leakage_without"]].tolist() == [
        0.251,
        0.0,
    ]
    assert row["shapley_prob"] == 0.2


def test_a_table_shown_as_fewer_than_100_records_brings_nothing_that_is_shown():
    counts = dict.fromkeys(COUNTS, (20, 40))
    public = published(counts=counts, n_records=94, prior=20)
    assert public[[*IMPORTANCE[8:]]].isna().all(axis=None)
    assert public["n_records"].tolist() == [90, 90]


def test_each_attack_has_its_own_number_of_records_and_suppressed_values():
    small = collective(n_records=15_000).assign(focal="SE-2023")
    both = publish(pd.concat([collective(), small]), "public")
    public = published_importance(both)
    assert public["n_records"].tolist() == [20_000, 20_000, 15_000, 15_000]


def test_attacks_without_all_their_subsets_have_no_rows():
    public = published_importance(publish(collective().iloc[1:], "public"))
    assert list(public.columns) == [*IMPORTANCE, "suppressed"]
    assert public.empty


def test_importance_from_exact_counts_is_never_published():
    with pytest.raises(StudyError, match=r"no rule for column"):
        publish(importance(collective()), "public")
