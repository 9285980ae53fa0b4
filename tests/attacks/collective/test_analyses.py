"""Panels, targets, scenarios and groups in a study file: what is read and refused."""

import pytest

from microleak.attacks.collective.analysis import Scenario
from microleak.records.coding import Group
from tests.study_file.given import loaded, refused

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID}
    releases:
      2014: {archive: a.csv}
      2015: {archive: b.csv}
      2016: {archive: c.csv}
analyses:
  collective:
    - {name: one, table: people, focal: 2014, auxiliary: [2015], qids: [age, sex]}
  targets: []
"""
OFFICIAL = STUDY.replace("    options: {person_id: ID}\n", "")
HIGHER = OFFICIAL.replace("delimited", "inep_higher_education_census")
CENSUS = OFFICIAL.replace("delimited", "inep_school_census")
CENSUS = CENSUS.replace("[age, sex]", "[NU_DIA, NU_MES]")
TARGET = "targets: [{name: t, table: people, focal: 2014, known: KNOWN}]"


def target(folder, known, more=""):
    given = TARGET.replace("KNOWN", known + more)
    return loaded(folder, STUDY.replace("targets: []", given)).analyses["targets"]["t"]


def test_a_panel_needs_its_auxiliary_releases_and_their_qids(tmp_path):
    text = STUDY.replace("[age, sex]", "[age, sex], sensitive: [ill]")
    study = loaded(tmp_path, text)
    assert study.used == (("people", "2014"), ("people", "2015"))
    assert study.links == (("people", "2014", "2015"),)
    assert study.attributes("people", "2014") == ("age", "sex", "ill")
    assert study.attributes("people", "2015") == ("age", "sex")


def test_prefixes_add_one_release_after_the_other(tmp_path):
    text = STUDY.replace("[2015]", "[2016, {2015: [sex]}]")
    analysis = loaded(tmp_path, text).analyses["collective"]["one"]
    parts = [(part.panel, part.auxiliary, part.fewer) for part in analysis.prefixes]
    assert parts == [
        ("2014", (), {}),
        ("2014+2016", ("2016",), {}),
        ("2014+2016+2015", ("2016", "2015"), {"2015": ("sex",)}),
    ]


def test_a_release_may_have_fewer_qids_if_the_study_says_so(tmp_path):
    study = loaded(tmp_path, STUDY.replace("[2015]", "[{2015: [sex]}]"))
    assert study.attributes("people", "2015") == ("sex",)


def test_a_panel_with_a_twin_is_synthetic_and_its_first_prefix_may_not_be(tmp_path):
    twin = "2015: {synthetic: {schools: 27}}"
    study = loaded(tmp_path, CENSUS.replace("2015: {archive: b.csv}", twin))
    analysis = study.analyses["collective"]["one"]
    parts = [study.is_synthetic_analysis(part) for part in analysis.prefixes]
    assert parts == [False, True]


def test_a_panel_that_cannot_be_is_refused_in_words(tmp_path, old, new, words):
    refused(tmp_path, STUDY.replace(old, new), words)


def test_synthetic_releases_of_other_sizes_are_not_linked(tmp_path):
    twins = "2014: {synthetic: {schools: 27}}\n      2015: {synthetic: {schools: 28}}"
    text = CENSUS.replace("2014: {archive: a.csv}\n      2015: {archive: b.csv}", twins)
    refused(tmp_path, text, "the synthetic releases 2014 and 2015 have other sizes")


@pytest.mark.parametrize("releases", [("2017", "2018"), ("2018", "2019")])
def test_students_cannot_be_followed_beyond_2017(tmp_path, releases):
    text = CENSUS.replace("2014", releases[0]).replace("2015", releases[1])
    words = (
        rf"persons of inep_school_census have other identifiers in {releases[1]} than "
        rf"in {releases[0]}, so nobody can be followed"
    )
    refused(tmp_path, text, words)


def test_a_qid_that_a_release_does_not_have_is_refused_unless_named(tmp_path):
    text = HIGHER.replace("2014", "2017")
    text = text.replace("[age, sex]", "[NU_ANO_CENSO, CO_CURSO]")
    refused(tmp_path, text, "census 2015 does not have NU_ANO_CENSO: it was not r")
    named = loaded(tmp_path, text.replace("[2015]", "[{2015: [CO_CURSO]}]"))
    assert named.attributes("people", "2015") == ("CO_CURSO",)


def test_known_values_are_of_the_focal_release_unless_they_name_one(tmp_path):
    assert target(tmp_path, '{age: "07"}').known == {"2014": {"age": "07"}}
    by_year = target(tmp_path, '{2014: {age: "07"}, 2016: {sex: null}}')
    assert by_year.known == {"2014": {"age": "07"}, "2016": {"sex": None}}
    assert by_year.auxiliary == ("2016",)


def test_what_might_be_learned_next_is_what_the_collective_analyses_know(tmp_path):
    assert target(tmp_path, '{age: "07"}').further == ("age", "sex")
    only = ", further: [town]"
    assert target(tmp_path, '{age: "07"}', only).further == ("town",)


def test_a_target_does_not_show_what_is_known_of_it(tmp_path):
    assert "secret" not in repr(target(tmp_path, '{age: "secret"}'))


def test_a_wrong_target_is_refused_without_its_values(tmp_path, known, words):
    text = STUDY.replace("targets: []", TARGET.replace("KNOWN", known))
    assert "4711" not in refused(tmp_path, text, words)


def test_a_known_attribute_is_one_that_the_study_names_elsewhere(tmp_path, named):
    more = "options: {person_id: ID, domains: {job: '[a-z]'}}"
    text = STUDY.replace("options: {person_id: ID}", more)
    text = text.replace("analyses:", "qid_sets: {two: [few]}\nanalyses:")
    text = text.replace("[age, sex]", "[age, sex], sensitive: [ill]")
    text = text.replace("targets: []", TARGET.replace("KNOWN", named))
    assert loaded(tmp_path, text).analyses["targets"]["t"].known


def of_census(known):
    return CENSUS.replace("targets: []", TARGET.replace("KNOWN", known))


def test_what_a_release_cannot_have_is_refused_when_the_study_is_read(
    tmp_path, known, words
):
    assert "4711" not in refused(tmp_path, of_census(known), words)


def test_what_a_release_can_have_may_be_known_missing_or_not(tmp_path):
    study = loaded(tmp_path, of_census("{NU_DIA: '07', NU_MES: null}"))
    assert study.analyses["targets"]["t"].known == {
        "2014": {"NU_DIA": "07", "NU_MES": None}
    }


def test_known_values_are_of_the_domains_that_the_study_gives(tmp_path):
    more = "options: {person_id: ID, domains: {age: '[0-9]{2}'}}"
    text = STUDY.replace("options: {person_id: ID}", more)
    text = text.replace("targets: []", TARGET.replace("KNOWN", "{age: '4711'}"))
    words = r"what is known of age in 2014 is not a value matching \[0-9\]\{2\}"
    assert "4711" not in refused(tmp_path, text, words)
    assert loaded(tmp_path, text.replace("4711", "47")).analyses["targets"]["t"].known


def test_a_misspelt_attribute_is_refused_when_the_study_is_read(tmp_path, old, new):
    words = r"inep_school_census has no attribute TP_SEX\. Did you mean TP_SEXO\?"
    refused(tmp_path, CENSUS.replace(old, new), words)


@pytest.mark.parametrize("role", ["qids: [CO_CURSO, NU_ANO_CENSO]", "sensitive"])
def test_an_attribute_that_the_focal_release_lacks_is_refused(tmp_path, role):
    more = role.replace("sensitive", "qids: [CO_CURSO], sensitive: [NU_ANO_CENSO]")
    text = HIGHER.replace("auxiliary: [2015], qids: [age, sex]", more)
    refused(tmp_path, text, "census 2014 does not have NU_ANO_CENSO: it was not r")


def test_releases_that_no_analysis_has_give_nothing_to_learn_next(tmp_path):
    both = '{2014: {age: "07"}, 2015: {sex: "1"}}'
    assert target(tmp_path, both).further == ("age", "sex")
    assert target(tmp_path, '{2014: {age: "07"}, 2016: {sex: "1"}}').further == ()


SCENARIOS = """
study: demo
seed: 1
tables:
  people:
    source: delimited
    releases:
      2014: {archive: a.csv}
scenarios:
  classmate: [sex, school]
  neighbour: {qids: [age], label: {pt: um vizinho}}
analyses:
  collective:
    - {name: one, table: people, focal: 2014, qids: [age, sex, school]}
    - {name: other, table: people, focal: 2014, qids: [age, town]}
"""


def test_scenarios_are_read_as_lists_or_with_a_label(tmp_path):
    assert loaded(tmp_path, SCENARIOS).shared["scenarios"] == (
        Scenario("classmate", ("sex", "school")),
        Scenario("neighbour", ("age",), {"pt": "um vizinho"}),
    )


def test_a_scenario_that_no_analysis_can_tell_of_is_refused(tmp_path, old, new, words):
    refused(tmp_path, SCENARIOS.replace(old, new), words)


def test_a_scenario_changes_nothing_that_an_analysis_is_made_from(tmp_path):
    start, end = SCENARIOS.index("scenarios"), SCENARIOS.index("analyses")
    texts = SCENARIOS, SCENARIOS[:start] + SCENARIOS[end:]
    whole, without = (loaded(tmp_path, text).analyses["collective"] for text in texts)
    assert whole == without


SPLITS = (
    STUDY.partition("    - ")[0]
    + """\
    - {name: whole, table: people, focal: 2014, qids: [school, age], sensitive: [ill]}
    - {name: one, table: people, focal: 2015, qids: [age, sex, school]}
    - {name: other, table: people, focal: 2016, qids: [age, town], sensitive: [ill]}
splits:
  whole: [one, other]
"""
)


def test_a_split_is_read_by_what_only_one_file_has_of_the_whole(tmp_path):
    only = {"one": ("school",), "other": ("ill",)}
    assert loaded(tmp_path, SPLITS).shared["splits"] == {"whole": only}


def test_a_public_page_has_no_splits(tmp_path):
    key = tmp_path / "people.key"
    key.touch(0o600)
    key.write_bytes(bytes(range(32)))
    public = f"report: {{audience: public, noise: {{epsilon: '1', key: {key}}}}}"
    refused(tmp_path, SPLITS + public, "a public page has no splits")


def test_a_split_that_cannot_be_is_refused(tmp_path, old, new, words):
    refused(tmp_path, SPLITS.replace(old, new), words)


GROUPS = """\
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
LOANS = """\
study: demo
seed: 7
tables:
  students:
    source: inep_higher_education_census
    releases: {2016: {archive: a.zip}}
groups:
  loans: {attribute: IN_FINANCIAMENTO_ESTUDANTIL, values: ["1"]}
analyses:
  collective:
    - {name: one, table: students, focal: 2016, qids: [CO_CURSO], groups: [loans]}
"""


def test_an_analysis_has_the_groups_it_names_in_its_order(tmp_path):
    text = GROUPS.replace("groups: [severe]", "groups: [drugs, severe]")
    assert loaded(tmp_path, text).analyses["collective"]["one"].groups == (
        Group("drugs", "drug", ("07",)),
        Group("severe", "ill", ("C*", "B24"), has_domain=True),
    )


def test_only_the_focal_release_needs_the_attributes_of_the_groups_that_are_named(
    tmp_path, old, new, attributes
):
    study = loaded(tmp_path, GROUPS.replace(old, new))
    found = {name: study.attributes("people", name) for name in attributes}
    assert found == {name: tuple(each) for name, each in attributes.items()}


def test_the_attribute_of_a_group_may_be_known_of_a_target(tmp_path):
    target = '  targets: [{name: t, table: people, focal: 2014, known: {ill: "B24"}}]'
    assert loaded(tmp_path, GROUPS + target).analyses["targets"]["t"].known["2014"] == {
        "ill": "B24"
    }


def test_a_wrong_group_is_refused_in_words(tmp_path, old, new, words):
    assert old in GROUPS
    refused(tmp_path, GROUPS.replace(old, new), words)


OUTPATIENT = """\
study: demo
seed: 7
tables:
  sia_pa:
    source: datasus_sia_pa
    releases: {RR-2023: {archive: RR}}
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
    text = GROUPS.replace("[A-Z][0-9]{2}", "([A-Z][0-9]{2})").replace("C*", "no such*")
    values = loaded(tmp_path, text).analyses["collective"]["one"].groups[0].values
    assert values == ("no such*", "B24")


def test_a_group_of_a_misspelt_outpatient_column_is_refused(tmp_path):
    words = (
        r"group 'severe': datasus_sia_pa has no attribute PA_PROC\. Did you mean "
        r"PA_PROC_ID\? .*add it to columns in config/sources/datasus_sia_pa\.yaml\."
    )
    refused(tmp_path, OUTPATIENT.replace("PA_PROC_ID", "PA_PROC"), words)


def test_a_group_that_a_census_cannot_have_is_refused(tmp_path, old, new, words):
    assert old in LOANS
    refused(tmp_path, LOANS.replace(old, new), words)
