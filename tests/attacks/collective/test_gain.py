"""What each further release adds, from exact counts."""

import pandas as pd
import pytest

from microleak.attacks.collective.contributions import gains
from microleak.study.tables import result_tables as specs

GAIN = tuple(specs()["gain"].names)

N_RECORDS = 49_491_319
"""Students of Nunes' Experiment 23."""


def panel(auxiliary, n_certain, n_modal, qids="SCHOOL", sensitive=""):
    """One row of collective measures, of a subset and panel."""
    return {
        "attack": "CRL" if auxiliary else "CRS",
        "analysis": "linked",
        "table": "census",
        "focal": "2014",
        "auxiliary": auxiliary,
        "qids": qids,
        "n_qids": 1,
        "sensitive": sensitive,
        "n_records": N_RECORDS,
        "n_blocks": n_modal,
        "n_certain": n_certain,
        "n_modal": n_modal,
        "posterior_det": n_certain / N_RECORDS,
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
