"""Membership and anonymity in a study file: what is read, and what is refused."""

import json
from dataclasses import asdict

import pytest

from microleak.records.compared import TableRelease
from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  school_census:
    source: inep_school_census
    releases: {2015: {archive: a.zip}, 2014: {archive: b.zip}}
  pense:
    source: ibge_pense
    releases: {2015: {synthetic: {schools: 27}}}
  people:
    source: delimited
    options: {person_id: ID, domains: {ill: "[A-Z][0-9]{2}"}}
    releases: {2015: {archive: c.csv}}
qid_sets:
  few: [TP_SEXO, NU_MES]
analyses:
  collective:
    - {name: one, table: people, focal: 2015, qids: [age]}
"""
MEMBERSHIP = """\
  membership:
    - name: found
      population: {table: school_census, release: 2015}
      sample: {table: pense, release: 2015}
      qids: few
"""
WHOLE = f"""{MEMBERSHIP}\
      subsets: {{sizes: [2]}}
      filter: {{CO_MUNICIPIO: ["3106200", null]}}
      not_found: refuse
      targets: {{ana: {{TP_SEXO: "2", NU_MES: null}}, bia: {{NU_MES: "3"}}}}
"""
ANONYMITY = """\
  anonymity:
    - name: alone
      table: pense
      focal: 2015
      qids: [VB01001, VB01004]
      sensitive: [VB01002]
      order: {VB01002: ["1", "2"]}
      entity: aluno
"""
POPULATION = "      population: {table: school_census, release: 2015}\n"
CITY = "CO_MUNICIPIO"
TABLE_2014 = "table: school_census, release: 2014"


def loaded(folder, text):
    return given.loaded(folder, STUDY + text)


def refused(folder, text, words):
    return given.refused(folder, STUDY + text, words)


def membership(folder, text):
    return loaded(folder, text).analyses["membership"]["found"]


def test_a_membership_analysis_is_read_as_it_stands(tmp_path):
    found = membership(tmp_path, WHOLE)
    assert found.compared.population == TableRelease("school_census", "2015")
    assert found.compared.sample == TableRelease("pense", "2015")
    assert (found.qids, found.compared.subsets) == (("TP_SEXO", "NU_MES"), (3,))
    assert found.filter == {CITY: ("3106200", None)}
    assert found.not_found == "refuse"
    ana = {"TP_SEXO": "2", "NU_MES": None}
    assert found.targets == {"ana": ana, "bia": {"NU_MES": "3"}}
    assert found.member_files == {"found-ana": "ana", "found-bia": "bia"}


def test_all_subsets_of_everybody_are_compared_and_counted_unless_it_says_more(
    tmp_path,
):
    found = membership(tmp_path, MEMBERSHIP)
    assert found.compared.subsets == (1, 2, 3)
    assert (found.filter, found.targets, found.not_found) == ({}, {}, "count")


def test_an_anonymity_analysis_is_read_as_it_stands(tmp_path):
    found = loaded(tmp_path, ANONYMITY + POPULATION).analyses["anonymity"]["alone"]
    assert (found.table, found.focal, found.entity) == ("pense", "2015", "aluno")
    assert (found.qids, found.subsets) == (("VB01001", "VB01004"), (1, 2, 3))
    assert (found.sensitive, found.order) == (("VB01002",), {"VB01002": ("1", "2")})
    assert found.compared.population == TableRelease("school_census", "2015")


def test_a_size_may_stand_for_a_population(tmp_path):
    found = loaded(tmp_path, f"{ANONYMITY}      n_population: 462054\n")
    assert found.analyses["anonymity"]["alone"].n_population == 462_054
    assert found.compared == {}


def test_each_release_needs_the_attributes_it_has_under_its_own_names(tmp_path):
    study = loaded(tmp_path, WHOLE)
    tables = ("pense", "people", "school_census")
    assert study.used == tuple((table, "2015") for table in tables)
    assert study.attributes("school_census", "2015") == ("TP_SEXO", "NU_MES", CITY)
    assert study.attributes("pense", "2015") == ("VB01001", "VB01004", "MUNICIPIO_CAP")


def test_an_entity_is_needed_and_so_is_the_population(tmp_path):
    study = loaded(tmp_path, ANONYMITY + POPULATION)
    own = ("VB01001", "VB01004", "VB01002", "aluno")
    assert study.attributes("pense", "2015") == own
    assert study.attributes("school_census", "2015") == ("TP_SEXO", "NU_MES")


def test_an_analysis_is_synthetic_if_either_table_is(tmp_path):
    for text, is_synthetic in ((MEMBERSHIP, True), (OF_ONE_SOURCE, False)):
        study = loaded(tmp_path, text)
        found = study.analyses["membership"]["found"]
        assert study.is_synthetic_analysis(found) == is_synthetic


OF_ONE_SOURCE = MEMBERSHIP.replace("table: pense, release: 2015", TABLE_2014)


def test_releases_of_one_source_are_compared_without_a_crosswalk(tmp_path):
    found = membership(tmp_path, OF_ONE_SOURCE)
    assert found.crosswalk is None
    assert found.compared.in_sample("NU_MES") == "NU_MES"


def test_synthetic_releases_of_other_sizes_are_not_compared(tmp_path):
    text = STUDY.replace("{archive: a.zip}", "{synthetic: {schools: 28}}") + MEMBERSHIP
    words = "synthetic releases school_census 2015 and pense 2015 have other sizes"
    given.refused(tmp_path, text, words)


@pytest.mark.parametrize("role", ["school_census", "pense"])
def test_a_delimited_table_has_the_names_of_what_it_is_compared_with(tmp_path, role):
    text = MEMBERSHIP.replace(f"table: {role}", "table: people")
    text = text.replace("few", "[TP_SEXO]" if role == "pense" else "[VB01001]")
    assert membership(tmp_path, text).crosswalk is None


def test_an_anonymity_analysis_is_a_sample_under_the_populations_names(tmp_path):
    compared = loaded(tmp_path, ANONYMITY + POPULATION).compared["alone"]
    assert compared.qids == ("TP_SEXO", "NU_MES")
    tables = (compared.sample.table, compared.population.table)
    assert tables == ("pense", "school_census")
    assert compared.in_sample("NU_MES") == "VB01004"


def test_a_rule_is_not_told_what_is_known_of_targets(tmp_path):
    fields = asdict(loaded(tmp_path, WHOLE).compared["found"])
    assert "targets" not in fields
    assert "ana" not in json.dumps(fields)


def test_a_membership_that_cannot_be_is_refused_in_words(tmp_path, old, new, words):
    assert old in WHOLE
    refused(tmp_path, WHOLE.replace(old, new, 1), words)


def test_a_target_that_cannot_be_is_refused_unseen(tmp_path, targets, words):
    refused(tmp_path, f"{MEMBERSHIP}      targets: {targets}\n", words)


def test_two_targets_of_one_file_are_refused(tmp_path):
    known = '{NU_MES: "1"}'
    text = f"{MEMBERSHIP}      targets: {{a-b: {known}}}\n"
    other = text.removeprefix("  membership:\n").replace("found", "found-a")
    words = "would be written to confidential/membership/found-a-b.csv. Rename one"
    refused(tmp_path, text + other.replace("a-b:", "b:"), words)


def test_an_analysis_of_many_releases_keeps_its_names_to_itself(tmp_path):
    many = "    - {name: n, table: people, focal: [2015], qids: [age]}\n"
    for name in ("n", "n-2015"):
        text = many + MEMBERSHIP.replace("name: found", f"name: {name}")
        refused(tmp_path, text, f"collective and analyses.membership .* '{name}'")


def test_membership_and_anonymity_share_their_names(tmp_path):
    text = MEMBERSHIP + ANONYMITY.replace("alone", "found")
    refused(tmp_path, text, "membership and analyses.anonymity both have .* 'found'")


def test_an_anonymity_that_cannot_be_is_refused_in_words(tmp_path, old, new, words):
    text = ANONYMITY + POPULATION
    assert old in text
    refused(tmp_path, text.replace(old, new, 1), words)


def test_a_population_without_shared_names_is_refused(tmp_path):
    courses = """\
  x:
    source: inep_higher_education_census
    releases: {2016: {archive: d.zip}}
"""
    text = STUDY.replace("qid_sets:", f"{courses}qid_sets:") + ANONYMITY
    text += POPULATION.replace("school_census, release: 2015", "x, release: 2016")
    words = "no crosswalk from ibge_pense to inep_higher_education_census"
    given.refused(tmp_path, text, words)


DRAWN = f"""{MEMBERSHIP}\
      design:
        strata: [{CITY}]
        clusters: [CO_ENTIDADE]
        stages: clusters
        fraction: "1/20"
        response: "0.9"
      sensitive: [VB04001]
      fingerprint:
        cluster: [ID_TURMA]
        labels: [turma]
        within: [{CITY}]
"""


def test_how_a_sample_was_drawn_is_read_with_what_each_release_needs(tmp_path):
    """The city is in both, by the crosswalk; school and class in one alone."""
    study = loaded(tmp_path, DRAWN)
    found = study.analyses["membership"]["found"]
    assert found.design.told_with(found.qids) == (CITY,)
    assert found.design.hidden_from(found.qids) == ("CO_ENTIDADE",)
    assert found.wide.qids == ("TP_SEXO", "NU_MES", CITY)
    (*_, people), (*_, asked) = found.needs
    assert people == ("TP_SEXO", "NU_MES", CITY, "CO_ENTIDADE", "ID_TURMA")
    assert asked == ("VB01001", "VB01004", "MUNICIPIO_CAP", "VB04001", "turma")
    # What else is asked changes neither the table of all, nor that of the design.
    assert found.compared.qids == ("TP_SEXO", "NU_MES")


def test_what_its_jobs_are_given_says_how_a_sample_was_drawn(tmp_path):
    path = tmp_path / "drawn.csv"
    path.write_text(f"{CITY},count\n3106200,4\n(missing),1\n", encoding="utf-8")
    by_file = DRAWN.replace('fraction: "1/20"', f"by_stratum: {path}")
    found = membership(tmp_path, by_file)
    given = json.loads(json.dumps(found.model_dump(exclude={"targets"})))
    restored = type(found).model_validate(given)
    assert restored.design == found.design
    assert restored.design.drawn.exact == {("3106200",): 4, ("",): 1}


def test_attributes_that_a_release_lacks_are_refused(tmp_path, old, new, words):
    refused(tmp_path, DRAWN.replace(old, new), words)
