"""Mechanism analyses in a study file: what is read, and what is refused."""

import pytest

from microleak.attacks.mechanism.section import Mechanism, Samples, Simulated
from microleak.base.errors import StudyError
from microleak.records.record_filter import Predicate
from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  school_census:
    source: inep_school_census
    releases: {2019: {synthetic: {schools: 27}}}
  people:
    source: delimited
    options: {person_id: ID, domains: {income: "low|medium|high"}}
    releases: {2015: {archive: c.csv}}
analyses:
  collective:
    - {name: one, table: people, focal: 2015, qids: [age]}
  mechanism:
"""
COUNT = """\
    - name: noisy
      table: people
      focal: 2015
      filter: {country: ["BRA", null]}
      sensitive: illness
      useful: income
      predicate: {equals: medium}
      order: [low, medium, high]
      models: [oblivious, local]
      epsilons: [ln 3, 0.5, 2]
      samples: {number: 200, size: 50}
      simulated: {draws: 5000}
"""
PAIRS = """\
    - {name: map, table: people, focal: 2015, attributes: [age, sex], epsilons: [ln 3]}
"""
INCOME = "useful: income"
PREDICATE = "predicate: {equals: medium}"
ORDER = "      order: [low, medium, high]\n"
AGE = COUNT.replace(INCOME, "useful: age").replace(ORDER, "")


def loaded(folder, text):
    return given.loaded(folder, STUDY + text)


def analysis(folder, text, name="noisy"):
    return loaded(folder, text).analyses["mechanism"][name]


def test_an_analysis_of_one_count_is_read_as_it_stands(tmp_path):
    assert analysis(tmp_path, COUNT) == Mechanism(
        name="noisy",
        table="people",
        focal="2015",
        epsilons=("ln 3", "0.5", "2"),
        filter={"country": ("BRA", None)},
        sensitive="illness",
        useful="income",
        predicate={"equals": "medium"},
        models=("oblivious", "local"),
        order=("low", "medium", "high"),
        samples=Samples(number=200, size=50),
        simulated=Simulated(draws=5000),
    )


def test_an_analysis_of_pairs_is_read_as_it_stands(tmp_path):
    found = analysis(tmp_path, PAIRS, "map")
    assert (found.count, found.attributes) == (None, ("age", "sex"))
    assert found.counted.pairs == ((0, 0), (0, 1), (1, 1))


def test_its_release_needs_both_attributes_and_those_of_the_filter(tmp_path):
    study = loaded(tmp_path, COUNT)
    assert study.attributes("people", "2015") == ("age", "illness", "income", "country")
    same = analysis(tmp_path, COUNT.replace("illness", "income"))
    assert same.counted.attributes == ("income",)


def test_only_what_is_counted_has_the_records_counted_again(tmp_path):
    """Epsilons, models, samples, draws, predicate and order are no part of it."""
    before = analysis(tmp_path, COUNT).counted
    for old, new in [
        *(("ln 3", "ln 4"), ("draws: 5000", "draws: 1000")),
        *(("number: 200", "number: 100"), ("equals: medium", "greater: low")),
        ("[oblivious, local]", "[oblivious]"),
        ("[low, medium, high]", "[high, medium, low]"),
    ]:
        assert analysis(tmp_path, COUNT.replace(old, new)).counted == before


def test_each_kind_of_predicate_is_read(tmp_path, given, kind, values):
    text = COUNT.replace(PREDICATE, f"predicate: {given}")
    count = analysis(tmp_path, text).count
    assert count.predicate == Predicate(kind, tuple(values))


def test_what_cannot_be_is_refused_in_one_line(tmp_path, old, new, words):
    assert old in COUNT
    with pytest.raises(StudyError) as error:
        loaded(tmp_path, COUNT.replace(old, new))
    assert words in str(error.value)
    assert str(error.value).isprintable()


@pytest.mark.parametrize("predicate", ["{greater: x}", "{between: [x, y]}"])
def test_bounds_that_are_no_integers_need_an_order(tmp_path, predicate):
    with pytest.raises(StudyError, match="needs integers, or order"):
        loaded(tmp_path, AGE.replace(PREDICATE, f"predicate: {predicate}"))


def test_a_value_outside_the_domain_is_refused(tmp_path):
    text = COUNT.replace(ORDER, "").replace("[oblivious, local]", "[oblivious]")
    with pytest.raises(StudyError, match="predicate equals has 'x', which is not a"):
        loaded(tmp_path, text.replace("equals: medium", "equals: x"))


def test_attributes_must_be_released(tmp_path):
    text = PAIRS.replace("people", "school_census").replace("2015", "2019")
    with pytest.raises(StudyError, match="2019 does not have NU_DIA"):
        loaded(tmp_path, text.replace("[age, sex]", "[TP_SEXO, NU_DIA]"))
