"""Nunes, chapter 5 and appendix D.2: attacks on panels."""

from fractions import Fraction

import pyarrow.parquet as pq
import pytest

from tests.golden import golden, needs_golden
from tests.panels import collective

FOCAL = {
    "01": {"age": 25, "gender": "F", "occupation": 1, "illness": "no"},
    "02": {"age": 25, "gender": "F", "occupation": 1, "illness": "yes"},
    "03": {"age": 25, "gender": "F", "occupation": 3, "illness": "yes"},
    "04": {"age": 25, "gender": "M", "occupation": 2, "illness": "yes"},
    "05": {"age": 25, "gender": "M", "occupation": 2, "illness": "no"},
    "06": {"age": 49, "gender": "F", "occupation": 3, "illness": "yes"},
    "07": {"age": 49, "gender": "F", "occupation": 3, "illness": "yes"},
    "08": {"age": 49, "gender": "F", "occupation": 5, "illness": "no"},
    "09": {"age": 49, "gender": "M", "occupation": 4, "illness": "no"},
    "10": {"age": 60, "gender": "M", "occupation": 4, "illness": "no"},
}
AUXILIARY = {
    "01": {"age": 26, "occupation": 2},
    "02": {"age": 26, "occupation": 1},
    "03": {"age": 26, "occupation": 3},
    "04": {"age": 26, "occupation": 2},
    "05": {"age": 26, "occupation": 2},
    "06": {"age": 50, "occupation": 4},
    "07": {"age": 50, "occupation": 3},
    "08": {"age": 50, "occupation": 5},
    "09": {"age": 50, "occupation": 4},
    "11": {"age": 19, "occupation": 1},
}
QIDS = ("gender", "occupation")


@pytest.fixture
def measures(tmp_path):
    """Measures of Examples 52 and 54 by attack, for both QIDs."""
    releases = {"1": FOCAL, "2": AUXILIARY}
    found = collective(tmp_path, releases, QIDS, ["illness"], {"2": ("occupation",)})
    both = found[found["qids"] == "gender|occupation"]
    return both.set_index("attack")


def shares(row):
    """Both posteriors as exact fractions."""
    n = int(row["n_records"])
    return Fraction(int(row["n_certain"]), n), Fraction(int(row["n_modal"]), n)


def test_example_20_keeps_the_focal_persons_and_only_these(tmp_path):
    collective(tmp_path, {"1": FOCAL, "2": AUXILIARY}, ["age", "occupation"])
    table = pq.read_table(tmp_path / "panel-2")
    rows = [tuple(row.values()) for row in table.to_pylist()]
    expected = [(str(a["age"]), str(a["occupation"])) for a in AUXILIARY.values()]
    assert table.column_names == ["age|2", "occupation|2"]
    assert rows == [*expected[:9], (None, None)]


@pytest.mark.parametrize(
    ("attack", "posteriors", "prior", "degradations"),
    [
        ("CRL", ("3/5", "4/5"), 1 / 10, (0.6, 8)),
        ("CRS", ("1/10", "1/2"), 1 / 10, (0.1, 5)),
        ("CAL", ("4/5", "9/10"), 1 / 2, (0.8, 1.8)),
        ("CAS", ("3/5", "4/5"), 1 / 2, (0.6, 1.6)),
    ],
    ids=["52", "52, footnotes 1 and 2", "54", "54, footnotes 3 and 4"],
)
def test_an_attack_with_an_absent_person_has_the_numbers_of_example(
    measures, attack, posteriors, prior, degradations
):
    row = measures.loc[attack]
    assert shares(row) == tuple(map(Fraction, posteriors))
    assert (row["prior_det"], row["prior_prob"]) == (0, prior)
    assert (row["degradation_det"], row["degradation_prob"]) == degradations


def people_of(table):
    """People by identifier, from a table of the golden file."""
    rows = [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]
    return {f"{row.pop('id'):02}": row for row in rows}


@needs_golden
@pytest.mark.parametrize(("name", "attack"), [("ex52_crl", "CRL"), ("ex54_cal", "CAL")])
def test_golden_numbers_of_panels_are_met_exactly(tmp_path, name, attack):
    (entry,) = golden(name)
    given, expected = entry["inputs"], entry["expected"]
    releases = {"1": people_of(given["focal"]), "2": people_of(given["auxiliary"])}
    has = next(iter(releases["2"].values()))
    fewer = {"2": tuple(qid for qid in given["qids"] if qid in has)}
    found = collective(tmp_path, releases, given["qids"], ["illness"], fewer)
    row = found[(found["attack"] == attack) & (found["n_qids"] == 2)].iloc[0]
    wanted = (expected["post_det"]["exact"], expected["post_prob"]["exact"])
    assert shares(row) == tuple(map(Fraction, wanted))
    for ours, theirs in (
        ("prior_det", "prior_det"),
        ("prior_prob", "prior_prob"),
        ("degradation_det", "degrad_det"),
        ("degradation_prob", "degrad_prob"),
    ):
        assert row[ours] == float(Fraction(expected[theirs]["exact"]))
