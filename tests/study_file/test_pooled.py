"""Pooled releases: what they need of others, and which are refused."""

from microleak.study_file.context import definition_of
from tests.study_file.given import loaded, refused

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
