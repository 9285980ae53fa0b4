"""One analysis of many releases: what becomes of it, and what is refused."""

import pytest

from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID}
    releases:
      2015: {archive: b.csv}
      2014: {archive: a.csv}
      2016: {archive: c.csv}
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


def refused(folder, focal, words, more=""):
    given.refused(folder, STUDY.replace("FOCAL", focal) + more, words)


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


@pytest.mark.parametrize("focal", ["all", "[2014, 2015]", "[2014]"])
def test_no_release_is_linked_to_several_focal_ones(tmp_path, focal):
    words = r"analysis 'years': auxiliary releases are linked to one focal release, but"
    refused(tmp_path, f"{focal}, auxiliary: [2016]", words)


def test_a_wrong_list_of_releases_is_refused_in_words(tmp_path, focal, words):
    refused(tmp_path, focal, words)


def test_a_name_that_is_taken_is_refused_with_where_it_came_from(tmp_path):
    words = (
        r"demo\.yaml: analysis 'years' becomes 'years-2014' for its focal release "
        r"2014, and another analysis has that name\. Rename one of them\."
    )
    refused(tmp_path, "all", words, analysis("years-2014", 2016))


def test_two_analyses_of_many_releases_do_not_share_a_name(tmp_path):
    text = STUDY.replace("2014:", "a-b:").replace("2015:", "b:")
    text = text.replace("name: years", "name: n").replace("FOCAL", "[a-b]")
    words = "analysis 'n-a' becomes 'n-a-b' for its foc"
    given.refused(tmp_path, text + analysis("n-a", "[b]"), words)


def test_two_analyses_of_one_name_are_refused_whatever_their_releases(tmp_path):
    words = "analyses.collective has two analyses named 'years'. Rename one"
    refused(tmp_path, "[2014]", words, analysis("years", "[2015]"))


def test_an_attribute_that_one_of_the_releases_lacks_is_refused(tmp_path):
    text = STUDY.replace("delimited", "inep_higher_education_census")
    text = text.replace("    options: {person_id: ID}\n", "").replace("FOCAL", "all")
    text = text.replace("2014:", "2017:").replace("[ill]", "[]")
    text = text.replace("[age, sex]", "[NU_ANO_CENSO]")
    given.refused(tmp_path, text, r"years.: .* 2015 does not have NU_ANO_")
