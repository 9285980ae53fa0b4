"""What goes together with the leakage of states."""

import pandas as pd
import pytest

from microleak.attacks.collective.states import explained
from microleak.study.tables import result_tables as specs

EXPLAINED = tuple(specs()["explained"].names)
STATES = tuple(specs()["states"].names)

ALONE = ["n_records", "sensitive_entropy", "qids_entropy", "mean_block_size"]


def states(*rows, n_qids=1, year="2023"):
    """A table of states from their records, modal count, and four explanations.

    One in a hundred records has the most frequent value.
    """
    which = {
        **{"analysis": "lines", "table": "sia", "year": year, "sensitive": "ill"},
        "n_qids": n_qids,
    }
    return pd.DataFrame(
        [
            which
            | dict(zip(ALONE, explanations, strict=True))
            | {"prior_prob": 0.01, "posterior_prob": n_modal / explanations[0]}
            for n_modal, *explanations in rows
        ]
    )


SIX = states(
    (11, 100, 1.5, 3.0, 8.0),
    (42, 200, 2.5, 3.0, 7.0),
    (93, 300, 3.5, 4.5, 1.0),
    (164, 400, 4.5, 3.5, 2.0),
    (255, 500, 5.5, 9.5, 6.0),
    (366, 600, 6.5, 2.5, 4.5),
)
"""Leakage 0.1, 0.2, and so on, as the records and the entropy of the attribute."""


def column(table, name):
    return dict(zip(table["explained_by"], table[name], strict=True))


def test_each_explanation_is_alone_and_then_together():
    table = explained(SIX)
    assert tuple(table.columns) == EXPLAINED
    assert table["explained_by"].tolist() == [
        *ALONE,
        "qids_entropy|mean_block_size",
        "n_records|sensitive_entropy|qids_entropy|mean_block_size",
    ]
    assert table["n_states"].tolist() == [6] * 6


def test_leakage_on_a_straight_line_is_explained_exactly():
    # 0.1 is no binary fraction: only the exact leakage is on the line.
    table = explained(SIX)
    for name in ("correlation", "r_squared", "adjusted_r_squared"):
        assert column(table, name)["n_records"] == 1.0
        assert column(table, name)["sensitive_entropy"] == 1.0


def test_alone_the_correlation_squared_is_the_share_and_together_there_is_none():
    table = explained(SIX)
    correlation, share = column(table, "correlation"), column(table, "r_squared")
    leakage = SIX["posterior_prob"] - SIX["prior_prob"]
    for name in ("qids_entropy", "mean_block_size"):
        assert correlation[name] == pytest.approx(SIX[name].corr(leakage), abs=1e-12)
        assert share[name] == pytest.approx(correlation[name] ** 2, abs=1e-15)
    assert [name for name, value in correlation.items() if pd.isna(value)] == [
        "qids_entropy|mean_block_size",
        "n_records|sensitive_entropy|qids_entropy|mean_block_size",
    ]


def test_what_explanations_that_follow_from_others_explain_is_missing():
    share = column(explained(SIX), "r_squared")
    together = "n_records|sensitive_entropy|qids_entropy|mean_block_size"
    assert [name for name, value in share.items() if pd.isna(value)] == [together]


def test_the_adjusted_share_takes_off_what_chance_explains():
    table = explained(SIX)
    share, less = column(table, "r_squared"), column(table, "adjusted_r_squared")
    pair = "qids_entropy|mean_block_size"
    assert less[pair] == pytest.approx(1 - (1 - share[pair]) * 5 / 3, abs=1e-15)


def test_of_two_states_nothing_is_said_but_their_number():
    table = explained(SIX.iloc[:2])
    assert table["n_states"].tolist() == [2] * 6
    numbers = ["correlation", "r_squared", "adjusted_r_squared"]
    assert table[numbers].isna().all(axis=None)


def test_each_analysis_year_and_number_of_qids_is_for_itself_in_the_states_order():
    turned = SIX.assign(posterior_prob=SIX["posterior_prob"][::-1].values)
    more = (turned.assign(year="2024"), turned.assign(analysis="another"))
    table = explained(pd.concat([SIX, SIX.assign(n_qids=2), *more]))
    of_records = table[table["explained_by"] == "n_records"]
    found = of_records[["analysis", "year", "n_qids", "n_states", "correlation"]]
    assert found.to_numpy().tolist() == [
        ["lines", "2023", 1, 6, 1.0],
        ["lines", "2023", 2, 6, 1.0],
        ["lines", "2024", 1, 6, pytest.approx(-1)],
        ["another", "2023", 1, 6, pytest.approx(-1)],
    ]


def test_several_explanations_are_without_those_that_do_not_vary():
    same = explained(
        SIX.assign(n_records=600, posterior_prob=[0.2, 0.1, 0.4, 0.3, 0.6, 0.9])
    )
    assert same["explained_by"].tolist()[-1] == (
        "sensitive_entropy|qids_entropy|mean_block_size"
    )
    assert 0 < same["r_squared"].iloc[-1] < 1
    assert pd.isna(column(same, "r_squared")["n_records"])


def test_explanations_that_are_left_alike_have_one_row():
    same = explained(SIX.assign(n_records=600, sensitive_entropy=1.0))
    assert same["explained_by"].tolist() == [*ALONE, "qids_entropy|mean_block_size"]


def test_if_fewer_than_two_vary_the_fit_of_several_is_missing():
    table = explained(
        SIX.assign(sensitive_entropy=1.0, qids_entropy=1.0, mean_block_size=2.0)
    )
    share = column(table, "r_squared")
    assert [name for name, value in share.items() if pd.notna(value)] == ["n_records"]
    assert len(share) == 6


def test_without_states_there_is_the_header():
    table = explained(pd.DataFrame(columns=[*STATES]))
    assert (tuple(table.columns), len(table)) == (EXPLAINED, 0)
