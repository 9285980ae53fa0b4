"""Which releases follow one another: those of one state, in the study's order."""

import pytest

from microleak.study.config import load_study
from microleak.study.series import series, state_releases

STUDY = """\
study: demo
seed: 7
tables:
  sia:
    source: datasus_sia_pa
    releases:
      RR-2022: {synthetic: {records: 1200}}
      SE-2023: {synthetic: {records: 1200}}
      RR-2023: {synthetic: {records: 1200}}
  school:
    source: inep_school_census
    releases:
      2018: {archive: a.zip}
      2017: {archive: b.zip}
analyses:
  collective:
    - {name: one, table: school, focal: 2018, qids: [TP_SEXO]}
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "demo.yaml"
    path.write_text(STUDY, encoding="utf-8")
    return load_study(path)


def test_releases_of_one_state_follow_one_another_and_all_where_there_are_none(study):
    assert series(study) == {
        "sia": [["RR-2022", "RR-2023"], ["SE-2023"]],
        "school": [["2018", "2017"]],
    }


def test_only_releases_of_a_state_have_a_state_and_its_year(study):
    assert state_releases(study) == [
        ("sia", "RR-2022", "RR", "2022"),
        ("sia", "SE-2023", "SE", "2023"),
        ("sia", "RR-2023", "RR", "2023"),
    ]
