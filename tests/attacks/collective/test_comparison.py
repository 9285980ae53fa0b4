"""Releases side by side, from exact counts."""

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.states import compare
from microleak.study.tables import result_tables as specs

COMPARISON = tuple(specs()["comparison"].names)

SERIES = {
    "census": [["2017", "2018", "2019"]],
    "survey": [["b", "a"]],
    "sia": [["RR-2022", "RR-2023"], ["SE-2022", "SE-2023"]],
}


def measures(focal, *rows, table="census"):
    """Collective measures of one analysis, from rows as `attack` gives them."""
    return pd.DataFrame([{"table": table, "focal": focal} | row for row in rows])


def attack(qids, n_certain, n_modal, n_records=100, sensitive="", auxiliary=""):
    return {
        "attack": f"C{'A' if sensitive else 'R'}{'L' if auxiliary else 'S'}",
        **{"auxiliary": auxiliary, "qids": qids, "n_qids": qids.count("|") + 1},
        **{"sensitive": sensitive, "n_records": n_records, "n_certain": n_certain},
        **{"n_modal": n_modal, "posterior_det": n_certain / n_records},
        "posterior_prob": n_modal / n_records,
    }


def pairs(*collective, columns=("earlier", "later", "qids")):
    found = compare(collective, SERIES)[list(columns)]
    return list(found.itertuples(index=False, name=None))


def test_the_same_attack_on_two_releases_is_one_row_with_both():
    earlier = measures("2018", attack("AGE|SEX", 20, 40, n_records=80))
    later = measures("2019", attack("AGE|SEX", 30, 50))
    (row,) = compare([earlier, later], SERIES).to_dict("records")
    assert row == {
        **{"table": "census", "kind": "successive", "earlier": "2018", "later": "2019"},
        **{"qids": "AGE|SEX", "n_qids": 2, "sensitive": "", "attack": "CRS"},
        **{"n_records_earlier": 80, "n_records_later": 100},
        **{"posterior_det_earlier": 0.25, "posterior_det_later": 0.3},
        **{"difference_det": 0.05, "posterior_prob_earlier": 0.5},
        **{"posterior_prob_later": 0.5, "difference_prob": 0.0},
    }


def test_an_attack_is_compared_with_the_next_release_of_its_series_that_has_it(
    table, attacked, compared
):
    """Whatever the order of its QIDs, which are named as in the earlier analysis."""
    collective = [
        measures(focal, *(attack(each, 1, 2) for each in qids.split()), table=table)
        for focal, qids in attacked.items()
    ]
    assert [[*each] for each in pairs(*collective)] == compared


def test_another_sensitive_attribute_or_table_is_another_attack():
    collective = [
        measures("2018", attack("AGE", 1, 2, sensitive="ILL")),
        measures("2019", attack("AGE", 1, 2, sensitive="BUS")),
        measures("a", attack("AGE", 1, 2, sensitive="ILL"), table="survey"),
    ]
    assert pairs(*collective) == []


def test_attacks_on_linked_releases_are_not_compared_but_those_on_the_focal_are():
    linked = measures("2017", attack("AGE", 1, 2), attack("AGE", 5, 9, auxiliary="x"))
    found = pairs(linked, measures("2018", attack("AGE", 3, 4)), columns=COMPARISON)
    assert len(found) == 1
    assert found[0][COMPARISON.index("posterior_det_earlier")] == 0.01


def test_of_several_analyses_of_one_release_the_first_counts():
    twice = [measures("2018", attack("AGE", n, 50)) for n in (10, 20)]
    found = pairs(
        *twice, measures("2019", attack("AGE", 40, 50)), columns=["difference_det"]
    )
    assert found == [(0.3,)]


def test_rows_are_by_table_releases_subject_size_and_the_earlier_analysis():
    rows = [
        attack("SEX", 1, 2, sensitive="ILL"),
        attack("SEX|AGE", 1, 2),
        attack("SEX", 1, 2),
        attack("AGE", 1, 2),
    ]
    collective = [
        measures("a", *rows[3:], table="survey"),
        measures("b", *rows[3:], table="survey"),
        *(measures(focal, *rows) for focal in ("2019", "2018", "2017")),
    ]
    columns = ["table", "earlier", "sensitive", "qids"]
    assert pairs(*collective, columns=columns) == [
        *(
            ("census", earlier, sensitive, qids)
            for earlier in ("2017", "2018")
            for sensitive, qids in [
                ("", "SEX"),
                ("", "AGE"),
                ("", "SEX|AGE"),
                ("ILL", "SEX"),
            ]
        ),
        ("survey", "b", "", "AGE"),
    ]


@pytest.mark.parametrize("collective", [[], [measures("2018", attack("AGE", 1, 2))]])
def test_with_nothing_to_compare_there_is_the_header(collective):
    found = compare(collective, SERIES)
    assert (tuple(found.columns), len(found)) == (COMPARISON, 0)


MADE = [("census", "2018", "coarse"), ("census", "coarse", "coarser")]


def test_a_protection_stands_beside_what_it_is_made_of_after_successive_releases(
    attacked, compared
):
    collective = [measures(focal, attack("AGE", 1, 2)) for focal in attacked]
    found = compare(collective, SERIES, MADE)[["kind", "earlier", "later"]]
    assert found.to_numpy().tolist() == compared


def test_a_protection_is_compared_in_the_attacks_that_its_origin_has_too():
    origin = measures("2018", attack("AGE|SEX", 20, 40), attack("SEX", 2, 4))
    coarse = measures("coarse", attack("SEX|AGE", 5, 10, n_records=50))
    (row,) = compare([coarse, origin], SERIES, MADE).to_dict("records")
    assert (row["qids"], row["n_records_earlier"], row["n_records_later"]) == (
        *("AGE|SEX", 100, 50),
    )
    assert (row["difference_det"], row["difference_prob"]) == (-0.1, -0.2)


counts = st.tuples(st.integers(0, 10**9), st.integers(1, 10**9)).map(sorted)


@given(counts, counts)
def test_a_difference_is_that_of_the_exact_fractions_rounded_once(earlier, later):
    collective = [
        measures(focal, attack("AGE", n, n, n_records))
        for focal, (n, n_records) in [("2018", earlier), ("2019", later)]
    ]
    exact = Fraction(*later) - Fraction(*earlier)
    found = compare(collective, SERIES)
    assert found["difference_det"].tolist() == [float(exact)]
    assert found["difference_prob"].tolist() == [float(exact)]
