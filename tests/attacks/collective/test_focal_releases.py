"""One analysis of many releases, what is refused, and which follow one another."""

import pytest

from microleak.attacks.collective.jobs import protections, series, state_analyses
from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID}
    releases: {2015: {archive: b.csv}, 2014: {archive: a.csv}, 2016: {archive: c.csv}}
analyses:
  collective:
    - {name: years, table: people, focal: FOCAL, qids: [age, sex], sensitive: [ill]}
"""


def loaded(folder, focal, more=""):
    return given.loaded(folder, STUDY.replace("FOCAL", focal) + more)


def analysis(name, focal):
    return f"    - {{name: {name}, table: people, focal: {focal}, qids: [age]}}\n"


def named(study):
    return [(a.name, a.focal, a.part_of) for a in study.analyses["collective"].values()]


def test_each_focal_release_has_an_analysis_named_after_it_in_the_order_given(
    tmp_path, focal, analyses
):
    study = loaded(tmp_path, focal, analysis("one", 2014))
    others = [["one", "2014", ""]]
    assert [[*each] for each in named(study)] == analyses + others
    used = {release for _, release, _ in analyses} | {"2014"}
    assert study.used == tuple(("people", release) for release in sorted(used))


def test_each_analysis_has_all_that_is_said_of_them_together(tmp_path):
    parts = loaded(tmp_path, "all").analyses["collective"].values()
    said = {(p.table, p.qids, p.sensitive, p.wanted, p.auxiliary) for p in parts}
    assert said == {("people", ("age", "sex"), ("ill",), "all", ())}


def test_a_release_named_all_comes_before_all_releases(tmp_path):
    text = STUDY.replace("2016:", "all:").replace("FOCAL", "all")
    assert named(given.loaded(tmp_path, text)) == [("years", "all", "")]


def test_a_wrong_list_of_releases_is_refused_in_words(tmp_path, focal, words):
    given.refused(tmp_path, STUDY.replace("FOCAL", focal), words)


def test_a_name_that_is_taken_is_refused_with_where_it_came_from(
    tmp_path, focal, name, other, words
):
    text = STUDY.replace("FOCAL", focal) + analysis(name, other)
    given.refused(tmp_path, text, words)


def test_two_analyses_of_many_releases_do_not_share_a_name(tmp_path):
    text = STUDY.replace("2014:", "a-b:").replace("2015:", "b:")
    text = text.replace("name: years", "name: n").replace("FOCAL", "[a-b]")
    words = "analysis 'n-a' becomes 'n-a-b' for its foc"
    given.refused(tmp_path, text + analysis("n-a", "[b]"), words)


def test_an_attribute_that_one_of_the_releases_lacks_is_refused(tmp_path):
    text = STUDY.replace("delimited", "inep_higher_education_census")
    text = text.replace("    options: {person_id: ID}\n", "").replace("FOCAL", "all")
    text = text.replace("2014:", "2017:").replace("[ill]", "[]")
    text = text.replace("[age, sex]", "[NU_ANO_CENSO]")
    given.refused(tmp_path, text, r"years.: .* 2015 does not have NU_ANO_")


SERIES = """\
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
    releases: {2018: {archive: a.zip}, 2017: {archive: b.zip}}
analyses:
  collective:
    - {name: one, table: school, focal: 2018, qids: [TP_SEXO]}
"""


def test_releases_of_one_state_follow_one_another_and_all_where_there_are_none(
    tmp_path,
):
    assert series(given.loaded(tmp_path, SERIES)) == {
        "sia": [["RR-2022", "RR-2023"], ["SE-2023"]],
        "school": [["2018", "2017"]],
    }


def test_releases_of_a_state_follow_by_year_wherever_they_are_listed(tmp_path):
    later = "      RR-2022: {synthetic: {records: 1200}}\n"
    text = SERIES.replace(later, "").replace("  school:", f"{later}  school:", 1)
    assert series(given.loaded(tmp_path, text))["sia"] == [
        ["SE-2023"],
        ["RR-2022", "RR-2023"],
    ]


def test_protections_are_named_with_their_origins_and_stand_in_no_series(tmp_path):
    made = """protections:
  rounded: {table: school, release: 2018, steps: [{round: {NU_ANO: 5}}]}
  rounder: {table: school, release: rounded, steps: [{drop: [TP_COR_RACA]}]}
"""
    study = given.loaded(tmp_path, SERIES.replace("analyses:", f"{made}analyses:"))
    assert protections(study) == [
        ("school", "2018", "rounded"),
        ("school", "rounded", "rounder"),
    ]
    assert series(study)["school"] == [["2018", "2017"]]


def compared(folder, *analyses):
    """What analyses are compared as, by their names."""
    each = "".join(f"    - {{{fields}}}\n" for fields in analyses)
    found = state_analyses(given.loaded(folder, SERIES + each))
    return {part: name for part, name, *_ in found}


ILL = "table: sia, qids: [PA_SEXO, PA_IDADE], sensitive: [PA_PROC_ID]"


def test_only_analyses_of_a_state_have_a_state_and_its_year(tmp_path):
    text = f"{SERIES}    - {{name: all, focal: all, {ILL}}}\n"
    assert state_analyses(given.loaded(tmp_path, text)) == [
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
