"""The twin knows who was asked, so what the attack on membership claims is checked."""

import numpy as np
import pandas as pd
import pytest

from microleak.attacks.membership.definitions.membership import presence_in_population
from microleak.definitions.overlap import Overlap
from tests.calibration.surveyed import (
    PLACE,
    QIDS,
    WITHOUT_RACE,
    Surveyed,
    blocks_of,
    calibration,
    surveyed,
)

pytestmark = pytest.mark.long

SCHOOLS, SEED = 500, 2021


@pytest.fixture(scope="module")
def both():
    return surveyed(SCHOOLS, SEED).in_capitals


def test_persons_claimed_and_asked_are_counted_by_bin():
    """Of three blocks one has half of two in the sample, who were not asked there."""
    population = pd.DataFrame({"place": list("aabccc")}, index=list("123456"))
    sample = pd.DataFrame({"place": list("abx")}, index=list("345"))
    found = calibration(blocks_of(Surveyed(population, sample), ["place"]))
    assert found.index.tolist() == ["0", "below 1", "1"]
    assert found["persons"].tolist() == [3, 2, 1]
    assert found["claimed"].tolist() == [0, 0.5, 1]
    assert found["asked"].tolist() == [2, 0, 1]


def test_claims_are_those_that_the_measures_of_presence_have(both):
    blocks = blocks_of(both, QIDS)
    n, d = blocks["n"].to_numpy(), blocks["d"].to_numpy()
    kinds = Overlap(n, d, np.ones_like(n))
    exact = presence_in_population(kinds)
    chance = exact.numerator / exact.denominator
    found = calibration(blocks)
    assert found.loc["1", "persons"] == exact.n_records[chance == 1].sum()
    assert found["claims"].sum() == pytest.approx(chance @ exact.n_records)


def test_what_everybody_answers_as_the_census_says_is_claimed_exactly(both):
    blocks = blocks_of(both, ["TP_SEXO", PLACE])
    assert (blocks["d"] == blocks["asked"]).all()


def test_where_the_sample_says_too_little_nobody_is_claimed_too_boldly(both):
    """Who does not tell month or year of birth is looked for where nobody is."""
    blocks = blocks_of(both, WITHOUT_RACE)
    assert (blocks["d"] <= blocks["asked"]).all()
    assert 0.97 < blocks["d"].sum() / blocks["asked"].sum() < 1


def test_without_race_claims_are_right_within_a_hundredth(both):
    found = calibration(blocks_of(both, WITHOUT_RACE))
    assert len(found) == 7
    assert (found["true"] - found["claimed"]).abs().max() < 0.01


def test_with_race_claims_are_too_bold_in_every_bin_but_that_of_the_absent(both):
    """One in seven answers another race than the census has, and not all declare it."""
    absent, *present = calibration(blocks_of(both, QIDS)).itertuples()
    assert absent.claimed == 0 < absent.true < 0.005
    assert all(0.3 * row.claimed < row.true < 0.95 * row.claimed for row in present)
