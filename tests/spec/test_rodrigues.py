"""Rodrigues, sections 3.4 to 3.6: who is in a sample, exactly."""

from fractions import Fraction
from itertools import combinations
from math import comb

import pandas as pd
import pytest

import microleak
from microleak.attacks.membership.definitions.designs import Kind, Stratum, presence
from microleak.attacks.membership.definitions.membership import (
    collective_membership,
    degradation_printed,
    membership,
    presence_in_population,
    prior,
)
from microleak.base.paths import CONFIG
from tests.golden import golden, needs_golden
from tests.overlaps import (
    MG_WOMAN,
    POPULATION,
    SAMPLE,
    SP_MAN,
    WOMAN,
    blocks,
    mean,
    overlap_of,
)


def attacked(target):
    n, d = POPULATION.count(target), SAMPLE.count(target)
    return membership(n, d, len(POPULATION), len(SAMPLE))


def test_the_prior_is_the_share_of_samples_that_have_the_target():
    samples = list(combinations(range(10), 4))
    share = Fraction(sum(0 in sample for sample in samples), len(samples))
    assert prior(10, 4) == share == Fraction(comb(9, 3), comb(10, 4)) == Fraction(2, 5)


def test_figure_3_a_woman_who_is_unique_in_both_is_certainly_in_the_sample():
    found = attacked(WOMAN)
    assert (found.n, found.d, found.prior) == (1, 1, Fraction(2, 5))
    assert found.posterior_printed == found.posterior == 1
    assert found.degradation_printed == found.degradation == Fraction(5, 2)


def test_the_printed_posterior_of_one_of_two_is_no_chance():
    found = attacked(MG_WOMAN)
    assert (found.posterior_printed, found.degradation_printed) == (2, 5)
    assert (found.posterior, found.degradation) == (Fraction(1, 2), Fraction(5, 4))
    assert found.bayes_prior == Fraction(3, 5)
    assert found.bayes_posterior == Fraction(1, 2)


def test_of_a_man_whom_the_sample_lacks_bayes_alone_is_certain():
    found = attacked(SP_MAN)
    assert (found.posterior_printed, found.posterior, found.degradation) == (0, 0, 0)
    assert found.bayes_posterior == 1


def test_section_3_2_the_second_sensitive_attribute_is_told_of_who_is_found():
    folder = CONFIG / "papers/data"
    both = [pd.read_csv(folder / f"rodrigues-table-{n}.csv", dtype=str) for n in (1, 2)]
    qids, sensitive = ["ESTADO", "SEXO", "IDADE"], ["ATRIBUTO_SENSIVEL_2"]
    told = microleak.membership(*both, qids, sensitive=sensitive, subsets="full")
    (row,) = told.answers.to_dict("records")
    found = Fraction(row["posterior_found"]).limit_denominator(100)
    # The woman from São Paulo is alone in both; of two from Minas Gerais, and of three
    # men from Rio, one and two are in the sample, these with 0 and 1.
    assert found == (1 + Fraction(1, 2) + Fraction(2, 3)) / 4 == Fraction(13, 24)
    assert (row["posterior_value"], row["certain"]) == (3 / 4, 1 / 4)


def test_section_3_5_has_three_expected_degradations_and_that_of_bayes():
    found = collective_membership(overlap_of(POPULATION, SAMPLE))
    assert found.degradation_printed == Fraction(45, 16)
    assert found.degradation_partition == Fraction(65, 48)
    assert found.degradation_person == Fraction(85, 48)
    assert found.bayes_prior == Fraction(3, 5)
    assert found.bayes_posterior == Fraction(4, 5)
    assert found.bayes_degradation == Fraction(4, 3)
    assert (found.n_blocks_population, found.n_blocks_sample) == (4, 3)
    assert (found.n_sample_unique, found.n_found, found.n_unique_both) == (2, 2, 1)
    assert (found.n_not_found, found.n_blocks_in_excess) == (0, 0)


def test_presence_averaged_over_the_population_is_that_of_the_prior():
    assert mean(presence_in_population(overlap_of(POPULATION, SAMPLE))) == prior(10, 4)


def test_section_3_6_1_a_student_who_is_unique_in_both_is_171_83_times_as_likely():
    found = membership(n=1, d=1, n_population=462_054, n_sample=2_689)
    assert found.degradation == Fraction(462_054, 2_689)
    assert f"{float(found.degradation):.2f}" == "171.83"


def test_section_3_6_1_99_of_125_unique_students_are_found_and_17_are_certain():
    unique = (1, 1, 17), (2, 1, 82), (0, 1, 26)
    rest = (6_000, 7, 76), (5_873, 2_032, 1)
    found = collective_membership(blocks(*unique, *rest))
    assert (found.n_population, found.n_sample) == (462_054, 2_689)
    assert (found.n_sample_unique, found.n_found, found.n_unique_both) == (125, 99, 17)
    assert found.n_not_found == 26


def test_section_3_6_2_the_published_6_95_is_below_what_the_formula_gives():
    """99 uniques found, 17 of them with n = 1, add n/d >= 17 + 2 * 82 alone."""
    both = blocks((1, 1, 17), (2, 1, 82), (0, 2_590, 1), (461_873, 0, 1))
    assert degradation_printed(both) == Fraction(83_631_774, 7_230_721)
    assert degradation_printed(both) > Fraction("6.95")


ENTRIES = {entry["id"]: entry for entry in golden("s000_")}
INDIVIDUAL = {
    **{name: name for name in ("prior", "bayes_prior", "n", "d")},
    **{"post_as_printed": "posterior_printed", "post_presence": "posterior"},
    **{"degrad_as_printed": "degradation_printed", "degrad_presence": "degradation"},
    **{"degrad": "degradation", "bayes_post": "bayes_posterior"},
}
COLLECTIVE = {
    "expected_as_printed": "degradation_printed",
    "expected_swapped_per_partition": "degradation_partition",
    "expected_corrected": "degradation_person",
    "bayes_prior": "bayes_prior",
    "bayes_post": "bayes_posterior",
    "bayes_degrad": "bayes_degradation",
}


def records_of(given):
    for table in (given["population"], given["sample"]):
        places = [table["columns"].index(qid) for qid in given["qids"]]
        yield [tuple(row[place] for place in places) for row in table["rows"]]


def individually(given):
    if "D" in given:
        return membership(given["n"], given["d"], given["D"], given["S"])
    population, sample = records_of(given)
    target = tuple(given["target"])
    counts = population.count(target), sample.count(target)
    return membership(*counts, len(population), len(sample))


@needs_golden
@pytest.mark.parametrize(
    "name", [n for n in ENTRIES if "individual" in n or n == "s000_pense"]
)
def test_golden_individual_attacks_are_met_exactly(name):
    found, expected = individually(ENTRIES[name]["inputs"]), ENTRIES[name]["expected"]
    for theirs, value in expected.items():
        assert getattr(found, INDIVIDUAL[theirs]) == Fraction(value["exact"]), theirs


@needs_golden
def test_golden_collective_attack_is_met_exactly():
    given = ENTRIES["s000_expected_degradation"]["inputs"]
    expected = ENTRIES["s000_expected_degradation"]["expected"]
    both = overlap_of(*records_of(given))
    found = collective_membership(both)
    for theirs, ours in COLLECTIVE.items():
        assert getattr(found, ours) == Fraction(expected[theirs]["exact"]), theirs
    over = Fraction(expected["expected_over_population"]["exact"])
    assert mean(presence_in_population(both)) / found.prior == over


@needs_golden
def test_golden_numbers_of_membership_are_not_overlooked():
    assert len(ENTRIES) == 7


@pytest.mark.parametrize(("n", "d"), [(1, 1), (64, 7), (2000, 12)])
def test_belo_horizonte_is_the_design_of_one_uniform_stratum(n, d):
    """Section 3.6.1: 2,689 of 462,054 were drawn; who is alone in both is there."""
    drawn = Stratum(462_054, 2_689, Fraction(1), False, (Kind(n),))
    assert drawn.inclusion == prior(462_054, 2_689)
    ((chance,),) = presence((drawn,), d)
    assert chance == Fraction(d, n)
    assert n > 1 or float(round(chance / drawn.inclusion, 2)) == 171.83
