"""Panels and targets in a study file: what is read of them, and what is refused."""

import pytest

from microleak.errors import StudyError
from microleak.study.config import load_study

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


def loaded(folder, text):
    path = folder / "demo.yaml"
    path.write_text(text, encoding="utf-8")
    return load_study(path)


def target(folder, known, more=""):
    given = TARGET.replace("KNOWN", known + more)
    return loaded(folder, STUDY.replace("targets: []", given)).targets["t"]


def refused(folder, text, words):
    with pytest.raises(StudyError, match=words) as error:
        loaded(folder, text)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_panel_needs_its_auxiliary_releases_and_their_qids(tmp_path):
    text = STUDY.replace("[age, sex]", "[age, sex], sensitive: [ill]")
    study = loaded(tmp_path, text)
    assert study.used == (("people", "2014"), ("people", "2015"))
    assert study.links == (("people", "2014", "2015"),)
    assert study.attributes("people", "2014") == ("age", "sex", "ill")
    assert study.attributes("people", "2015") == ("age", "sex")


def test_prefixes_add_one_release_after_the_other(tmp_path):
    text = STUDY.replace("[2015]", "[2016, {2015: [sex]}]")
    analysis = loaded(tmp_path, text).collective["one"]
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
    analysis = study.collective["one"]
    parts = [study.is_synthetic_analysis(part) for part in analysis.prefixes]
    assert parts == [False, True]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("[2015]", "[2013]", r"people has no release '2013'"),
        ("[2015]", "[2014]", r"release 2014 is given twice among focal and auxiliary"),
        ("[2015]", "[2015, 2016, {2015: [sex]}]", r"release 2015 is given twice"),
        ("[2015]", "[{2015: [town]}]", r"town of the auxiliary release 2015 is not am"),
        ("    options: {person_id: ID}\n", "", r"no identifier of persons to link"),
        (
            "[age, sex]",
            f"[{', '.join(f'q{i}' for i in range(32))}], subsets: full",
            "32 QIDs of 2 releases are 64 attributes, more than the 62",
        ),
    ],
)
def test_a_panel_that_cannot_be_is_refused_in_words(tmp_path, old, new, words):
    refused(tmp_path, STUDY.replace(old, new), words)


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
    refused(tmp_path, text, r"NU_ANO_CENSO was not released in 2015, so no value of it")
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


@pytest.mark.parametrize(
    ("known", "words"),
    [
        ("{age: 4711}", r"targets\.0\.known\.age is a value of type int"),
        ('{2014: {age: "4711"}, sex: "1"}', "both with and without a release"),
        ('{2013: {age: "4711"}}', r"people has no release '2013'"),
        ('{ID: "4711"}', "ID identifies persons or records"),
        ('{age: "4711"}, sensitive: [age]', "age is both a QID and sensitive"),
    ],
)
def test_a_wrong_target_is_refused_without_its_values(tmp_path, known, words):
    text = STUDY.replace("targets: []", TARGET.replace("KNOWN", known))
    assert "4711" not in refused(tmp_path, text, words)
