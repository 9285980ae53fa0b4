"""Which releases follow one another: those of one state, in the study's order."""

import pytest

from microleak.attacks.collective.jobs import protections, series, state_analyses
from tests.study_file.given import loaded

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


def test_releases_of_one_state_follow_one_another_and_all_where_there_are_none(
    tmp_path,
):
    assert series(loaded(tmp_path, STUDY)) == {
        "sia": [["RR-2022", "RR-2023"], ["SE-2023"]],
        "school": [["2018", "2017"]],
    }


def test_releases_of_a_state_follow_by_year_wherever_they_are_listed(tmp_path):
    later = "      RR-2022: {synthetic: {records: 1200}}\n"
    text = STUDY.replace(later, "").replace("  school:", f"{later}  school:", 1)
    assert series(loaded(tmp_path, text))["sia"] == [
        ["SE-2023"],
        ["RR-2022", "RR-2023"],
    ]


def test_protections_are_named_with_their_origins_and_stand_in_no_series(tmp_path):
    made = """protections:
  rounded: {table: school, release: 2018, steps: [{round: {NU_ANO: 5}}]}
  rounder: {table: school, release: rounded, steps: [{drop: [TP_COR_RACA]}]}
"""
    study = loaded(tmp_path, STUDY.replace("analyses:", f"{made}analyses:"))
    assert protections(study) == [
        ("school", "2018", "rounded"),
        ("school", "rounded", "rounder"),
    ]
    assert series(study)["school"] == [["2018", "2017"]]


def compared(folder, *analyses):
    """What analyses are compared as, by their names."""
    each = "".join(f"    - {{{fields}}}\n" for fields in analyses)
    found = state_analyses(loaded(folder, STUDY + each))
    return {part: name for part, name, *_ in found}


ILL = "table: sia, qids: [PA_SEXO, PA_IDADE], sensitive: [PA_PROC_ID]"


def test_only_analyses_of_a_state_have_a_state_and_its_year(tmp_path):
    text = f"{STUDY}    - {{name: all, focal: all, {ILL}}}\n"
    assert state_analyses(loaded(tmp_path, text)) == [
        ("all-RR-2022", "all", "sia", "RR-2022", "RR", "2022"),
        ("all-SE-2023", "all", "sia", "SE-2023", "SE", "2023"),
        ("all-RR-2023", "all", "sia", "RR-2023", "RR", "2023"),
    ]


def test_analyses_that_stand_alone_and_make_the_same_attacks_are_compared(tmp_path):
    assert compared(
        tmp_path,
        f"name: a, focal: RR-2023, {ILL}",
        f"name: b, focal: SE-2023, {ILL}",
        f"name: c, focal: [RR-2022], {ILL}",
    ) == {"a": "a", "b": "a", "c-RR-2022": "c"}


@pytest.mark.parametrize(
    "other",
    [
        ILL.replace("PA_SEXO, PA_IDADE", "PA_IDADE, PA_SEXO"),
        ILL.replace("PA_SEXO", "PA_RACACOR"),
        ILL.replace("PA_PROC_ID", "PA_CODUNI"),
        f"{ILL}, subsets: full",
    ],
)
def test_analyses_that_make_other_attacks_are_not_compared(tmp_path, other):
    first = f"name: a, focal: RR-2023, {ILL}"
    found = compared(tmp_path, first, f"name: b, focal: SE-2023, {other}")
    assert found == {"a": "a", "b": "b"}
