"""Columns that releases and pools need: refused, allowed or left to the file."""

import pytest

from microleak.sources.definitions.definition import source_definition
from microleak.study_file.context import definition_of
from tests.study_file.given import loaded, refused

OUTPATIENT = """\
study: demo
seed: 7
tables:
  sia_pa:
    source: datasus_sia_pa
    releases: {AC-2008: {archive: AC}}
analyses:
  collective:
    - {name: a, table: sia_pa, focal: all, qids: [PA_SEXO], sensitive: [PA_PROC_ID]}
  targets: []
"""


@pytest.mark.parametrize(
    ("old", "new", "like"),
    [("PA_PROC_ID", "PA_PROC", "PA_PROC_ID"), ("PA_SEXO", "PA_SEX", "PA_SEXO")],
)
def test_a_misspelt_column_of_the_outpatient_data_is_refused(tmp_path, old, new, like):
    words = (
        rf"datasus_sia_pa has no attribute {new}\. Did you mean {like}\? Correct it, "
        r"or add it to columns in config/sources/datasus_sia_pa\.yaml\."
    )
    refused(tmp_path, OUTPATIENT.replace(old, new), words)


def test_a_column_that_only_some_years_have_is_left_to_the_file(tmp_path):
    study = loaded(tmp_path, OUTPATIENT.replace("PA_SEXO", "PA_FNTORC"))
    assert study.attributes("sia_pa", "AC-2008") == ("PA_FNTORC", "PA_PROC_ID")


def test_every_outpatient_column_with_a_domain_can_be_asked_for():
    definition = source_definition("datasus_sia_pa", "AC-2008", {})
    assert definition.domains.keys() <= set(definition.columns)
    assert len(definition.columns) == len(set(definition.columns)) == 61


def test_what_is_known_of_a_target_is_among_the_outpatient_columns(tmp_path):
    given = "targets: [{name: t, table: sia_pa, focal: AC-2008, known: {apto 4711}}]"
    words = "the 1st attribute of known in AC-2008 is not one of datasus_sia_pa"
    text = OUTPATIENT.replace("targets: []", given)
    assert "4711" not in refused(tmp_path, text, words)
    known = loaded(tmp_path, text.replace("apto 4711", "PA_ETNIA: null"))
    assert known.analyses["targets"]["t"].known == {"AC-2008": {"PA_ETNIA": None}}


STUDY = """\
study: pool
seed: 3
tables:
  lines:
    source: datasus_sia_pa
    releases:
      RR-2023: {synthetic: {records: 1200}}
      AC-2023: {synthetic: {records: 1300}}
      SE-2023: {synthetic: {records: 1400}}
  town:
    source: delimited
    options: {person_id: id}
    releases: {1: {archive: town.csv}, 2: {archive: town.csv}}
protections:
  coarse: {table: lines, release: SE-2023, steps: [{drop: [PA_IDADE]}]}
pooled:
  north: {table: lines, releases: [RR-2023, AC-2023], attribute: UF}
  mixed: {table: lines, releases: [AC-2023, coarse], attribute: UF}
analyses:
  collective:
    - name: north
      table: lines
      focal: north
      qids: [PA_SEXO, UF]
      sensitive: [PA_PROC_ID]
    - {name: mixed, table: lines, focal: mixed, qids: [PA_RACACOR, UF]}
"""


def test_the_parts_are_read_with_the_attributes_of_the_whole_but_its_own(tmp_path):
    study = loaded(tmp_path, STUDY)
    used = [("lines", f"{state}-2023") for state in ("AC", "RR", "SE")]
    assert list(study.used) == used
    assert study.pooled == (("lines", "north"), ("lines", "mixed"))
    assert study.attributes("lines", "north") == ("PA_SEXO", "UF", "PA_PROC_ID")
    assert study.attributes("lines", "RR-2023") == ("PA_SEXO", "PA_PROC_ID")
    assert set(study.attributes("lines", "SE-2023")) == {"PA_RACACOR", "PA_IDADE"}
    assert study.is_synthetic_release("lines", "mixed")


def test_a_pool_has_its_attribute_and_no_state(tmp_path):
    table = loaded(tmp_path, STUDY).tables["lines"]
    of_pool, of_part = (definition_of(table, n) for n in ("mixed", "AC-2023"))
    assert "UF" in (*of_pool.names, *of_pool.columns)
    assert (of_pool.state, of_part.state) == (None, "AC")
    assert "PA_IDADE" in of_pool.unreleased  # one of its parts does not have it


def test_a_pool_that_cannot_be_is_refused(tmp_path, old, new, words):
    assert old in STUDY
    refused(tmp_path, STUDY.replace(old, new), words)
