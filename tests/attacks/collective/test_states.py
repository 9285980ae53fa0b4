"""States side by side, from what the analyses of each found."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.measure import SCHEMA
from microleak.attacks.collective.states import AnalysisOfStates, states
from microleak.study.tables import result_tables as specs

STATES = tuple(specs()["states"].names)

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
        assert (tuple(table.columns), len(table)) == (STATES, 0)
