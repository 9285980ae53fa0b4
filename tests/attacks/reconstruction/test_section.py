"""Reconstruction analyses in a study file: what is read, and what is refused."""

import pytest

from microleak.attacks.reconstruction.attempts import ATTACKS
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    LARGEST_GRID,
)
from microleak.attacks.reconstruction.kernels.subset_sums import LARGEST_N
from microleak.attacks.reconstruction.section import (
    MOST_OF_POINTS,
    MOST_TRIED,
    Noise,
    Points,
    Reconstruction,
    Setting,
    SettingsGrid,
)
from microleak.base.errors import StudyError
from microleak.study.load import study_schema
from microleak.study.outdated import results_of
from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID, domains: {ill: "yes|no"}}
    releases: {2015: {archive: c.csv}}
  twins:
    source: inep_school_census
    releases: {2018: {synthetic: {schools: 27}}}
analyses:
  reconstruction:
"""
ATTACKED = """\
    - name: rebuilt
      attacks: [linear, l1]
      database: {random: {density: 0.25}}
      entries: [10, 20]
      queries: [n*log2(n)**2, 50]
      errors: [0.5*sqrt(n)]
      noises: [uniform, {truncated_geometric: ln 3}]
      outliers: [0, 0.1]
      repeats: 3
      limit_s: 60
"""
COUNTED = """\
    - name: points
      entries: [5]
      queries: [n*log2(n)**2]
      errors: [1]
      points: {steps: 10, distance: 0.2, number: 1000}
"""

RANDOM = "database: {random: {density: 0.25}}"
PERSONS = RANDOM.replace(
    "{random: {density: 0.25}}",
    '{table: people, release: 2015, attribute: ill, equals: "yes"}',
)


def loaded(folder, text):
    return given.loaded(folder, STUDY + text)


def only(folder, text):
    (found,) = loaded(folder, text).analyses["reconstruction"].values()
    return found


def test_an_analysis_is_read_as_it_stands_with_the_defaults_of_the_rest(tmp_path):
    assert only(tmp_path, ATTACKED) == Reconstruction(
        name="rebuilt",
        entries=(10, 20),
        queries=("n*log2(n)**2", "50"),
        errors=("0.5*sqrt(n)",),
        noises=("uniform", {"truncated_geometric": "ln 3"}),
        outliers=("0", "0.1"),
        repeats=3,
        database={"random": {"density": "0.25"}},
        attacks=("linear", "l1"),
        limit_s=60,
    )
    points = Points(steps=10, distance="0.2", number=1000)
    asked = {"entries": (5,), "queries": ("n*log2(n)**2",), "errors": ("1",)}
    wanted = Reconstruction(name="points", points=points, **asked)
    assert only(tmp_path, COUNTED) == wanted


def test_settings_are_each_entry_of_a_list_with_each_of_the_others():
    noises = (Noise("uniform"), Noise("rounding"))
    settings = SettingsGrid((3, 2), ("all",), ("1", "2"), noises, ("0",), repeats=2)
    assert [s for s in settings if s.n_entries == 3 and s.error == "1"] == [
        Setting(3, "all", "1", noise, "0", repeat)
        for noise in noises
        for repeat in (1, 2)
    ]
    assert [s.n_entries for s in settings] == [3] * 8 + [2] * 8
    assert len(settings) == 16


def test_formulas_that_differ_for_some_entries_or_bases_are_kept(tmp_path):
    text = ATTACKED.replace("n*log2(n)**2, 50", "5*n, 50")
    assert only(tmp_path, text).settings.queries == ("5*n", "50")
    bases = COUNTED.replace("errors: [1]", "noises: [rounding]\n      errors: [1, 1.5]")
    assert only(tmp_path, bases).settings.errors == ("1", "1.5")


def test_persons_need_one_attribute_of_their_release(tmp_path):
    found = only(tmp_path, ATTACKED.replace(RANDOM, PERSONS))
    assert found.database.told == {
        **{"database": "drawn", "table": "people", "release": "2015"},
        **{"attribute": "ill", "value": "yes"},
    }
    assert list(found.needs) == [("people", "2015", ("ill",))]
    study = loaded(tmp_path, ATTACKED)
    assert list(study.analyses["reconstruction"]["rebuilt"].needs) == []
    assert study.used == ()


TWINS = 'database: {table: twins, release: 2018, attribute: TP_SEXO, equals: "1"}'


@pytest.mark.parametrize(
    ("database", "is_synthetic"), [(RANDOM, True), (PERSONS, False), (TWINS, True)]
)
def test_databases_that_describe_nobody_are_synthetic(tmp_path, database, is_synthetic):
    study = loaded(tmp_path, ATTACKED.replace(RANDOM, database))
    analysis = study.analyses["reconstruction"]["rebuilt"]
    assert study.is_synthetic_analysis(analysis) is is_synthetic


def test_an_analysis_makes_both_its_tables(tmp_path):
    made = results_of(loaded(tmp_path, ATTACKED + COUNTED))
    assert {path for path in made if "rebuilt" in path or "points" in path} == {
        f"measures/{table}/{name}.csv"
        for table in ("reconstruction", "bad_points")
        for name in ("rebuilt", "points")
    }


def test_what_cannot_be_is_refused_by_file_and_analysis(tmp_path, old, new, words):
    assert old in ATTACKED
    with pytest.raises(StudyError, match=rf"demo.yaml: .*{words}"):
        loaded(tmp_path, ATTACKED.replace(old, new))


def test_settings_that_do_not_go_together_are_refused(tmp_path, kind, changes, words):
    text = {"attacked": ATTACKED, "counted": COUNTED}[kind]
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(StudyError, match=f"demo.yaml: analysis .*{words}"):
        loaded(tmp_path, text)


def test_persons_that_cannot_be_drawn_are_refused(tmp_path, old, new, words):
    with pytest.raises(StudyError, match=f"analysis 'rebuilt'.*{words}"):
        loaded(tmp_path, ATTACKED.replace(RANDOM, PERSONS).replace(old, new))


def test_a_name_of_another_kind_of_analysis_is_refused(tmp_path):
    collective = (
        "  collective:\n"
        "    - {name: rebuilt, table: people, focal: 2015, qids: [age]}\n"
    )
    with pytest.raises(StudyError, match="both have an analysis named 'rebuilt'"):
        loaded(tmp_path, ATTACKED + collective)


def test_the_study_file_may_name_every_attack_and_no_other():
    kinds = study_schema()["properties"]["analyses"]["properties"]["reconstruction"]
    named = kinds["items"]["properties"]["attacks"]["items"]["enum"]
    assert sorted(named) == sorted(ATTACKS)
    # The most entries are those of the kernels.
    assert (MOST_TRIED, MOST_OF_POINTS) == (LARGEST_N, LARGEST_GRID)
