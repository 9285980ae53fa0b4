"""The tables of a membership analysis, from files of records."""

from fractions import Fraction
from types import SimpleNamespace

import pytest

from microleak.attacks.membership.measure import membership_tables
from microleak.study.tables import result_tables as specs
from tests.compared import compared, files, profiled

MEMBERSHIP = tuple(specs()["membership"].names)

NAMES = ("state", "sex", "age")
WOMAN = ("SP", "F", "31-40")
MG_WOMAN = ("MG", "F", "21-30")
RJ_MAN = ("RJ", "M", "21-30")
SP_MAN = ("SP", "M", "31-40")
POPULATION = [WOMAN, *[MG_WOMAN] * 2, *[RJ_MAN] * 3, *[SP_MAN] * 4]
SAMPLE = [WOMAN, MG_WOMAN, *[RJ_MAN] * 2]
"""The leading example of Rodrigues, section 3.4."""


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


def test_rows_say_what_is_compared_by_which_qids_in_the_order_of_the_study(example):
    first = example.membership.iloc[0].to_dict()
    assert [first[name] for name in MEMBERSHIP[:7]] == [
        *("c", "people", "1", "survey", "2", "state", 1),
    ]
    assert list(example.membership["qids"]) == [
        *("state", "sex", "age"),
        *("state|sex", "state|age", "sex|age", "state|sex|age"),
    ]


def test_the_papers_example_has_its_degradations_under_each_name(example):
    found = row(example.membership, "state|sex|age")
    assert found["degradation_printed"] == float(Fraction(45, 16))
    assert found["degradation_partition"] == float(Fraction(65, 48))
    assert found["degradation_person"] == float(Fraction(85, 48))
    assert (found["prior"], found["posterior_person"]) == (0.4, float(Fraction(17, 24)))
    assert (found["bayes_prior"], found["bayes_posterior"]) == (0.6, 0.8)


def test_counts_are_those_of_the_papers_example(example):
    found = row(example.membership, "state|sex|age")
    assert (found["n_population"], found["n_sample"]) == (10, 4)
    assert (found["n_blocks_population"], found["n_blocks_sample"]) == (4, 3)
    assert (found["n_sample_unique"], found["n_found"]) == (2, 2)
    assert (found["n_unique_both"], found["n_not_found"]) == (1, 0)


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
