"""The shared golden numbers of CRS and CAS, where they are at hand."""

from fractions import Fraction

import pytest

from microleak.attacks.collective.definitions.attribute_inference import (
    attribute_inference,
)
from microleak.attacks.collective.definitions.reidentification import reidentification
from tests.golden import golden, needs_golden
from tests.spec.leading_example import profiles

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
