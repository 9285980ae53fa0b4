"""The worked numbers of Nunes' chapters 3 to 5 and appendix D, exactly."""

from fractions import Fraction

import numpy as np
import pyarrow.parquet as pq
import pytest

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from microleak.definitions.profile import partition
from tests.golden import golden, needs_golden
from tests.panels import collective
from tests.spec.leading_example import COLUMNS, GENDER, ILLNESS, codes, profiles

# In the order of the values: ("F", "no"), ("F", "yes"), ("M", "no"), ("M", "yes")


def crs(qids, columns=COLUMNS):
    return reidentification(profiles(columns, qids, "illness")[1])


def cas(qids, columns=COLUMNS):
    return attribute_inference(*profiles(columns, qids, "illness"))


def test_example_12_gender_and_illness_split_the_table_into_four_blocks():
    block = partition([codes(GENDER), codes(ILLNESS)])
    members = [[i + 1 for i in range(10) if block[i] == b] for b in range(4)]
    assert members == [[1, 8], [2, 3, 6, 7], [5, 9, 10], [4]]


def test_example_15_marginal_distribution_of_gender_and_illness():
    sizes = np.bincount(partition([codes(GENDER), codes(ILLNESS)]))
    assert sizes.tolist() == [2, 4, 3, 1]


@pytest.mark.parametrize(
    ("attack", "qids", "det", "prob", "ratio"),
    [
        (crs, ["age"], "1/10", ("1/10", "3/10"), 3),
        (crs, ["gender", "occupation"], "1/10", ("1/10", "5/10"), 5),
        (cas, ["age"], "1/10", ("1/2", "3/5"), "6/5"),
        (cas, ["gender", "occupation"], "3/5", ("1/2", "4/5"), "8/5"),
    ],
    ids=["48", "52, footnotes 1 and 2", "50", "54, footnotes 3 and 4"],
)
def test_an_attack_has_the_numbers_of_example(attack, qids, det, prob, ratio):
    v = attack(qids)
    assert (v.prior_det, v.posterior_det) == (0, Fraction(det))
    assert v.degradation_det == Fraction(det)
    assert (v.prior_prob, v.posterior_prob) == tuple(map(Fraction, prob))
    assert v.degradation_prob == Fraction(ratio)


@pytest.mark.parametrize(
    ("attack", "records"),
    [(crs, [0]), (cas, [i for i in range(10) if ILLNESS[i] == "yes"])],
    ids=["4.1, a single record", "4.7, a constant sensitive attribute"],
)
def test_what_is_alone_is_known_before_any_attack_by_equation(attack, records):
    some = {name: [column[i] for i in records] for name, column in COLUMNS.items()}
    v = attack(["age"], some)
    assert (v.prior_det, v.posterior_det, v.degradation_det) == (1, 1, 0)
    assert (v.prior_prob, v.posterior_prob, v.degradation_prob) == (1, 1, 1)


def test_equations_4_5_and_4_12_without_qids_the_posterior_is_the_prior():
    nothing = profiles(COLUMNS, ["age"], "illness")[0]
    assert reidentification(nothing).posterior_prob == Fraction(1, 10)
    assert reidentification(nothing).degradation_prob == 1
    assert attribute_inference(nothing, nothing).posterior_prob == Fraction(1, 2)
    assert attribute_inference(nothing, nothing).degradation_prob == 1


SINGLE = ("ex48", "ex50", "ex52_fn", "ex54_fn", "edge_crs", "edge_cas", "s003_equals")
NAMES = {
    "prior_det": "prior_det",
    "post_det": "posterior_det",
    "degrad_det": "degradation_det",
    "prior_prob": "prior_prob",
    "post_prob": "posterior_prob",
    "degrad_prob": "degradation_prob",
    "prior": "prior_prob",
    "posterior": "posterior_prob",
    "additive_leakage": "additive_leakage",
}


def entries():
    return [entry for entry in golden(*SINGLE) if entry["verified"]]


@needs_golden
@pytest.mark.parametrize("entry", entries(), ids=lambda e: e["id"])
def test_golden_numbers_of_single_releases_are_met_exactly(entry):
    given = entry["inputs"]
    table = given.get("table", given)
    rows = zip(*table["rows"], strict=True)
    columns = dict(zip(table["columns"], map(list, rows), strict=True))
    sensitive = given.get("sensitive", "illness")
    whole, profile = profiles(columns, given["qids"], sensitive)
    found = (
        attribute_inference(whole, profile)
        if "sensitive" in given
        else reidentification(profile)
    )
    wanted = {
        NAMES[name]: Fraction(value["exact"])
        for name, value in entry["expected"].items()
        if name in NAMES
    }
    assert {name: getattr(found, name) for name in wanted} == wanted


@needs_golden
def test_golden_numbers_of_single_releases_are_not_overlooked():
    assert len(entries()) == 7


FAMILIES = {
    "ex12_ ex15_ ex20_ ex47_ ex48_ ex49_ ex50_ ex51_ ex52_ ex53_ ex54_ edge_": 21,
    "sec214_ exp41_ exp42_ exp45_ exp46_ s003_": 8,
    "sec23_ tab63_ fn6_1_ tab64_ tab65_": 37,
    "s000_": 7,
    "s001_": 5,
    "s002_": 9,
}
"""Beginnings of the names of all golden entries, and how many have one of them."""


@needs_golden
def test_every_golden_entry_has_a_name_that_tests_know():
    names = [entry["id"] for entry in golden("")]
    found = {
        beginnings: sum(name.startswith(tuple(beginnings.split())) for name in names)
        for beginnings in FAMILIES
    }
    assert found == FAMILIES
    assert sum(found.values()) == len(names)


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
    releases = {"1": FOCAL, "2": AUXILIARY}
    found = collective(tmp_path, releases, QIDS, ["illness"], {"2": ("occupation",)})
    both = found[found["qids"] == "gender|occupation"]
    return both.set_index("attack")


def shares(row):
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
    for theirs in ("prior_det", "prior_prob", "degrad_det", "degrad_prob"):
        assert row[NAMES[theirs]] == float(Fraction(expected[theirs]["exact"]))
