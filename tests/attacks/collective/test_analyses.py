"""Panels and targets in a study file: what is read of them, and what is refused."""

import pytest

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
CENSUS = (
    STUDY.replace("delimited", "inep_school_census")
    .replace("    options: {person_id: ID}\n", "")
    .replace("[age, sex]", "[NU_DIA, NU_MES]")
)
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
    text = STUDY.replace("delimited", "inep_higher_education_census")
    text = text.replace("    options: {person_id: ID}\n", "")
    text = text.replace("2014", "2017").replace(
        "[age, sex]", "[NU_ANO_CENSO, CO_CURSO]"
    )
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
    text = STUDY.replace("delimited", "inep_higher_education_census")
    text = text.replace("    options: {person_id: ID}\n", "")
    more = role.replace("sensitive", "qids: [CO_CURSO], sensitive: [NU_ANO_CENSO]")
    text = text.replace("auxiliary: [2015], qids: [age, sex]", more)
    refused(tmp_path, text, "census 2014 does not have NU_ANO_CENSO: it was not r")


def test_releases_that_no_analysis_has_give_nothing_to_learn_next(tmp_path):
    both = '{2014: {age: "07"}, 2015: {sex: "1"}}'
    assert target(tmp_path, both).further == ("age", "sex")
    assert target(tmp_path, '{2014: {age: "07"}, 2016: {sex: "1"}}').further == ()
