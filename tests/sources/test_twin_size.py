"""The size of a synthetic release, in the unit of its source."""

import pytest

from microleak.base.errors import StudyError
from microleak.sources.twin import twin_size
from microleak.study.load import load_study


def test_a_size_is_given_in_the_unit_of_the_source():
    assert twin_size("inep_school_census", "2018", {"schools": 27}, "here") == 27
    words = r"here: the size of a synthetic inep_school_census is given in schools"
    with pytest.raises(StudyError, match=words):
        twin_size("inep_school_census", "2018", {"courses": 27}, "here")


def test_a_source_without_a_twin_has_no_size():
    with pytest.raises(StudyError, match="delimited has no synthetic twin; these have"):
        twin_size("delimited", "2018", {"schools": 27}, "here")


def test_a_year_that_a_twin_does_not_make_is_refused(source, release, unit, made):
    words = f"^here: the twin of {source} has {made}. Correct the release's year"
    with pytest.raises(StudyError, match=words):
        twin_size(source, release, {unit: 2000}, "here")


@pytest.mark.parametrize("release", ["AC-2019", "SP-2023"])
def test_the_first_and_the_last_year_of_a_twin_are_made(release):
    assert twin_size("datasus_sia_pa", release, {"records": 2000}, "here") == 2000


def test_it_is_refused_when_the_study_is_read(tmp_path):
    path = tmp_path / "study.yaml"
    text = """\
study: ahead
seed: 7
tables:
  sia: {source: datasus_sia_pa, releases: {AC-2024: {synthetic: {records: 2000}}}}
analyses:
  collective:
    - {name: one, table: sia, focal: AC-2024, qids: [PA_SEXO], sensitive: []}
"""
    path.write_text(text, encoding="utf-8")
    words = r"study.yaml: sia AC-2024: the twin of datasus_sia_pa has 2019 to 2023\."
    with pytest.raises(StudyError, match=words):
        load_study(path)
