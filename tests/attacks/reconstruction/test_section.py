"""Reconstruction analyses in a study file: what is read, and what is refused."""

import json

import pytest

from microleak.attacks.reconstruction.analysis import (
    MOST_OF_POINTS,
    MOST_TRIED,
    Noise,
    Points,
    Reconstruction,
    Setting,
    SettingsGrid,
)
from microleak.attacks.reconstruction.attempts import ATTACKS
from microleak.attacks.reconstruction.definitions.exponential_reconstruction import (
    LARGEST_GRID,
)
from microleak.base.errors import StudyError
from microleak.kernels.subset_sums import LARGEST_N
from microleak.study.job_records import results_of
from microleak.study.load import study_schema
from tests.study_file import given

STUDY = """\
study: demo
seed: 7
tables:
  people:
    source: delimited
    options: {person_id: ID, domains: {ill: "yes|no"}}
    releases:
      2015: {archive: c.csv}
  twins:
    source: inep_school_census
    releases:
      2018: {synthetic: {schools: 27}}
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


def test_an_analysis_with_attacks_is_read_as_it_stands(tmp_path):
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


def test_an_analysis_of_points_is_read_with_the_defaults_of_the_rest(tmp_path):
    assert only(tmp_path, COUNTED) == Reconstruction(
        name="points",
        entries=(5,),
        queries=("n*log2(n)**2",),
        errors=("1",),
        points=Points(steps=10, distance="0.2", number=1000),
    )


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


@pytest.mark.parametrize(
    "text",
    [ATTACKED, COUNTED, ATTACKED.replace(RANDOM, PERSONS)],
    ids=["attacks", "points", "persons"],
)
def test_an_analysis_goes_to_a_job_as_plain_fields_and_comes_back(tmp_path, text):
    found = only(tmp_path, text)
    settings = json.loads(json.dumps(found.model_dump()))
    assert Reconstruction.model_validate(settings) == found
    assert Reconstruction.model_validate(settings).settings == found.settings


def test_formulas_that_are_equal_for_some_numbers_of_entries_only_are_kept(tmp_path):
    text = ATTACKED.replace("n*log2(n)**2, 50", "5*n, 50")
    assert only(tmp_path, text).settings.queries == ("5*n", "50")


def test_bases_of_rounding_that_reach_one_bound_are_kept(tmp_path):
    text = (
        COUNTED.replace("errors: [1]", "errors: [1, 1.5]")
        + "      noises: [rounding]\n"
    )
    study = loaded(tmp_path, text)
    assert study.analyses["reconstruction"]["points"].settings.errors == ("1", "1.5")


def test_persons_need_one_attribute_of_their_release(tmp_path):
    found = only(tmp_path, ATTACKED.replace(RANDOM, PERSONS))
    assert found.database.told == {
        **{"database": "drawn", "table": "people", "release": "2015"},
        **{"attribute": "ill", "value": "yes"},
    }
    assert list(found.needs) == [("people", "2015", ("ill",))]


def test_databases_by_chance_need_no_release(tmp_path):
    study = loaded(tmp_path, ATTACKED)
    assert list(study.analyses["reconstruction"]["rebuilt"].needs) == []
    assert study.used == ()


@pytest.mark.parametrize(
    ("database", "is_synthetic"),
    [
        (RANDOM, True),
        (PERSONS, False),
        (
            'database: {table: twins, release: 2018, attribute: TP_SEXO, equals: "1"}',
            True,
        ),
    ],
    ids=["chance", "persons", "twins"],
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


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "n*log2(n)**2",
            "n*lg2(n)",
            r"'rebuilt': The formula 'n\*lg2\(n\)' has the un",
        ),
        ("n*log2(n)**2", "log2(n)-n", "is negative"),
        ("n*log2(n)**2, 50", "0", "gives 0 queries for n = 10; at least 1"),
        ("0.5*sqrt(n)", "1/(20-n)", r"has no value for n = 20.*errors of the study"),
        ("0.5*sqrt(n)", "__import__('os')", "has the unknown name '__import__'"),
        ("n*log2(n)**2, 50", "2*n, n+n", "queries: the 1st and the 2nd are equal for"),
        ("0.5*sqrt(n)", "1, 1.0", "errors: the 1st and the 2nd are equal for every"),
        ("0.5*sqrt(n)", "5000", "truncated_geometric cannot have E = 5000.0"),
        ("[uniform,", "[rounding,", "rounding cannot have a base of 3.16227766"),
        ("[uniform,", "[laplace,", "the 1st entry of noises is 'laplace'"),
        (
            "ln 3",
            "ln 1",
            "'rebuilt': truncated_geometric of noises has the epsilon 'ln 1'.* Correct "
            "noises of the reconstruction analysis",
        ),
        ("limit_s", "assumed_error: n-20\n      limit_s", "'n-20' is negative, -10"),
        (
            "limit_s",
            "assumed_error: 1e300\n      limit_s",
            "'1e300' is 1e.300 for n = 10: .* Correct assumed_error of the recon",
        ),
        ("ln 3", "0", "epsilon '0': expected a number above 0 .*from 1E-12 to 700"),
        ("0.5*sqrt(n)", "1e300", "E = 1e.300: .*Correct errors of the reconstruction"),
        ("n*log2(n)**2, 50", '50, "50"', "queries has .50. twice. Give it once"),
        ("[0, 0.1]", "[0.1, 1]", "the 2nd entry of outliers is 1"),
        ("0.25}", "1.5}", "density is '1.5'"),
        ("repeats: 3", "repeats: 9000", "has 144,000 databases, more than 100,000"),
        ("entries: [10, 20]", "entries: [1]", "the 1st entry of entries is 1, below 2"),
        ("      attacks: [linear, l1]\n", "", "has neither attacks nor points"),
        (
            "[linear, l1]",
            "[linear, guess]",
            "the 2nd entry of attacks is 'guess', not one of expo",
        ),
        (
            "[linear, l1]",
            "[exponential]\n      points: {steps: 1, distance: 0, number: 1}",
            "has both attacks and points",
        ),
    ],
)
def test_what_cannot_be_is_refused_by_file_and_analysis(tmp_path, old, new, words):
    assert old in ATTACKED
    with pytest.raises(StudyError, match=rf"demo.yaml: .*{words}"):
        loaded(tmp_path, ATTACKED.replace(old, new))


@pytest.mark.parametrize(
    ("text", "changes", "words"),
    [
        (
            ATTACKED,
            {"linear": "exponential", "20]": "31]"},
            "has 31, and attack exponential can have at most 30",
        ),
        (
            ATTACKED,
            {"n*log2(n)**2, 50": "all", "20]": "31]"},
            "has 31, and queries all can have at most 30",
        ),
        (
            ATTACKED,
            {"n*log2(n)**2, 50": "all", "l1": "hadamard"},
            "queries has 'all', and hadamard cannot",
        ),
        (COUNTED, {"n*log2(n)**2": "all"}, "queries has 'all', and points cannot"),
        (COUNTED, {"[5]": "[65]"}, "has 65, and points can have at most 64"),
        (
            COUNTED,
            {"errors": "limit_s: 5\n      errors"},
            "has both points and limit_s",
        ),
        (
            COUNTED,
            {"errors": "assumed_error: 5\n      errors"},
            "has both points and assumed_error",
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(tmp_path, text, changes, words):
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(StudyError, match=f"demo.yaml: analysis .*{words}"):
        loaded(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("table: people", "table: poeple", "no table 'poeple'. Did you mean 'people'"),
        ("release: 2015", "release: 2016", "people has no release '2016'"),
        ("attribute: ill", "attribute: ID", "ID identifies persons or records"),
        ('"yes"', '"Yes"', "equals of ill has 'Yes', which is not"),
    ],
)
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


def test_the_most_entries_are_those_of_the_kernels():
    assert (MOST_TRIED, MOST_OF_POINTS) == (LARGEST_N, LARGEST_GRID)
