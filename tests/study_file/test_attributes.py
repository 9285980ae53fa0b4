"""Columns of the outpatient data: refused, allowed or left to the file."""

import pytest

from microleak.sources.definitions.definition import source_definition
from tests.study_file.given import loaded, refused

OUTPATIENT = """\
study: demo
seed: 7
tables:
  sia_pa:
    source: datasus_sia_pa
    releases:
      AC-2008: {archive: AC}
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
