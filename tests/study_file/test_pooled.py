"""Pooled releases: what they need of others, and which are refused."""

import pytest

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


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("  north: {", "  RR-2023: {", "'RR-2023' has the name of a release of lines"),
        ("  north: {", "  coarse: {", "'coarse' has the name of a release of lines"),
        ("[RR-2023, AC-2023]", "[RR-2023, AL-2023]", "no release 'AL-2023'"),
        ("[RR-2023, AC-2023]", "[RR-2023, RR-2023]", "RR-2023"),
        ("[RR-2023, AC-2023]", "[RR-2023]", "releases"),
        (
            "[AC-2023, coarse]",
            "[SE-2023, AC-2023, coarse]",
            "SE-2023 and coarse both have the records of SE-2023, which would count",
        ),
        (
            "pooled:\n  north: {table: lines, releases: [RR-2023, AC-2023]",
            "  half: {table: lines, release: coarse, steps: [{sample: '0.5'}]}\n"
            "pooled:\n  north: {table: lines, releases: [half, coarse]",
            "half and coarse both have the records of SE-2023",
        ),
        ("attribute: UF}\n  mixed", "attribute: PA_SEXO}\n  mixed", "has an attribute"),
        (
            "{table: lines, releases: [RR-2023, AC-2023]",
            "{table: town, releases: [1, 2]",
            "id identifies persons of town, and someone who is in two releases",
        ),
        (
            "[PA_RACACOR, UF]",
            "[PA_IDADE, UF]",
            "mixed does not have PA_IDADE: step 1 of protection 'coarse' drops it",
        ),
        (
            "focal: mixed, qids: [PA_RACACOR, UF]",
            "focal: coarse, qids: [PA_IDADE]",
            "analysis 'mixed': coarse does not have PA_IDADE: step 1 of protection "
            "'coarse' drops it. Leave it out here, with a list in place of a QID set "
            "that has it, or out of drop there.$",
        ),
        (
            "pooled:\n",
            "  next: {table: lines, release: coarse, steps: [{round: {PA_IDADE: 5}}]}\n"
            "pooled:\n",
            "'next': coarse does not have PA_IDADE: step 1 of protection 'coarse",
        ),
        ("[PA_RACACOR, UF]", "[PA_RACACOR, FU]", "has no attribute FU"),
    ],
)
def test_a_pool_that_cannot_be_is_refused(tmp_path, old, new, words):
    assert old in STUDY
    refused(tmp_path, STUDY.replace(old, new), words)
