"""Membership from files of records: its tables, a single target, refusals and costs."""

import random
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest

from microleak.attacks.membership.definitions.membership import (
    bayes,
    collective_membership,
    membership,
    posterior,
    presence_in_population,
    presence_in_sample,
)
from microleak.attacks.membership.jobs import PUBLICATION
from microleak.attacks.membership.measure import attack_member, membership_tables
from microleak.base.errors import TableError
from microleak.definitions.profile import success_bin
from microleak.run.rounds import profile_estimates
from microleak.study.tables import result_tables
from tests.compared import (
    CODED,
    PENSE,
    compared,
    files,
    member_analysis,
    overlaps,
    profiled,
)
from tests.overlaps import POPULATION, SAMPLE, WOMAN, blocks
from tests.study_file.given import loaded

NAMES = ("state", "sex", "age")


def tables(folder, population, sample, names=NAMES, **more):
    analysis = compared(names, **more)
    both = files(folder, population, sample, names)
    found = membership_tables(profiled(folder, both, analysis), analysis)
    return SimpleNamespace(**found)


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return tables(tmp_path_factory.mktemp("example"), POPULATION, SAMPLE)


def row(table, qids):
    (found,) = table[table["qids"] == qids].to_dict("records")
    return found


def test_rows_are_by_size_and_in_the_order_of_the_study(example):
    assert list(example.membership["qids"]) == [
        *("state", "sex", "age"),
        *("state|sex", "state|age", "sex|age", "state|sex|age"),
    ]


def test_the_papers_example_has_its_degradations_under_each_name(example):
    found = row(example.membership, "state|sex|age")
    expected = {
        **{"analysis": "c", "population": "people", "population_release": "1"},
        **{"sample": "survey", "sample_release": "2", "n_qids": 3},
        **{"degradation_printed": 45 / 16, "degradation_partition": 65 / 48},
        **{"degradation_person": 85 / 48, "prior": 0.4, "posterior_person": 17 / 24},
        **{"bayes_prior": 0.6, "bayes_posterior": 0.8},
        **{"n_population": 10, "n_sample": 4, "n_blocks_population": 4},
        **{"n_blocks_sample": 3, "n_sample_unique": 2, "n_found": 2},
        **{"n_unique_both": 1, "n_not_found": 0},
    }
    assert {name: found[name] for name in expected} == expected


def test_of_subsets_that_are_equally_bad_the_first_is_shown(example):
    """State tells as much as state and age, sex and age as much as state and sex."""
    shown = example.presence.drop_duplicates("n_qids")["qids"]
    assert list(shown) == ["state", "state|sex", "state|sex|age"]


def test_the_subset_is_shown_in_which_the_persons_of_the_sample_are_likeliest_found(
    tmp_path,
):
    population = [("a", "x"), ("a", "y"), ("b", "x"), ("b", "z")]
    found = tables(tmp_path, population, [("a", "y")], ("vague", "telling"))
    assert list(found.uniques["qids"]) == ["telling", "vague|telling"]


def test_presence_has_the_chance_of_each_person(example):
    """d/n is 1/1, 1/2 and 2/3, and 0 for the four whom the sample does not have."""
    whole = example.presence[example.presence["n_qids"] == 3]
    counted = {
        persons_of: dict(zip(part["bin"], part["n_records"], strict=True))
        for persons_of, part in whole.groupby("persons_of")
    }
    assert counted["sample"] == {50: 1, 66: 2, 100: 1}
    assert counted["population"] == {0: 4, 50: 2, 66: 3, 100: 1}


def test_uniques_are_counted_by_whom_of_the_population_they_may_be(tmp_path):
    population = [("a",), ("b",), ("b",), ("c",), ("c",), ("d",), ("d",)]
    sample = [("a",), ("b",), ("c",), ("d",), ("d",), (None,)]
    found = tables(tmp_path, population, sample, ("letter",)).uniques
    counted = zip(found["n_fitting"], found["n_sample_unique"], strict=True)
    assert list(counted) == [(0, 1), (1, 1), (2, 2)]


def test_a_missing_value_is_found_where_the_population_has_it(tmp_path):
    sample = [(None,), ("",)]
    found = tables(tmp_path, [(None,), (None,), ("a",)], sample, ("letter",))
    counts = row(found.membership, "letter")
    assert (counts["n_found"], counts["n_not_found"]) == (1, 1)


def test_only_persons_with_values_to_keep_count(tmp_path):
    keep = {"state": ("SP", None)}
    found = tables(tmp_path, POPULATION, SAMPLE, keep=keep).membership
    assert set(found["n_population"]) == {5}
    assert set(found["n_sample"]) == {1}


def attacked(folder, known, population=POPULATION, sample=SAMPLE, **more):
    both = files(folder, population, sample, NAMES)
    table = attack_member(*both, compared(NAMES, **more), "t", known, {})
    (row,) = table.astype(object).where(table.notna(), None).to_dict("records")
    return row


def test_the_papers_woman_is_certainly_in_the_sample(tmp_path):
    row = attacked(tmp_path, {"state": "SP", "sex": "F"})
    assert (row["target"], row["known"], row["n_known"]) == ("t", "state|sex", 2)
    assert (row["outcome"], row["n"], row["d"]) == ("match", 1, 1)
    assert (row["prior"], row["posterior"], row["degradation"]) == (0.4, 1, 2.5)
    assert (row["posterior_printed"], row["degradation_printed"]) == (1, 2.5)


def test_who_is_not_in_the_population_has_no_posterior(tmp_path):
    row = attacked(tmp_path, {"state": "nowhere"})
    assert (row["outcome"], row["n"], row["prior"]) == ("no match", 0, 0.4)
    empty = ("posterior_printed", "degradation_printed", "posterior", "degradation")
    assert [row[name] for name in (*empty, "bayes_posterior")] == [None] * 5


def test_the_sample_is_asked_in_the_codes_of_the_population(tmp_path):
    students = [("1", "3", "A"), ("2", "4", "A"), ("2", "4", "B")]
    both = files(tmp_path, students, [("99", "3", "A")], [*PENSE], PENSE.values())
    known = {"race": {"TP_COR_RACA": "4"}, "sex": {"TP_SEXO": None}}
    analysis = compared(PENSE, crosswalk=CODED)
    found = [attack_member(*both, analysis, *of, {}).iloc[0] for of in known.items()]
    assert [(row["n"], row["d"]) for row in found] == [(2, 1), (0, 1)]


@pytest.mark.parametrize(
    ("sample", "keep", "said"),
    [
        (SAMPLE[:2], {"sex": ("M",)}, "the sample survey 2 has no record"),
        ([*POPULATION, WOMAN], {}, "survey 2 has 11, more than the 10 of the"),
    ],
)
def test_nobody_is_attacked_in_a_sample_that_cannot_be(tmp_path, sample, keep, said):
    with pytest.raises(TableError, match=said):
        attacked(tmp_path, {"sex": "F"}, sample=sample, keep=keep)


def test_who_prints_an_analysis_does_not_see_what_is_known():
    assert "canary" not in repr(member_analysis(NAMES, {"t": {"state": "canary"}}))


def test_the_table_of_a_target_is_confidential_and_says_so():
    member = result_tables()["member"]
    assert member.audience == "confidential"
    assert member.description["en"].startswith("Confidential")


def test_nothing_is_said_of_a_target_that_the_population_does_not_have():
    found = membership(n=0, d=3, n_population=10, n_sample=4)
    assert found.outcome == "no match"
    assert (found.posterior_printed, found.degradation_printed) == (None, None)
    assert (found.posterior, found.degradation) == (None, None)
    assert (found.bayes_posterior, found.bayes_degradation) == (None, None)
    assert (found.prior, found.bayes_prior) == (Fraction(2, 5), Fraction(3, 5))


@pytest.mark.parametrize(
    ("d", "present", "right"),
    [(0, 0, 1), (1, "1/4", "3/4"), (2, "1/2", "1/2"), (3, "3/4", "3/4"), (4, 1, 1)],
)
def test_bayes_guesses_absence_until_half_of_the_block_is_sampled(d, present, right):
    assert (posterior(4, d), bayes(4, d)) == (Fraction(present), Fraction(right))


def test_more_records_in_the_sample_than_in_the_population_are_certain_and_counted():
    assert (posterior(2, 5), bayes(2, 5)) == (1, 1)
    found = collective_membership(blocks((2, 5, 1), (8, 0, 1)))
    assert found.n_blocks_in_excess == 1
    assert found.posterior_person == Fraction(2, 5)
    assert found.degradation_partition == Fraction(1, 5) / Fraction(1, 2)
    assert found.degradation_printed == Fraction(2, 5) / 5 / Fraction(1, 2)


def test_tables_of_as_many_records_as_can_be_are_summed_exactly():
    most = 2**31 - 1
    found = collective_membership(blocks((most, most - 1, 1)))
    assert found.prior == found.posterior_person == Fraction(most - 1, most)
    assert found.degradation_person == 1


def test_chances_of_blocks_of_several_sizes_are_added_and_binned():
    both = blocks((2, 1, 3), (4, 2, 1), (3, 3, 1), (5, 0, 2), (0, 7, 1), (1, 2, 1))
    sampled = presence_in_sample(both)
    bins = success_bin(sampled.numerator, sampled.denominator)
    assert bins.tolist() == [0, 50, 100]
    # Of the two whom the population has once, one stands with those not found.
    assert sampled.n_records.tolist() == [8, 5, 4]
    everybody = presence_in_population(both)
    assert everybody.n_records.tolist() == [10, 10, 4]
    assert everybody.denominator.tolist() == [1, 2, 1]


QIDS = ("town", "age")
TOWNS = [("A", "1"), ("A", "1"), ("B", "2"), ("B", None), ("C", "1")]
IN_TOWNS = [("A", "1"), ("B", "secret"), ("B", None), (None, "1")]


def test_what_cannot_be_compared_is_refused_unseen(tmp_path, analysis, sample, words):
    both = files(tmp_path, TOWNS, IN_TOWNS if sample is None else sample, QIDS)
    with pytest.raises(TableError, match=words) as error:
        profiled(tmp_path, both, compared(QIDS, **analysis))
    assert "secret" not in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "overlap.parquet").exists()


def test_a_sample_that_is_found_is_not_refused_and_has_only_the_wanted_subsets(
    tmp_path,
):
    analysis = compared(QIDS, wanted={"sizes": [1]}, not_found="refuse")
    both = files(tmp_path, TOWNS, [("A", "1"), ("B", None)], QIDS)
    assert set(overlaps(profiled(tmp_path, both, analysis))) == {0, 1, 2}


def test_a_code_that_the_crosswalk_does_not_have_is_refused_unseen(tmp_path):
    students, asked = [("1", "1", "A")], [("1", "secret", "A")]
    both = files(tmp_path, students, asked, [*PENSE], PENSE.values())
    words = r"VB01002 of the sample has .* 1 in number, .* has no code of TP_COR_RACA"
    with pytest.raises(TableError, match=words) as error:
        profiled(tmp_path, both, compared(PENSE, crosswalk=CODED))
    assert "secret" not in str(error.value)


def test_the_order_of_records_does_not_change_a_byte(tmp_path):
    """Values are few enough for many blocks, and many enough for many sizes."""
    fixed = random.Random(7)
    rows = [(fixed.choice("ABC"), fixed.choice(["1", None])) for _ in range(40)]
    ways = []
    for _ in range(3):
        both = files(tmp_path, rows[:30], rows[30:], QIDS)
        ways.append(profiled(tmp_path, both, compared(QIDS)).read_bytes())
        rows = fixed.sample(rows[:30], 30) + fixed.sample(rows[30:], 10)
    assert ways[0] == ways[1] == ways[2]


STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    releases:
      1: {archive: people.csv, n_rows: 40000000}
      2: {archive: survey.csv, n_rows: 100000}
analyses:
  membership:
    - name: asked
      population: {table: people, release: 1}
      sample: {table: people, release: 2}
      qids: [q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, q10]
"""
MADE = {"profiles/asked/overlap.parquet"}


def test_the_profile_of_both_tables_is_estimated_by_the_records_of_both(tmp_path):
    (line,) = profile_estimates(loaded(tmp_path, STUDY), MADE)
    assert line.startswith("analysis 'asked': the profiles of 2,047 subsets take")
    assert "for about 40,100,000 records" in line


def test_of_a_sample_of_unknown_size_each_million_is_estimated(tmp_path):
    study = loaded(tmp_path, STUDY.replace(", n_rows: 100000", ""))
    (line,) = profile_estimates(study, MADE)
    assert "for a million records" in line


def test_the_report_knows_whose_values_filter_an_analysis():
    of_girls = SimpleNamespace(filter=("sex",))
    analyses = {"girls": of_girls, "all": SimpleNamespace(filter=())}
    study = SimpleNamespace(analyses={"membership": analyses})
    assert PUBLICATION.facts(study, Path()) == {"filters": {"girls": ["sex"]}}
