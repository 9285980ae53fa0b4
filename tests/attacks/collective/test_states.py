"""Releases and states side by side, from what the analyses of each found."""

from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from microleak.attacks.collective.measure import SCHEMA
from microleak.attacks.collective.states import AnalysisOfStates, compare, states
from microleak.study.tables import result_tables as specs

RELEASES = [
    ("sia", "RR-2022", "RR", "2022"),
    ("sia", "SE-2023", "SE", "2023"),
    ("sia", "RR-2023", "RR", "2023"),
    ("another", "AC-2021", "AC", "2021"),
]
ANALYSES = [
    (f"{name}-{place[1]}", name, *place)
    for place in RELEASES
    for name in ("demo", "second")
]
KINDS = [(1, 2, 60), (9, 10, 20), (10, 11, 11), (1, 1, 5)]
"""Records by success: of a hundred 16 above nine tenths."""


def worst_row(qids, n_modal, **other):
    return {
        **{"criterion": "probabilistic", "auxiliary": "", "sensitive": "ill"},
        **{"qids": qids, "n_qids": qids.count("|") + 1, "n_records": 100},
        **{"prior_prob": 0.1, "posterior_prob": n_modal / 100},
        "additive_leakage": (n_modal - 10) / 100,
    } | other


def entropy_row(role, attributes, entropy):
    sizes = {"mean_block_size": 10 * entropy, "expected_block_size": 20 * entropy}
    return {"role": role, "attributes": attributes, "entropy": entropy} | sizes


ENTROPY = pd.DataFrame(
    [
        entropy_row("qid", "age", 1.5),
        entropy_row("qid", "age|sex", 2.5),
        entropy_row("sensitive", "ill", 0.5),
        entropy_row("sensitive", "age", 0.75),
    ]
)


@pytest.fixture
def analysis(tmp_path):
    """What an analysis of a release found, from rows as `worst_row` gives them."""

    def made(focal, *rows, kinds=KINDS, table="sia", name="demo"):
        name = f"{name}-{focal}"
        which = {"analysis": name, "table": table, "focal": focal}
        worst = pd.DataFrame([which | row for row in rows])
        path = tmp_path / f"{name}.parquet"
        attacked = {(r["auxiliary"], r["sensitive"], r["qids"]): r for r in rows}
        success = [
            which
            | {"attack": "CAS", "bin": 0, "auxiliary": row["auxiliary"]}
            | {name: row[name] for name in ("sensitive", "qids", "n_qids")}
            | dict(zip(["numerator", "denominator", "n_records"], kind, strict=True))
            for row in attacked.values()
            for kind in kinds
        ]
        pq.write_table(pa.Table.from_pylist(success, schema=SCHEMA), path)
        return AnalysisOfStates(worst, path, ENTROPY)

    return made


def rows(found, *names):
    return states(found, ANALYSES)[list(names)].to_numpy().tolist()


def test_a_state_has_its_worst_subset_and_what_may_explain_it(analysis):
    (row,) = states([analysis("RR-2023", worst_row("age", 57))], ANALYSES).to_dict(
        "records"
    )
    assert row == {
        **{"analysis": "demo", "table": "sia", "release": "RR-2023", "state": "RR"},
        **{"year": "2023", "sensitive": "ill", "n_qids": 1, "qids": "age"},
        **{"n_records": 100, "prior_prob": 0.1, "posterior_prob": 0.57},
        **{"additive_leakage": 0.47, "n_above_90": 16, "share_above_90": 0.16},
        **{"sensitive_entropy": 0.5, "qids_entropy": 1.5, "mean_block_size": 15.0},
        "expected_block_size": 30.0,
    }


def test_a_success_of_exactly_nine_tenths_is_not_above(analysis):
    kinds = [(899, 1000, 1), (9, 10, 2), (901, 1000, 4)]
    found = analysis("RR-2023", worst_row("age", 57), kinds=kinds)
    assert rows([found], "n_above_90") == [[4]]


def test_where_nobody_is_above_it_is_zero_and_not_missing(analysis):
    found = analysis("RR-2023", worst_row("age", 57), kinds=[(1, 2, 100)])
    assert rows([found], "n_above_90", "share_above_90") == [[0, 0]]


def test_records_are_counted_of_the_worst_subset_alone(analysis):
    chosen, other = worst_row("age|sex", 57), worst_row("age", 40)
    found = analysis("RR-2023", chosen, other)
    worst = found.worst[found.worst["qids"] == "age|sex"]
    only = AnalysisOfStates(worst, found.success, found.entropy)
    assert rows([only], "qids", "n_above_90") == [["age|sex", 16]]


def test_other_criteria_linked_releases_and_reidentification_do_not_count(analysis):
    found = analysis(
        "RR-2023",
        worst_row("age", 57, criterion="deterministic"),
        worst_row("age", 58, auxiliary="RR-2022"),
        worst_row("age", 59, sensitive=""),
        worst_row("age", 60),
    )
    assert rows([found], "posterior_prob", "n_above_90") == [[0.6, 16]]


def test_analyses_of_other_qids_are_not_mixed(analysis):
    found = [
        analysis("RR-2023", worst_row("sex", 57), name="second"),
        analysis("RR-2023", worst_row("age", 60)),
        analysis("SE-2023", worst_row("age", 40)),
    ]
    assert rows(found, "analysis", "release", "qids", "posterior_prob") == [
        ["second", "RR-2023", "sex", 0.57],
        ["demo", "SE-2023", "age", 0.4],
        ["demo", "RR-2023", "age", 0.6],
    ]


def test_of_several_compared_as_one_on_one_release_the_first_counts(analysis):
    first = analysis("RR-2023", worst_row("age", 57))
    again = analysis("RR-2023", worst_row("age", 60), name="again")
    alike = [*ANALYSES, ("again-RR-2023", "demo", *RELEASES[2])]
    assert states([first, again], alike)["posterior_prob"].tolist() == [0.57]


def test_rows_are_by_analysis_year_attribute_size_and_the_release_in_the_study(
    analysis,
):
    each = [
        worst_row("age|sex", 70),
        worst_row("age", 57),
        worst_row("age", 57, sensitive="age"),
    ]
    found = [
        analysis("AC-2021", each[1], table="another", name="second"),
        *(analysis(focal, *each) for focal in ("RR-2023", "SE-2023", "RR-2022")),
    ]
    columns = ["year", "sensitive", "n_qids", "release"]
    assert rows(found, *columns) == [
        ["2021", "ill", 1, "AC-2021"],
        ["2022", "ill", 1, "RR-2022"],
        ["2022", "ill", 2, "RR-2022"],
        ["2022", "age", 1, "RR-2022"],
        ["2023", "ill", 1, "SE-2023"],
        ["2023", "ill", 1, "RR-2023"],
        ["2023", "ill", 2, "SE-2023"],
        ["2023", "ill", 2, "RR-2023"],
        ["2023", "age", 1, "SE-2023"],
        ["2023", "age", 1, "RR-2023"],
    ]


def test_without_states_or_sensitive_attributes_there_is_the_header(analysis):
    nothing_inferred = analysis("RR-2023", worst_row("age", 57, sensitive=""))
    for found in ([], [nothing_inferred]):
        table = states(found, ANALYSES if found else [])
        assert (list(table.columns), len(table)) == (specs()["states"].names, 0)


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
    alone = measures("2018", attack("AGE", 3, 4))
    assert pairs(linked, alone, columns=["posterior_det_earlier"]) == [(0.01,)]


def test_of_several_analyses_of_one_release_the_first_counts():
    twice = [measures("2018", attack("AGE", n, 50)) for n in (10, 20)]
    later = measures("2019", attack("AGE", 40, 50))
    assert pairs(*twice, later, columns=["difference_det"]) == [(0.3,)]


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
    sizes = ["SEX", "AGE", "SEX|AGE"]
    assert pairs(*collective, columns=columns) == [
        *(
            ("census", earlier, sensitive, qids)
            for earlier in ("2017", "2018")
            for sensitive, qids in [*(("", q) for q in sizes), ("ILL", "SEX")]
        ),
        ("survey", "b", "", "AGE"),
    ]


@pytest.mark.parametrize("collective", [[], [measures("2018", attack("AGE", 1, 2))]])
def test_with_nothing_to_compare_there_is_the_header(collective):
    found = compare(collective, SERIES)
    assert (list(found.columns), len(found)) == (specs()["comparison"].names, 0)


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
