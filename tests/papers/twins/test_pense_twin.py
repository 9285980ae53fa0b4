"""The synthetic survey of students' health: a sample of the School Census twin."""

import zipfile

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from microleak.sources.definitions.crosswalk import crosswalk
from microleak.sources.definitions.definition import ROW, source_definition
from microleak.sources.steps.ingest import ReadRelease, ingest
from papers.twins import pense_persons, write_pense
from papers.twins.engine.draws import Settings, generator
from papers.twins.engine.persons import municipalities
from papers.twins.pense.sample import design_of, pense, respondents_of
from papers.twins.school.schools import parameters, schools_of
from papers.twins.school.students import World, new_students
from tests.papers.twins.conftest import SCHOOLS, SEED
from tests.watched import steps_watched

MEMBER = "PENSE_AMOSTRA1_ALUNO.CSV"
YEAR = 2015
NINTH = "41"


def survey(path):
    with zipfile.ZipFile(path) as opened:
        return pd.read_csv(opened.open(MEMBER), sep=";", dtype=str)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    path = tmp_path_factory.mktemp("pense") / "pense.zip"
    write_pense(path, YEAR, SCHOOLS, SEED)
    return path


@pytest.fixture(scope="module")
def students(released):
    return survey(released)


@pytest.fixture(scope="module")
def truth(census):
    """Record of the 9th grade in the School Census of each student of the survey."""
    ninth = census(YEAR).query(f"TP_ETAPA_ENSINO == '{NINTH}'").copy()
    ninth["has_more"] = ninth["ID_ALUNO"].duplicated(keep=False)
    own = ninth.drop_duplicates("ID_ALUNO").set_index("ID_ALUNO")
    return own.loc[pense_persons(YEAR, SCHOOLS, SEED).astype(str)].reset_index()


def recoded(students, attribute):
    walk = crosswalk("ibge_pense", "inep_school_census")
    column = students[walk.counterparts[attribute].sample_attribute]
    return walk.recoded(attribute, pa.chunked_array([column.tolist()])).to_pandas()


def world_of(number, seed=7):
    settings = parameters()
    places = municipalities(settings)
    schools = schools_of(number, settings, places, generator(seed, 0))
    return World(settings, places, schools)


def changed(**settings):
    return Settings({**pense().settings, **settings})


def test_every_student_is_one_of_the_9th_grade_in_the_school_census(students, truth):
    assert len(students) == len(truth)
    assert truth["ID_ALUNO"].is_unique


@pytest.mark.parametrize("attribute", ["TP_SEXO", "NU_MES", "NU_ANO", "CO_MUNICIPIO"])
def test_what_a_student_answers_is_what_the_census_says(students, truth, attribute):
    answered = recoded(students, attribute)
    assert answered.notna().mean() > 0.5
    assert (answered.isna() | (answered == truth[attribute])).all()


def test_race_is_often_another_one_in_the_school_census(students, truth):
    is_same = recoded(students, "TP_COR_RACA") == truth["TP_COR_RACA"]
    is_declared = truth["TP_COR_RACA"] != "0"
    assert 0.8 < is_same[is_declared].mean() < 1
    assert not is_same[~is_declared].any()


def test_classes_are_whole_ones_of_the_school_census(students, truth):
    both = pd.DataFrame({"theirs": truth["ID_TURMA"], "ours": students["turma"]})
    pairs = both[~truth["has_more"]].drop_duplicates()
    assert pairs["theirs"].is_unique
    assert pairs["ours"].is_unique


def test_schools_classes_and_students_are_numbered_in_order(students):
    assert students["aluno"].tolist() == [str(n + 1) for n in range(len(students))]
    for name in ("escola", "turma"):
        numbers = students[name].astype(int)
        assert numbers.is_monotonic_increasing
        assert numbers.iloc[0] == 1
    assert (students.groupby("turma")["escola"].nunique() == 1).all()


def test_a_state_has_one_capital_and_other_places_none(students):
    is_capital = students["TIPO_MUNIC"] == "1"
    assert (students.loc[~is_capital, "MUNICIPIO_CAP"] == "0").all()
    capitals = students[is_capital].groupby("UFCENSO")["MUNICIPIO_CAP"]
    assert (capitals.nunique() == 1).all()
    assert (students["MUNICIPIO_CAP"].str[:2] == students["UFCENSO"])[is_capital].all()


def test_age_follows_from_birth_where_that_was_answered(students):
    born = students[(students["VB01004"] != "99") & (students["VB01005"] != "99")]
    months = (YEAR - born["VB01005"].astype(int)) * 12 + 7 - born["VB01004"].astype(int)
    assert (born["VB01003"].astype(int) == (months // 12).clip(11, 19)).all()


def test_the_reason_is_asked_of_those_who_were_humiliated(students):
    was_never = students["VB07007"] == "1"
    assert ((students["VB07008"] == "-1") == was_never).all()


def test_of_every_state_schools_are_drawn_in_the_capital_and_in_the_rest():
    world = world_of(2_000)
    design = design_of(
        world, changed(schools={"capital": 0.5, "other": 0.0}), generator(1)
    )
    state = world.places.state[world.schools.municipality]
    has_ninth = world.schools.seats[:, design.stage] > 0
    drawn = design.n_classes > 0
    assert not (drawn & ~has_ninth).any()
    for each in np.unique(state):
        capital, other = (
            (state == each) & has_ninth & (design.is_capital == is_capital)
            for is_capital in (True, False)
        )
        assert drawn[capital].sum() == max(1, np.rint(capital.sum() / 2))
        assert drawn[other].sum() == min(1, other.sum())


def test_a_capital_is_the_largest_municipality_with_schools():
    world = world_of(200)
    design = design_of(world, pense(), generator(1))
    own = world.schools.municipality
    for state in np.unique(world.places.state[own]):
        here = world.places.state[own] == state
        largest = world.places.weight[own[here]].max()
        is_largest = world.places.weight[own[here]] == largest
        assert (design.is_capital[here] == is_largest).all()


def test_large_schools_have_two_classes_and_others_one():
    world = world_of(400)
    settings = changed(schools={"capital": 1.0, "other": 1.0}, two_classes_from=3)
    design = design_of(world, settings, generator(1))
    seats = world.schools.seats[:, design.stage]
    n_classes = -(-seats // design.class_size)
    expected = np.where(n_classes >= 3, 2, np.minimum(n_classes, 1))
    assert (design.n_classes == expected).all()


@pytest.fixture(scope="module")
def asked():
    world = world_of(40)
    design = design_of(world, pense(), generator(1))
    seats = world.schools.seats
    cell = np.repeat(np.arange(seats.size), seats.ravel())
    seat = np.divmod(cell, seats.shape[1])
    return design, new_students(seat, 0, 2014, world, generator(2))


def test_without_absence_drawn_classes_are_whole(asked):
    design, students = asked
    present = respondents_of(students, design, 0.0, generator(3))
    sizes = np.bincount(present.class_number)[1:]
    assert len(sizes) == design.n_classes.sum()
    assert 1 <= sizes.min() <= sizes.max() <= design.class_size
    assert len(np.unique(present.students.number)) == len(present.students)
    assert (present.students.stage == design.stage).all()


def test_progress_comes_to_the_number_of_drawn_schools(tmp_path):
    with steps_watched() as steps:
        write_pense(tmp_path / "a.zip", YEAR, 27, SEED)
    ((step, total, advances),) = steps
    n_schools = survey(tmp_path / "a.zip")["escola"].nunique()
    assert (step, total, sum(advances)) == ("writing", n_schools, n_schools)


def test_the_archive_says_that_it_is_synthetic_and_not_who_is_in_it(released):
    with zipfile.ZipFile(released) as opened:
        assert b"SYNTHETIC" in opened.comment
        assert opened.namelist() == ["LEIA-ME-SINTETICO.txt", MEMBER]
        content = opened.read(MEMBER)
    assert not any(person in content for person in pense_persons(YEAR, SCHOOLS, SEED))


@pytest.mark.parametrize(("schools", "seed"), [(27, 0), (27, 7), (60, 1)])
def test_it_is_ingested_without_refusal(tmp_path, schools, seed):
    n_records = write_pense(tmp_path / "a.zip", YEAR, schools, seed)
    header = survey(tmp_path / "a.zip").columns
    definition = source_definition("ibge_pense", str(YEAR), {})
    release = ReadRelease(tmp_path / "a.zip", tuple(header), is_synthetic=True)
    ingest(release, definition, tmp_path / "a.parquet", tmp_path / "a.json")
    read = pq.read_table(tmp_path / "a.parquet")
    assert read.num_rows == n_records
    assert sorted(read.column_names) == sorted([ROW, *header])
