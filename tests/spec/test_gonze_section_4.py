"""Gonze's section 4.3: what the leakage of the 27 states goes together with."""

import csv
from fractions import Fraction
from pathlib import Path

import pytest

from microleak.attacks.correlation import correlation, r_squared

TABLE_2 = Path(__file__).parents[3] / "shared" / "golden" / "gonze_table2.csv"


@pytest.fixture
def printed():
    """The printed columns of Table 2, in percent."""
    with TABLE_2.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    names = ["prior", *(f"q{n}" for n in range(1, 8))]
    return {name: [Fraction(row[name]) for row in rows] for name in names}


@pytest.mark.skipif(
    not TABLE_2.exists(), reason="needs ../shared/golden/gonze_table2.csv"
)
@pytest.mark.parametrize("n_qids", range(1, 8))
def test_a_high_prior_does_not_go_with_a_high_leakage(printed, n_qids):
    prior, leakage = printed["prior"], printed[f"q{n_qids}"]
    assert len(leakage) == 27
    assert -0.37 < correlation(prior, leakage) < -0.26
    assert r_squared([prior], leakage) < Fraction(2, 15)
