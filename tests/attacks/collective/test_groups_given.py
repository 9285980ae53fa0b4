"""Groups of values in a study file: what is read of them, and what is refused."""

import pytest

from microleak.records.coding import Group
from tests.study_file.given import loaded, refused

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID, domains: {ill: "[A-Z][0-9]{2}"}}
    releases:
      2014: {archive: a.csv}
      2015: {archive: b.csv}
groups:
  severe: {attribute: ill, values: ["C*", "B24"]}
  drugs: {attribute: drug, values: ["07"]}
analyses:
  collective:
    - {name: one, table: people, focal: 2014, qids: [age, sex], groups: [severe]}
"""
CENSUS = """\
study: demo
seed: 7
tables:
  students:
    source: inep_higher_education_census
    releases:
      2016: {archive: a.zip}
groups:
  loans: {attribute: IN_FINANCIAMENTO_ESTUDANTIL, values: ["1"]}
analyses:
  collective:
    - {name: one, table: students, focal: 2016, qids: [CO_CURSO], groups: [loans]}
"""


def test_an_analysis_has_the_groups_it_names_in_its_order(tmp_path):
    text = STUDY.replace("groups: [severe]", "groups: [drugs, severe]")
    assert loaded(tmp_path, text).analyses["collective"]["one"].groups == (
        Group("drugs", "drug", ("07",)),
        Group("severe", "ill", ("C*", "B24"), has_domain=True),
    )


def test_only_the_focal_release_needs_the_attributes_of_the_groups_that_are_named(
    tmp_path, old, new, attributes
):
    study = loaded(tmp_path, STUDY.replace(old, new))
    found = {name: study.attributes("people", name) for name in attributes}
    assert found == {name: tuple(each) for name, each in attributes.items()}


def test_the_attribute_of_a_group_may_be_known_of_a_target(tmp_path):
    target = '  targets: [{name: t, table: people, focal: 2014, known: {ill: "B24"}}]'
    assert loaded(tmp_path, STUDY + target).analyses["targets"]["t"].known["2014"] == {
        "ill": "B24"
    }


def test_a_wrong_group_is_refused_in_words(tmp_path, old, new, words):
    assert old in STUDY
    refused(tmp_path, STUDY.replace(old, new), words)


OUTPATIENT = """\
study: demo
seed: 7
tables:
  sia_pa:
    source: datasus_sia_pa
    releases:
      RR-2023: {archive: RR}
groups:
  severe: {attribute: PA_PROC_ID, values: ["0304*"]}
analyses:
  collective:
    - {name: one, table: sia_pa, focal: all, qids: [PA_SEXO], groups: [severe]}
"""


@pytest.mark.parametrize("value", ["0*", "0304*", "0304010014*"])
def test_values_may_begin_as_those_of_the_domain_do(tmp_path, value):
    text = OUTPATIENT.replace("0304*", value)
    analysis = loaded(tmp_path, text).analyses["collective"]["one-RR-2023"]
    assert analysis.groups[0].values == (value,)


@pytest.mark.parametrize("value", ["ABC*", "304.*", "03040100141*"])
def test_a_beginning_that_no_value_of_the_domain_has_is_refused(tmp_path, value):
    words = (
        r"group 'severe' has '.*\*', but a value is 10 digits, and none of RR-2023 "
        r"begins so\. Correct it under groups\."
    )
    refused(tmp_path, OUTPATIENT.replace("0304*", value), words)


def test_a_beginning_is_allowed_where_the_domain_does_not_tell(tmp_path):
    text = STUDY.replace("[A-Z][0-9]{2}", "([A-Z][0-9]{2})").replace("C*", "no such*")
    values = loaded(tmp_path, text).analyses["collective"]["one"].groups[0].values
    assert values == ("no such*", "B24")


def test_a_group_of_a_misspelt_outpatient_column_is_refused(tmp_path):
    words = (
        r"group 'severe': datasus_sia_pa has no attribute PA_PROC\. Did you mean "
        r"PA_PROC_ID\? .*add it to columns in config/sources/datasus_sia_pa\.yaml\."
    )
    refused(tmp_path, OUTPATIENT.replace("PA_PROC_ID", "PA_PROC"), words)


def test_a_group_that_a_census_cannot_have_is_refused(tmp_path, old, new, words):
    assert old in CENSUS
    refused(tmp_path, CENSUS.replace(old, new), words)
